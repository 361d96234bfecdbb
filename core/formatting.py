"""Rows as text for people and agents: labelled records, CSV, a Markdown table."""

import csv
import re
from collections.abc import Sequence
from functools import lru_cache
from io import StringIO
from itertools import starmap

import msgspec

from core.json_text import encode_json
from core.toolspec import JsonValue

NO_ROWS = "(no rows)"

# What a spreadsheet takes for a formula; it reads the full-width forms of East Asian keyboards alike.
FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_LINE_END = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
# Brackets too: a picture in a cell would make the reader's client fetch it.
_MARKDOWN_MARK = re.compile(rf"{_LINE_END.pattern}|[\\|`<\[\]]")

_encode_records = msgspec.json.Encoder().encode


def format_cell(value: JsonValue) -> str:
    """The value as plain text: text as it is, the rest as JSON."""
    if isinstance(value, str):
        return value
    return str(value) if type(value) is int else encode_json(value).decode()


def format_json_records(
    columns: Sequence[str], rows: Sequence[Sequence[JsonValue]], rows_json: bytes = b""
) -> str:
    """A JSON list of one object a row; a column name that comes again gets `_2`, `_3`.

    `rows_json` is the rows as orjson writes them, where they are known and it can.
    """
    # Of what orjson can write, msgspec writes all but floats from 1e16 on alike: 1e16 for 1e+16.
    # `in` would take the text for a number first, and the error of that costs more than the search.
    if rows_json and rows_json.find(b"e+") < 0 and (record := _record_type(tuple(columns))):
        return _encode_records(list(starmap(record, rows))).decode()
    names = distinct_names(columns)
    # Not strict: rows of a query are as long as its columns, and this is the hot path of big answers.
    return encode_json([dict(zip(names, row, strict=False)) for row in rows]).decode()


@lru_cache(maxsize=512)
def _record_type(columns: tuple[str, ...]) -> type[msgspec.Struct] | None:
    """A class of the rows with these columns, three times as fast as dicts; None for odd names."""
    fields = {f"f{index}": name for index, name in enumerate(distinct_names(columns))}
    try:
        return msgspec.defstruct(
            "Record", [(name, object) for name in fields], rename=fields, gc=False
        )
    except ValueError:
        # Of a quotation mark in a name, say.
        return None


def format_records(columns: Sequence[str], rows: Sequence[Sequence[JsonValue]]) -> str:
    """One block of `column: value` lines a row, an empty line between; a single cell is its value alone.

    Further lines of a value are indented, so that none of them can be taken for a column.
    """
    if not rows:
        return NO_ROWS
    if len(rows) == 1 and len(columns) == 1:
        return format_cell(rows[0][0])
    labels = [_LINE_END.sub(" ", column) for column in columns]
    records: list[str] = []
    for row in rows:
        texts = map(format_cell, row)
        # No line end is printable, and asking is ten times cheaper than searching.
        indented = (text if text.isprintable() else _LINE_END.sub("\n  ", text) for text in texts)
        lines = (f"{label}: {text}" for label, text in zip(labels, indented, strict=True))
        records.append("\n".join(lines))
    return "\n\n".join(records)


def format_csv(columns: Sequence[str], rows: Sequence[Sequence[JsonValue]]) -> str:
    """RFC 4180 with a header; null is an empty field, text that a spreadsheet would run gets a leading '."""
    written = StringIO()
    writer = csv.writer(written, lineterminator="\r\n")
    writer.writerow([_csv_cell(column) for column in columns])
    writer.writerows([_csv_cell(cell) for cell in row] for row in rows)
    return written.getvalue()


def format_markdown(columns: Sequence[str], rows: Sequence[Sequence[JsonValue]]) -> str:
    """A table; marks in cells are escaped, their line ends become `<br>`."""
    if not columns:
        return NO_ROWS
    lines = [_markdown_line(columns), "|" + " --- |" * len(columns)]
    lines += [_markdown_line(row) for row in rows]
    return "\n".join(lines)


def distinct_names(columns: Sequence[str]) -> list[str]:
    """The names; one that comes again gets `_2`, `_3`, since a record holds each key once."""
    names: dict[str, None] = {}
    for column in columns:
        name, count = column, 1
        while name in names:
            count += 1
            name = f"{column}_{count}"
        names[name] = None
    return list(names)


def _csv_cell(value: JsonValue) -> JsonValue:
    if not isinstance(value, str):
        # The writer's own form of a float or a bool is Python's.
        return value if value is None or type(value) is int else format_cell(value)
    if value[:1] in FORMULA_STARTS and not _NUMBER.fullmatch(value):
        return f"'{value}"
    return value


def _markdown_line(cells: Sequence[JsonValue]) -> str:
    texts = [_MARKDOWN_MARK.sub(_escape_mark, format_cell(cell)) for cell in cells]
    return f"| {' | '.join(texts)} |"


def _escape_mark(found: re.Match[str]) -> str:
    mark = found.group()
    return f"\\{mark}" if mark in "\\|`<[]" else "<br>"
