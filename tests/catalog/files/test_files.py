"""Files on their way to tables: guessed, corrected, kept, replaced and deleted."""

import asyncio
import io
import struct
import zipfile
from pathlib import Path
from typing import Any
from unicodedata import normalize

import duckdb
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from catalog.files.keeping import list_tables
from catalog.models import CatalogColumn, CatalogTable, DataSource
from catalog.sources.connections import to_settings
from core.execution import Query
from core.statement import compile_statement
from core.toolspec import Dialect
from gateways.engines import open_source
from tests.factories import make_tool
from tools.models import ToolUse

SALES = "id,zip,day,total\n1,01234,2026-01-05,9.50\n2,56789,2026-02-01,12.00\n"


@pytest.fixture
def source(db: None, settings: Any, tmp_path: Path) -> DataSource:
    """A source whose tables are uploaded."""
    settings.FILES_DIR = str(tmp_path)
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    return DataSource.objects.create(name="files", engine="files")


def upload(admin: Client, name: str, content: str | bytes, **fields: str) -> Any:
    content = content.encode() if isinstance(content, str) else content
    return admin.post(
        "/sources/files/files/", {"file": SimpleUploadedFile(name, content), **fields}
    )


def keep(admin: Client, name: str, content: str | bytes, **fields: str) -> Any:
    """The answer after the file is a table, its columns of the types that `fields` correct."""
    review = upload(admin, name, content)
    assert review.status_code == 302, review.content.decode()
    return admin.post(review["Location"], {"intent": "keep", **fields}, follow=True)


def rows_of(source: DataSource, sql: str) -> list[list[Any]]:
    async def read() -> list[list[Any]]:
        opened = open_source(to_settings(source))
        try:
            query = Query(
                statement=compile_statement(sql, dialect=Dialect.DUCKDB),
                types=(),
                values={},
                row_limit=100,
                byte_limit=100_000,
                timeout_ms=60_000,
            )
            return list(map(list, (await opened.run(query)).rows))
        finally:
            await opened.close()

    return asyncio.run(read())


def test_file_is_shown_with_guessed_types_and_corrected(admin: Client, source: DataSource) -> None:
    review = upload(admin, "2026 Sales.csv", SALES)
    page = admin.get(review["Location"]).content.decode()

    answer = keep(admin, "sales.csv", SALES, **{"type-1": "VARCHAR", "type-3": "DECIMAL(18,2)"})

    assert all(text in page for text in ("table_2026_sales", "bigint", "date", "56789"))
    assert "sales has 2 rows." in answer.content.decode()
    assert rows_of(source, "SELECT zip, day, total, typeof(total) FROM sales ORDER BY id") == [
        ["01234", "2026-01-05", 9.5, "DECIMAL(18,2)"],
        ["56789", "2026-02-01", 12.0, "DECIMAL(18,2)"],
    ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.tsv", "a\tb\n1\tx\n"),
        ("t.json", '[{"a": 1, "b": "x"}]'),
        ("t.ndjson", '{"a": 1, "b": "x"}\n'),
    ],
    ids=["tsv", "json", "ndjson"],
)
def test_every_text_format_is_a_table(
    admin: Client, source: DataSource, name: str, content: str
) -> None:
    keep(admin, name, content)

    assert rows_of(source, "SELECT a, b FROM t") == [[1, "x"]]


