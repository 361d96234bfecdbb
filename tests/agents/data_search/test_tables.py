"""Rows as CSV, XLSX and Markdown."""

import csv
import io

import pytest
from openpyxl import load_workbook

from agents.data_search.tables import (
    Cell,
    Table,
    make_table,
    read_table,
    to_csv,
    to_markdown,
    to_xlsx,
)


def test_records_become_rows_in_the_order_of_their_keys() -> None:
    table = make_table([{"a": 1}, {"b": [1, 2], "a": None}])

    assert table == Table(("a", "b"), ((1, None), (None, "[1, 2]")))


@pytest.mark.parametrize(
    "content",
    [[{"a": "1"}], {"sql": "x", "records": [{"a": "1"}]}, "\ufeffa\r\n1\r\n"],
    ids=["records", "object", "csv-text"],
)
def test_content_of_a_table_is_read_in_each_form(content: object) -> None:
    assert read_table(content) == Table(("a",), (("1",),))


def test_csv_begins_with_a_byte_order_mark() -> None:
    data = to_csv(Table(("지역",), (("서울",),)))

    assert data.startswith(b"\xef\xbb\xbf")
    assert data.decode("utf-8-sig") == "지역\r\n서울\r\n"


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        (" =1", "' =1"),
        ("＝1", "'＝1"),
        ("-cmd", "'-cmd"),
        ("\t=1", "'\t=1"),
        ("-12.50", "-12.50"),
        (-3, "-3"),
        ("a=1", "a=1"),
        (None, ""),
        (True, "true"),
    ],
)
def test_csv_cells_cannot_be_run_as_formulas(cell: Cell, written: str) -> None:
    text = to_csv(Table(("c",), ((cell,),))).decode("utf-8-sig")

    assert list(csv.reader(io.StringIO(text, newline="")))[1:] == (
        [[written]] if written else [[""]]
    )


def test_xlsx_keeps_texts_numbers_and_digits() -> None:
    row: tuple[Cell, ...] = ("=1+1", 2, 12345678901234567890, "a\x00b", None, 1.5)
    sheet = load_workbook(io.BytesIO(to_xlsx(Table(tuple("abcdef"), (row,)))))["result"]

    values = [cell.value for cell in sheet[2]]
    assert values == ["=1+1", 2, "12345678901234567890", "ab", None, 1.5]
    assert sheet["A2"].data_type == "s"


def test_markdown_cells_stay_in_their_line_and_open_nothing() -> None:
    text = to_markdown(Table(("a",), (("x|y\n<b>[l](http://z)",),)))

    assert text == "| a |\n| --- |\n| x\\|y &lt;b>[l]\\(http://z) |"


def test_a_table_of_many_rows_is_written_whole() -> None:
    table = Table(("n",), tuple((number,) for number in range(20_000)))

    assert to_csv(table).count(b"\n") == 20_001
    assert len(table.head(5).rows) == 5
