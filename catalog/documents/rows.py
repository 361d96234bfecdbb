"""Reference documents: what a row of a file may say, and the texts that come of it."""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Literal

from catalog.models import DocumentKind

TextFormat = Literal["text", "json"]
Metadata = dict[str, str | int | float | bool]

MAX_NAME_CHARACTERS = 255
MAX_TEXT_CHARACTERS = 20_000
# What every vector says of its document, beside the document's own metadata.
RESERVED_METADATA = ("kind", "table", "column", "source", "content_hash")
_GENERAL_KEYS = ("key", "kind", "metadata")
# In the order of the line form.
_CONTENT: dict[DocumentKind, tuple[str, ...]] = {
    DocumentKind.TABLE: ("table", "display_name", "description", "tags", "notes"),
    DocumentKind.COLUMN: ("table", "column_name", "data_type", "description", "example"),
    DocumentKind.QUERY: ("question", "sql"),
    DocumentKind.TEXT: ("text",),
}
# Searched, and not shown; the title is embedded too.
_UNSHOWN: dict[DocumentKind, tuple[str, ...]] = {
    DocumentKind.COLUMN: ("table_title", "values", "refers_to")
}
_OPTIONAL = frozenset({"data_type", "example", "display_name", "tags", "notes"})
_DESCRIPTIONS = {
    DocumentKind.TABLE: "a table has table and description, and may have display_name, tags and notes",
    DocumentKind.COLUMN: (
        "a column has table, column_name and description, and may have data_type, example,"
        " table_title, values and refers_to"
    ),
    DocumentKind.QUERY: "an example query has question and sql",
    DocumentKind.TEXT: "a free text has text",
}
# What people also write.
_SYNONYMS = {"table_name": "table", "column": "column_name", "type": "data_type"}
_NAMES = frozenset({"key", "table", "column_name"})
# PostgreSQL stores no U+0000, and half a surrogate has no UTF-8.
_METADATA_NAME = re.compile(r"\w[\w .-]{0,99}")
_BROKEN = re.compile(r"[\0\ud800-\udfff]")
# Their lines stay lines: a comment in SQL ends with its line.
_LINES_KEPT = frozenset({"sql", "text"})
# How the line form names what files name otherwise.
_LABELS = {"column_name": "column", "data_type": "type"}
_INT_LIMIT = 2**63


