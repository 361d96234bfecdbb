"""Rows as a spreadsheet of Office Open XML (ECMA-376), written piece by piece; no formula is ever in it."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from io import RawIOBase
from itertools import count
from xml.sax.saxutils import escape, quoteattr
from zipfile import ZIP_DEFLATED, ZipFile

from core.column_kinds import ColumnKind, kind_of
from core.formatting import FORMULA_STARTS, distinct_names, format_cell
from core.toolspec import JsonValue

# What the format's readers take at most.
MAX_ROWS = 1_048_575
MAX_CELL_CHARACTERS = 32_767
_KEPT_DIGITS = 15
_EPOCH = datetime(1899, 12, 30)  # noqa: DTZ001 - a spreadsheet's times know no zone
# Spreadsheets count a 29 February 1900; dates before its end would be a day off.
_FIRST_DATE = date(1900, 3, 1)
_ROWS_TOGETHER = 200
# XML 1.0 can hold none of these, however written.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_DECIMALS = re.compile(r"numeric\(\d+,(\d+)\)")
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
# Cell formats, by their place in styles.xml; decimals begin behind them.
_BOLD, _DATE, _MOMENT, _QUOTED, _FIRST_DECIMALS = 1, 2, 3, 4, 5


def write_spreadsheet(
    columns: Sequence[str], rows: Sequence[Sequence[JsonValue]], types: Sequence[str] = ()
) -> Iterator[bytes]:
    """The bytes of an .xlsx file with a head and these rows; `types` are the columns', as the database says.

    Numbers, dates, times and booleans are typed; a number of more digits than a spreadsheet keeps is a
    text. A time with a zone keeps its zone, as a text. Rows after `MAX_ROWS` are left out.
    """
    named = types if len(types) == len(columns) else [""] * len(columns)
    kinds = [kind_of((row[at] for row in rows), type_name) for at, type_name in enumerate(named)]
    scales = [int(found[1]) if (found := _DECIMALS.fullmatch(name)) else 0 for name in named]
    used = sorted({scale for scale in scales if scale})
    formats = [_FIRST_DECIMALS + used.index(scale) if scale else 0 for scale in scales]
    sink = _Sink()
    with ZipFile(sink, "w", ZIP_DEFLATED) as package:
        for name, text in _parts(used):
            package.writestr(name, _HEAD + text)
        with package.open("xl/worksheets/sheet1.xml", "w") as sheet:
            top = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
            view = f'<sheetViews><sheetView workbookViewId="0">{top}</sheetView></sheetViews>'
            sheet.write(f'{_HEAD}<worksheet xmlns="{_MAIN}">{view}<sheetData>'.encode())
            head = (_text_cell(name, _BOLD) for name in distinct_names(columns))
            sheet.write(f"<row>{''.join(head)}</row>".encode())
            for number, row in zip(count(1), rows[:MAX_ROWS], strict=False):
                cells = map(_cell, row, kinds, formats)
                sheet.write(f"<row>{''.join(cells)}</row>".encode())
                if number % _ROWS_TOGETHER == 0:
                    yield sink.take()
            sheet.write(b"</sheetData></worksheet>")
    yield sink.take()


class _Sink(RawIOBase):
    """What a ZIP file is written to: nobody can seek in it, so each part can be sent at once."""

    def __init__(self) -> None:
        self._written: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._written.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        """What was written since the last call."""
        taken, self._written = b"".join(self._written), []
        return taken


def _cell(value: JsonValue, kind: ColumnKind, number_format: int) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{value:d}</v></c>'
    if kind is ColumnKind.NUMBER:
        digits = format_cell(value)
        if isinstance(value, float) or sum(map(str.isdigit, digits)) <= _KEPT_DIGITS:
            return f'<c s="{number_format}"><v>{digits}</v></c>'
    if kind in (ColumnKind.DATE, ColumnKind.MOMENT) and (serial := _serial_of(str(value))):
        style = _DATE if kind is ColumnKind.DATE else _MOMENT
        return f'<c s="{style}"><v>{serial}</v></c>'
    text = format_cell(value)
    # An inline text is never a formula; the mark keeps it one when somebody edits the cell.
    return _text_cell(text, _QUOTED if text[:1] in FORMULA_STARTS else 0)


def _text_cell(text: str, style: int) -> str:
    shown = escape(_NOT_XML.sub("\ufffd", text[:MAX_CELL_CHARACTERS]))
    return f'<c s="{style}" t="inlineStr"><is><t xml:space="preserve">{shown}</t></is></c>'


def _serial_of(text: str) -> str:
    """The days since the epoch of spreadsheets, '' for what they cannot hold: a zone, or a date before 1900."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return ""
    if at.tzinfo or at.date() < _FIRST_DATE:
        return ""
    days = (at - _EPOCH).total_seconds() / 86_400
    return f"{days:.0f}" if len(text) == len("2026-01-31") else repr(days)


def _parts(scales: Sequence[int]) -> Iterator[tuple[str, str]]:
    """Every part of the package beside the sheet."""
    sheet, styles = "xl/worksheets/sheet1.xml", "xl/styles.xml"
    kinds = {
        "xl/workbook.xml": f"{_TYPE}.sheet.main+xml",
        sheet: f"{_TYPE}.worksheet+xml",
        styles: f"{_TYPE}.styles+xml",
    }
    overrides = "".join(
        f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in kinds.items()
    )
    rels = f"{_PACKAGE}/relationships"
    default = '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    types = f'<Types xmlns="{_PACKAGE}/content-types">{default}{overrides}</Types>'
    yield "[Content_Types].xml", types
    whole = f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/>'
    yield "_rels/.rels", f'<Relationships xmlns="{rels}">{whole}</Relationships>'
    targets = (("rId1", "worksheet", sheet), ("rId2", "styles", styles))
    inner = "".join(
        f'<Relationship Id="{key}" Type="{_OFFICE}/{kind}" Target="{target.removeprefix("xl/")}"/>'
        for key, kind, target in targets
    )
    yield "xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{rels}">{inner}</Relationships>'
    listed = '<sheets><sheet name="result" sheetId="1" r:id="rId1"/></sheets>'
    yield "xl/workbook.xml", f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">{listed}</workbook>'
    yield styles, _styles(scales)


def _styles(scales: Sequence[int]) -> str:
    """The cell formats in their order, one for each number of decimals behind the named ones."""
    codes = ["yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss", *(f"0.{'0' * scale}" for scale in scales)]
    formats = "".join(
        f'<numFmt numFmtId="{number}" formatCode={quoteattr(code)}/>'
        for number, code in enumerate(codes, start=164)
    )
    cells = [
        '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>',
        '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>',
        *(
            f'<xf numFmtId="{number}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
            for number in range(164, 164 + len(codes))
        ),
    ]
    quoted = '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/>'
    cells.insert(_QUOTED, quoted)
    font = '<sz val="11"/><name val="Calibri"/>'
    return (
        f'<styleSheet xmlns="{_MAIN}"><numFmts count="{len(codes)}">{formats}</numFmts>'
        f'<fonts count="2"><font>{font}</font><font><b/>{font}</font></fonts>'
        '<fills count="2"><fill><patternFill patternType="none"/></fill>'
        '<fill><patternFill patternType="gray125"/></fill></fills>'
        '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
        '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
        f'<cellXfs count="{len(cells)}">{"".join(cells)}</cellXfs></styleSheet>'
    )
