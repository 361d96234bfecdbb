"""Rows as a spreadsheet."""

from collections.abc import Sequence
from io import BytesIO
from xml.etree import ElementTree as ET
from zipfile import ZipFile

import pytest

from core.spreadsheet import write_spreadsheet
from core.toolspec import JsonValue

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def open_sheet(
    columns: Sequence[str], rows: Sequence[Sequence[JsonValue]], types: Sequence[str] = ()
) -> tuple[list[list[ET.Element]], list[ET.Element]]:
    """The cells by row, head first, and the cell formats."""
    package = ZipFile(BytesIO(b"".join(write_spreadsheet(columns, rows, types))))
    assert package.testzip() is None
    for name in package.namelist():
        ET.fromstring(package.read(name))  # noqa: S314 - we wrote it
    sheet = ET.fromstring(package.read("xl/worksheets/sheet1.xml"))  # noqa: S314
    styles = ET.fromstring(package.read("xl/styles.xml"))  # noqa: S314
    lines = [list(row) for row in sheet.iter(f"{MAIN}row")]
    formats = styles.find(f"{MAIN}cellXfs")
    assert formats is not None
    return lines, list(formats)


def text_of(cell: ET.Element) -> str:
    return "".join(cell.itertext())


def test_numbers_dates_and_booleans_are_typed() -> None:
    lines, _formats = open_sheet(
        ["n", "day", "at", "flag", "gone"],
        [[1.5, "2026-01-31", "2026-01-31T12:00:00", True, None]],
    )

    cells = lines[1]
    assert [text_of(cell) for cell in lines[0]] == ["n", "day", "at", "flag", "gone"]
    assert [cell.get("t") for cell in cells] == [None, None, None, "b", None]
    assert [text_of(cell) for cell in cells] == ["1.5", "46053", "46053.5", "1", ""]


def test_numeric_has_a_format_with_its_decimals() -> None:
    lines, formats = open_sheet(["price"], [[1500.0]], ["numeric(10,2)"])

    [cell] = lines[1]
    assert formats[int(cell.attrib["s"])].get("numFmtId") == "166"
    assert text_of(cell) == "1500.0"


@pytest.mark.parametrize(
    ("value", "type_name"),
    [
        pytest.param("12345678901234567.89", "numeric(19,2)", id="digits of a numeric"),
        pytest.param(2**60, "bigint", id="large whole number"),
        pytest.param("2026-01-31T12:00:00+09:00", "", id="time with a zone"),
        pytest.param("1800-01-01", "date", id="before spreadsheets' time"),
        pytest.param({"a": 1}, "jsonb", id="JSON"),
    ],
)
def test_what_a_spreadsheet_would_change_is_a_text(value: JsonValue, type_name: str) -> None:
    lines, _formats = open_sheet(["v"], [[value]], [type_name])

    assert lines[1][0].get("t") == "inlineStr"


@pytest.mark.parametrize("text", ["=1+1", "+1", "@SUM(A1)", "-2+3", "＝1", "<b>&\0"])
def test_text_is_never_a_formula_and_always_valid(text: str) -> None:
    lines, formats = open_sheet([text], [[text], ["plain"]])

    cell = lines[1][0]
    assert cell.get("t") == "inlineStr"
    assert text_of(cell) == text.replace("\0", "\ufffd")
    is_marked = formats[int(cell.attrib["s"])].get("quotePrefix") == "1"
    assert is_marked is (text[0] != "<")


def test_file_comes_in_pieces() -> None:
    pieces = list(write_spreadsheet(["n"], [[number] for number in range(1_000)]))

    assert len(pieces) == 6
    assert len(ZipFile(BytesIO(b"".join(pieces))).namelist()) == 6