def make_spreadsheet(rows: str = "") -> bytes:
    """A workbook of one sheet with these rows, in the least parts that a reader needs."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types"/>',
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships"><Relationship Id="a"'
        f' Type="{office}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets><sheet name="S"'
        ' sheetId="1" r:id="b"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships"><Relationship'
        f' Id="b" Type="{office}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in parts.items():
            packed.writestr(name, text)
    return target.getvalue()


def test_first_sheet_of_a_spreadsheet_is_a_table(admin: Client, source: DataSource) -> None:
    def row(number: int, *cells: str) -> str:
        made = [f'<c r="{"AB"[at]}{number}" {cell}</c>' for at, cell in enumerate(cells)]
        return f'<row r="{number}">{"".join(made)}</row>'

    text = 't="inlineStr"><is><t>{}</t></is>'
    rows = row(1, text.format("id"), text.format("name")) + row(2, "><v>7</v>", text.format("x"))

    keep(admin, "book.xlsx", make_spreadsheet(rows))

    assert rows_of(source, "SELECT id, name FROM book") == [[7, "x"]]


def test_packed_bomb_is_refused_before_it_is_unpacked(admin: Client, source: DataSource) -> None:
    target = io.BytesIO(make_spreadsheet())
    with zipfile.ZipFile(target, "a", zipfile.ZIP_DEFLATED) as packed:
        for number in range(9):
            packed.writestr(f"xl/media/{number}", bytes(60_000_000))

    answer = upload(admin, "bomb.xlsx", target.getvalue())

    assert answer.status_code == 422
    assert "is larger than 512 MB when it is unpacked" in answer.content.decode()


def make_lying_parquet(tmp_path: Path) -> bytes:
    """A Parquet file whose pages are not what its footer says."""
    path = tmp_path / "lying.parquet"
    query = "SELECT range AS a, 'x' || range AS b FROM range(9999)"
    with duckdb.connect() as connection:
        connection.sql(query).write_parquet(str(path))
    content = bytearray(path.read_bytes())
    [footer] = struct.unpack("<I", content[-8:-4])
    content[4 : len(content) - footer - 8] = bytes(len(content) - footer - 12)
    return bytes(content)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.exe", b"MZ"),
        ("t.parquet", b"PAR1 no PAR1"),
        ("t.xlsx", b"PK no"),
        ("t.json", b'{"a": '),
        ("t.csv", b""),
        ("t.csv", b"name,n\ncaf\xe9 \xff\xfe,1\n"),
    ],
    ids=["kind", "parquet", "xlsx", "json", "empty", "charset"],
)
def test_what_is_no_table_is_refused_with_a_reason(
    admin: Client, source: DataSource, name: str, content: bytes
) -> None:
    answer = upload(admin, name, content)

    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert list_tables(source) == []


def test_parquet_that_lies_is_an_error_and_no_crash(
    admin: Client, source: DataSource, tmp_path: Path
) -> None:
    content = make_lying_parquet(tmp_path)

    answer = upload(admin, "lying.parquet", content)

    assert answer.status_code == 422
    assert list_tables(source) == []


def test_value_that_does_not_fit_the_corrected_type_is_named(
    admin: Client, source: DataSource
) -> None:
    review = upload(admin, "t.csv", "a\nx\ny\n")

    answer = admin.post(review["Location"], {"intent": "keep", "type-0": "BIGINT"})

    assert answer.status_code == 422
    assert "x" in answer.content.decode()
    assert "Could not convert" in answer.content.decode() or "Conversion" in answer.content.decode()


def test_larger_file_than_the_limit_is_refused(
    admin: Client, source: DataSource, settings: Any
) -> None:
    settings.FILES_UPLOAD_LIMIT_MB = 0

    answer = upload(admin, "t.csv", "a\n1\n")

    assert answer.status_code == 422
    assert "FILES_UPLOAD_LIMIT_MB" in answer.content.decode()


def test_tools_whose_columns_go_are_named_before_a_table_is_replaced(
    admin: Client, source: DataSource
) -> None:
    keep(admin, "sales.csv", SALES)
    table = CatalogTable.objects.create(source=source, name="sales")
    column = CatalogColumn.objects.create(table=table, name="zip", type_name="varchar", position=1)
    tool = make_tool("SELECT zip FROM sales", name="sales_by_zip", data_source=source)
    ToolUse.objects.create(tool=tool, table=table, column=column)

    review = upload(admin, "sales.csv", "id,day\n1,2026-01-05\n")
    page = admin.get(review["Location"]).content.decode()

    assert "These columns go:" in page
    assert "sales_by_zip" in page


def test_nobody_else_goes_on_with_a_waiting_file(
    admin: Client, source: DataSource, django_user_model: Any
) -> None:
    review = upload(admin, "sales.csv", SALES)
    other = Client()
    other.force_login(django_user_model.objects.create_superuser("other"))

    answer = other.post(review["Location"], {"intent": "keep"})

    assert answer["Location"] == "/sources/files/files/"
    assert list_tables(source) == []


def test_table_is_deleted(admin: Client, source: DataSource) -> None:
    keep(admin, "sales.csv", SALES)

    page = admin.get("/sources/files/files/sales/delete/")
    admin.post("/sources/files/files/sales/delete/")

    assert page.status_code == 200
    assert list_tables(source) == []


@pytest.mark.django_db(transaction=True)
def test_files_go_with_their_source_once_it_is_deleted(
    admin: Client, source: DataSource, tmp_path: Path
) -> None:
    keep(admin, "sales.csv", SALES)
    tool = make_tool("SELECT zip FROM sales", name="sales_by_zip", data_source=source)
    folder = Path(source.files_folder)

    refused = admin.post("/sources/files/delete/")
    was_kept = folder.is_dir()
    tool.delete()
    admin.post("/sources/files/delete/")

    assert (refused.status_code, was_kept) == (409, True)
    assert not DataSource.objects.filter(name="files").exists()
    assert not folder.exists()
    assert tmp_path.is_dir()


def test_source_of_a_folder_takes_no_uploads(admin: Client, db: None, tmp_path: Path) -> None:
    DataSource.objects.create(name="folder", engine="files", path=str(tmp_path))

    assert admin.get("/sources/folder/files/").status_code == 404


def test_table_in_other_letters_is_the_same_table(admin: Client, source: DataSource) -> None:
    for name, value in (("Sales", 2), ("sales", 3)):
        review = upload(admin, "t.csv", f"x\n{value}\n", table=name)
        admin.post(review["Location"], {"intent": "keep"})

    assert [table.name for table in list_tables(source)] == ["Sales"]
    assert rows_of(source, "SELECT x FROM sales") == [[3]]


@pytest.mark.parametrize("name", ["매출", "が_1", "café"])
def test_name_that_a_mac_takes_apart_is_the_one_that_people_write(
    admin: Client, source: DataSource, name: str
) -> None:
    keep(admin, f"{normalize('NFD', name)}.csv", "x\n1\n")

    assert rows_of(source, f'SELECT x FROM "{name}"') == [[1]]  # noqa: S608


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("점포,n\n강남점,1\n", "cp949"),
        ("店舗,n\n渋谷ストア,1\n", "cp932"),
        ("店舗,n\n渋谷ストア,1\n", "utf-16"),
    ],
)
def test_table_is_read_in_the_encoding_of_its_spreadsheet(
    admin: Client, source: DataSource, text: str, encoding: str
) -> None:
    keep(admin, "t.csv", text.encode(encoding))

    [[name, _], [shop, _]] = [line.split(",") for line in text.splitlines()]
    assert rows_of(source, f'SELECT "{name}", n FROM t') == [[shop, 1]]  # noqa: S608


def test_other_encoding_is_heard_of_late_in_a_long_file(admin: Client, source: DataSource) -> None:
    keep(admin, "t.csv", b"x\n" + b"abcd\n" * 90_000 + "매장\n".encode("cp949"))

    assert rows_of(source, "SELECT x FROM t WHERE x <> 'abcd'") == [["매장"]]


def test_lines_of_json_in_another_encoding_are_read(admin: Client, source: DataSource) -> None:
    keep(admin, "t.ndjson", '{"점포": "강남점"}\n'.encode("cp949"))

    assert rows_of(source, "SELECT * FROM t") == [["강남점"]]


@pytest.mark.parametrize(
    "content",
    [
        b"x,n\n\xff\xff,1\n",
        b"\xff\xfea",
        "café,1\nGrüße,2\n".encode("latin-1"),
        "ab,n\nx,1\n".encode("utf-16-le"),
    ],
    ids=["none", "half", "latin-1", "UTF-16 without its mark"],
)
def test_file_of_no_known_encoding_is_refused_with_what_would_be_right(
    admin: Client, source: DataSource, content: bytes
) -> None:
    answer = upload(admin, "t.csv", content)

    page = answer.content.decode()
    assert "save it again as UTF-8" in page
    assert "Auto-Detected" not in page