class RowError(Exception):
    """What is wrong with one row, a sentence each."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("; ".join(faults))
        self.faults = faults


@dataclass(frozen=True)
class Document:
    """One reference document; `content` holds its texts by the names that files use, in their order.

    `place` is the file and line that it comes from.
    """

    key: str
    kind: DocumentKind
    content: Mapping[str, str]
    metadata: Metadata = field(default_factory=dict)
    place: str = ""

    def render(self, text_format: TextFormat) -> str:
        """What is embedded and served; see `render_content`."""
        return render_content(self.kind, self.content, text_format)


def render_content(
    kind: DocumentKind | str, content: Mapping[str, str], text_format: TextFormat
) -> str:
    """The text of a document: `table: users, column: email, ...`, or the content as JSON.

    A free text is only itself in the first form.
    """
    # PostgreSQL gives the keys of JSON in an order of its own.
    ordered = {name: content[name] for name in _CONTENT[DocumentKind(kind)] if name in content}
    if text_format == "json":
        return json.dumps(ordered, ensure_ascii=False)
    if kind == DocumentKind.TEXT:
        return ordered.get("text", "")
    return ", ".join(f"{_LABELS.get(name, name)}: {value}" for name, value in ordered.items())


def read_row(row: Mapping[str, Any], place: str = "") -> Document:
    """The document that a row describes.

    Its kind follows from its keys: `question` and `sql`, or `text`, else a column. Raises RowError
    with every fault of the row.
    """
    faults: list[str] = []
    # The values under our names, without those that say nothing.
    values: dict[str, Any] = {}
    for given, value in row.items():
        name = _SYNONYMS.get(given, given)
        if name in values:
            faults.append(f"{name} is given twice, once as {given}")
        if value is not None and not (isinstance(value, str) and not value.strip()):
            values[name] = value
    kind = _find_kind(values, faults)
    content = _read_content(kind, values, faults)
    metadata = _read_metadata(values.get("metadata"), faults)
    key = _read_text("key", values.get("key"), faults) or _make_key(kind, content)
    if faults:
        raise RowError(faults)
    return Document(key, kind, content, metadata, place)


def _find_kind(values: Mapping[str, Any], faults: list[str]) -> DocumentKind:
    if "kind" in values:
        try:
            return DocumentKind(values["kind"])
        except ValueError:
            known = ", ".join(DocumentKind.values)
            faults.append(f"kind must be one of {known} (got {_show(values['kind'])})")
    if "question" in values or "sql" in values:
        return DocumentKind.QUERY
    return DocumentKind.TEXT if "text" in values else DocumentKind.COLUMN


def _read_content(
    kind: DocumentKind, values: Mapping[str, Any], faults: list[str]
) -> dict[str, str]:
    names = _CONTENT[kind]
    if missing := [name for name in names if name not in {*values, *_OPTIONAL}]:
        faults.append(f"{' and '.join(missing)} missing; {_DESCRIPTIONS[kind]}")
    names += _UNSHOWN.get(kind, ())
    if unknown := [name for name in values if name not in {*names, *_GENERAL_KEYS}]:
        advice = f"{_DESCRIPTIONS[kind]}; anything else goes into metadata"
        if near := get_close_matches(str(unknown[0]), names, n=1, cutoff=0.75):
            advice = f"did you mean {near[0]}?"
        faults.append(f"{', '.join(map(_show, unknown))} is unknown; {advice}")
    read = {name: _read_text(name, values[name], faults) for name in names if name in values}
    return {name: text for name, text in read.items() if text}


def _read_text(name: str, value: object, faults: list[str]) -> str:
    """The value as clean text, '' where it is faulty."""
    match value:
        case None:
            return ""
        case str():
            text = value
        case bool() | int() | float():
            text = json.dumps(value)
        case _ if name == "example":
            text = json.dumps(value, ensure_ascii=False)
        case _:
            faults.append(f"{name} must be a text (got {_show(value)})")
            return ""
    limit = MAX_NAME_CHARACTERS if name in _NAMES else MAX_TEXT_CHARACTERS
    if _BROKEN.search(text):
        faults.append(f"{name} holds a character that is not text (U+0000 or half a surrogate)")
        return ""
    composed = unicodedata.normalize("NFC", text)
    clean = composed.strip() if name in _LINES_KEPT else " ".join(composed.split())
    if len(clean) > limit:
        faults.append(f"{name} has {len(clean):,} characters; at most {limit:,} are kept")
        return ""
    return clean


def _read_metadata(value: object, faults: list[str]) -> Metadata:
    if value is None:
        return {}
    if not isinstance(value, dict):
        faults.append(f"metadata must be an object of names and values (got {_show(value)})")
        return {}
    for name, item in value.items():
        if name in RESERVED_METADATA or not _METADATA_NAME.fullmatch(name):
            faults.append(f"metadata cannot hold the name {_show(name)}; use another one")
        elif not _is_metadata_value(item):
            faults.append(
                f"metadata.{name} must be a text, a number, true or false (got {_show(item)})"
            )
    return value


def usable_metadata(value: object) -> Metadata:
    """The part of a stored row's metadata that a vector can carry; other programs write rows too."""
    items = value.items() if isinstance(value, dict) else ()
    return {
        name: item
        for name, item in items
        if _METADATA_NAME.fullmatch(name) and _is_metadata_value(item)
    }


def _is_metadata_value(value: object) -> bool:
    match value:
        case str():
            return not _BROKEN.search(value)
        case int():
            return -_INT_LIMIT <= value < _INT_LIMIT
        case float():
            return math.isfinite(value)
    return False


def _make_key(kind: DocumentKind, content: Mapping[str, str]) -> str:
    """What stays the same when a description or a statement is improved."""
    if kind is DocumentKind.COLUMN:
        return f"column:{content.get('table')}.{content.get('column_name')}"
    identity = " ".join(
        content.get("question" if kind is DocumentKind.QUERY else "text", "").split()
    )
    return f"{kind.value}:{hashlib.sha256(identity.encode('utf-8', 'replace')).hexdigest()[:16]}"


def _show(value: object) -> str:
    shown = json.dumps(value, ensure_ascii=True, default=str)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
