"""The head of a table that came with a question."""

import io

import openpyxl
import pytest

from agents.data_search.attached_tables import AttachmentError, read_attached_table


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8-sig", "매장,지역"),
        ("utf-16", "매장,지역"),
        ("cp949", "매장,지역"),
        ("cp932", "店舗,地域"),
        ("utf-8", "a;b"),
    ],
)
def test_csv_of_excel_is_read_in_its_encoding(encoding: str, text: str) -> None:
    table = read_attached_table("csv", f"{text}\r\n1,2\r\n".encode(encoding))

    assert list(table.head.columns) == text.replace(";", ",").split(",")


def test_spreadsheet_gives_its_first_rows_and_how_many_there_are() -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in [("store", "opened"), *((f"store {n}", None) for n in range(50))]:
        sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)

    table = read_attached_table("xlsx", stream.getvalue())

    assert (table.row_count, table.column_count, len(table.head.rows)) == (50, 2, 20)
    assert table.head.rows[0] == ("store 0", None)


@pytest.mark.parametrize(
    ("kind", "data", "said"),
    [
        ("xlsx", b"PK no archive", "no spreadsheet"),
        ("csv", b"\n\n", "empty"),
        ("csv", b"\x81\xff\xfe\x00", "encoding"),
        ("csv", "매장,지역".encode("utf-16-le"), "encoding"),
        ("csv", "매장".encode("utf-16")[:-1], "encoding"),
        ("csv", b"a" * 10_000_001, "too large"),
    ],
    ids=["xlsx", "empty", "encoding", "UTF-16 without a mark", "half a character", "size"],
)
def test_file_that_cannot_be_read_says_why(kind: str, data: bytes, said: str) -> None:
    with pytest.raises(AttachmentError, match=said):
        read_attached_table(kind, data)
