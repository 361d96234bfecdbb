"""Files of people's spreadsheets are read as they are saved, and every fault is told with its line."""

from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.exchange.cells import FileContent, FileRow, decode_bytes, guard_cell, read_cell
from catalog.exchange.rows import read_file
from core.errors import ImportFileError

KOREAN = "table,description\r\nsales,매출 트랜잭션\r\n"
JAPANESE = "table,description\r\nsales,売上トランザクション\r\n"


def read(data: bytes, file_name: str) -> FileContent:
    return read_file(BytesIO(data), file_name)


@pytest.mark.parametrize("text", [KOREAN, JAPANESE], ids=["ko", "ja"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "own"])
def test_encoding_is_found_out(text: str, encoding: str) -> None:
    own = "cp949" if text is KOREAN else "cp932"

    assert decode_bytes(text.encode(own if encoding == "own" else encoding)) == text


@given(st.text())
def test_guarded_cell_is_read_back(text: str) -> None:
    assert read_cell(guard_cell(text)) == text
    assert not guard_cell(text).startswith(("=", "+", "-", "@", "\t", "\r"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("table;column;description\nsales;id;key\n", id="semicolons"),
        pytest.param("table\tcolumn\tdescription\nsales\tid\tkey\n", id="tabs"),
        pytest.param("Description,Column_Name,TABLE NAME\nkey,id,sales\n", id="other-order"),
        pytest.param('table,column,description\r\n"sales",id,"key",,\r\n,,\r\n', id="empty-cells"),
    ],
)
def test_habits_of_spreadsheets_are_understood(text: str) -> None:
    content = read(text.encode(), "a.csv")

    assert (content.faults, content.ignored) == ([], [])
    assert content.rows == [
        FileRow(line=2, table="sales", column="id", texts={"description": "key"})
    ]


def test_missing_empty_and_cleared_cells_are_told_apart() -> None:
    data = b"table,display_name,description,mine\nsales,,-,1\n"

    content = read(data, "a.csv")

    assert content.rows[0].texts == {"description": ""}
    assert content.rows[0].blank == ("display_name",)
    assert content.ignored == ["mine"]


def test_lines_are_counted_over_line_ends_in_cells() -> None:
    content = read(b'table,notes\na,"1\n2\n3"\nb,4\n', "a.csv")

    assert [(row.line, row.table) for row in content.rows] == [(2, "a"), (5, "b")]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"name,text\na,b\n", "name the columns, one of which is table", id="no-table"),
        pytest.param(b"table,table\n", "names table twice", id="twice"),
        pytest.param(b"", "name the columns", id="empty"),
        pytest.param(b"table\n\x81\xff\xff", "save it as CSV UTF-8", id="no-text"),
    ],
)
def test_file_that_cannot_be_read_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ImportFileError, match=reason):
        read(data, "a.csv")


def test_no_more_is_read_than_the_limit_of_bytes(settings: Any) -> None:
    settings.CATALOG_IMPORT_MAX_MB = 1
    file = BytesIO(b"table,column\n" + b",x\n" * 6_000_000)

    with pytest.raises(ImportFileError, match="more than 1 MB; split it"):
        read_file(file, "a.csv")

    assert file.tell() == 1_000_001


# What comes after the limit could not be read at all, so nobody has tried.
@pytest.mark.parametrize(
    ("data", "name"),
    [
        pytest.param(b"table\n" + b"a\n" * 11 + b'"a"b\n', "a.csv", id="rows"),
        pytest.param(b"table,column\n" + b",x\n" * 11 + b'"a"b\n', "a.csv", id="faulty rows"),
        pytest.param(b"- table: a\n" * 11, "a.yaml", id="tables"),
        pytest.param(b"- a\n" * 101 + b"}", "a.yaml", id="parts of YAML"),
    ],
)
def test_rows_are_counted_while_they_are_read(settings: Any, data: bytes, name: str) -> None:
    settings.CATALOG_IMPORT_MAX_ROWS = 10

    with pytest.raises(ImportFileError, match="more than 10 rows; split it"):
        read(data, name)


def test_as_many_rows_as_the_limit_are_read(settings: Any) -> None:
    settings.CATALOG_IMPORT_MAX_ROWS = 10

    assert len(read(b"table\n" + b"a\n" * 10, "a.csv").rows) == 10


@pytest.mark.parametrize(
    ("data", "fault"),
    [
        pytest.param(b"table\n,x\n", (2, "there are 2 cells"), id="too-many-cells"),
        pytest.param(b"table,notes\na,b\n,c\n", (3, "the table is missing"), id="no-table"),
        pytest.param(b'table,notes\na,"b"c\n', (2, "not CSV from here on"), id="quotes"),
    ],
)
def test_fault_of_a_row_has_its_line(data: bytes, fault: tuple[int, str]) -> None:
    (found,) = read(data, "a.csv").faults

    assert found.line == fault[0]
    assert fault[1] in found.text


YAML = """
- table: sales
  display_name:
  description: ""
  tags: [売上, 日次]
  notes: |-
    one
    two
  columns:
    - name: "id"
      description: no
"""


def test_yaml_is_read_as_it_is_written() -> None:
    table, column = read(YAML.encode(), "a.yml").rows

    assert table.texts == {"description": "", "tags": "売上;日次", "notes": "one\ntwo"}
    assert (table.line, table.blank) == (2, ("display_name",))
    assert (column.line, column.column, column.texts) == (10, "id", {"description": "no"})


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        pytest.param("- &a table: x\n- *a\n", 2, "aliases and deep nesting", id="alias"),
        pytest.param("- !!python/object:os.system {}\n", 1, "tags of YAML", id="tag"),
        pytest.param("[" * 5_000, 1, "aliases and deep nesting", id="deep"),
        pytest.param("table: x\n", 1, "has to be a list of tables", id="no-list"),
        pytest.param("- table: a\n\tb\n", 2, "the file is not YAML", id="tab"),
        pytest.param("- table: a\n  table: b\n", 2, "table is there twice", id="twice"),
        pytest.param("- notes: b\n", 1, "the table is missing", id="no-table"),
        pytest.param("- table: a\n  notes: [b]\n", 2, "notes has to be a text", id="list"),
    ],
)
def test_bad_yaml_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    (fault,) = read(text.encode(), "a.yaml").faults

    assert fault.line == line
    assert reason in fault.text
