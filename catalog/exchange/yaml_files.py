"""Descriptions as YAML: written to be read and edited by people, read without anything unsafe."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from django.conf import settings
from django.utils.translation import gettext as _

from catalog.exchange.cells import HEADER, TEXTS, Fault, FileContent, FileRow, refuse_rows

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
# Deeper than anything that is ours; a file may not exhaust the stack.
_MAX_DEPTH = 8
# Beginnings, ends, names and values; a column with all its texts has less.
_EVENTS_A_ROW = 10
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_PLAIN = re.compile(r"[^\W\d][\w .,/()・。、ー-]*", re.UNICODE)
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})
# JSON leaves these as they are, and YAML takes some for line ends and refuses the others.
_ESCAPED = re.compile("[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff\ud800-\udfff]")
_BLOCK = re.compile(r"(?!\s)[^\x00-\x09\x0b-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]+(?<!\s)")

# A scalar is a text, or None where nothing is written.
Scalar = str | None


@dataclass(frozen=True, slots=True)
class _Node:
    line: int
    value: "Scalar | list[_Node] | dict[str, _Node]"


class _RefusedError(Exception):
    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.fault = Fault(line, text)


def add_yaml_rows(text: str, content: FileContent) -> None:
    """Add the tables of the file to the content in their order, and what is wrong with others.

    Aliases and tags are refused; every scalar is the text that is written there.
    """
    try:
        root = _compose(text)
        if not isinstance(root.value, list):
            why = _("has to be a list of tables, each beginning with - table:")
            content.faults.append(Fault(root.line, why))
            return
    except _RefusedError as refusal:
        content.faults.append(refusal.fault)
        return
    for node in root.value:
        try:
            _add_table(node, content)
        except _RefusedError as refusal:
            content.faults.append(refusal.fault)


def write_scalar(text: str, indent: int) -> str:
    """The text as a YAML value behind a key; `indent` spaces before the lines of a block."""
    if not text:
        return ""
    if _PLAIN.fullmatch(text) and text[-1] != " " and text.casefold() not in _WORDS:
        return f" {text}"
    if "\n" in text and _BLOCK.fullmatch(text):
        margin = " " * indent
        lines = (f"{margin}{line}" if line else "" for line in text.split("\n"))
        return " |-\n" + "\n".join(lines)
    quoted = json.dumps(text, ensure_ascii=False)
    return " " + _ESCAPED.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)


def _add_table(node: _Node, content: FileContent) -> None:
    """Add the row of a table and those of its columns, or none of them."""
    values = _mapping(node)
    listed = values.pop("columns", _Node(node.line, None)).value
    listed = [] if listed is None else listed
    texts = {name: _to_text(name, value) for name, value in values.items()}
    table = texts.pop("table", None)
    if not table:
        raise _RefusedError(node.line, _("the table is missing"))
    if not isinstance(listed, list):
        raise _RefusedError(node.line, _("columns has to be a list, each beginning with - name:"))
    source, schema = (texts.pop(name, None) or None for name in ("datasource", "schema"))
    parts = [(node.line, "", texts)]
    for part in listed:
        texts = {name: _to_text(name, value) for name, value in _mapping(part).items()}
        column = texts.pop("name", None)
        if not column:
            raise _RefusedError(part.line, _("the name of a column is missing"))
        parts.append((part.line, column, texts))
    for line, column, texts in parts:
        content.rows.append(
            FileRow(
                line=line,
                table=table,
                column=column,
                source=source,
                schema=schema,
                texts={n: text for n, text in texts.items() if n in TEXTS and text is not None},
                blank=tuple(n for n, text in texts.items() if n in TEXTS and text is None),
            )
        )
        unknown = [name for name in texts if name not in (*HEADER, *content.ignored)]
        content.ignored += unknown


def _to_text(name: str, node: _Node) -> Scalar:
    if not isinstance(node.value, list):
        if isinstance(node.value, dict):
            raise _RefusedError(node.line, _("%(name)s has to be a text") % {"name": name})
        return node.value
    items = [item.value for item in node.value]
    if name != "tags" or not all(item is None or isinstance(item, str) for item in items):
        raise _RefusedError(node.line, _("%(name)s has to be a text") % {"name": name})
    return ";".join(str(item) for item in items if item)


def _mapping(node: _Node) -> dict[str, _Node]:
    if not isinstance(node.value, dict):
        raise _RefusedError(node.line, _("has to be names with values, such as - table: sales"))
    return dict(node.value)


def _compose(text: str) -> _Node:
    try:
        events = _bounded(yaml.parse(text, Loader=_LOADER))
        for event in events:
            if isinstance(event, (yaml.StreamStartEvent, yaml.DocumentStartEvent)):
                continue
            if isinstance(event, yaml.StreamEndEvent):
                break
            return _read_node(event, events, 0)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        why = {"why": error.problem or ""}
        raise _RefusedError(line, _("the file is not YAML: %(why)s") % why) from error
    except (yaml.YAMLError, ValueError) as error:
        raise _RefusedError(1, _("the file is not YAML that can be read")) from error
    return _Node(1, None)


def _bounded(events: Iterator[Any]) -> Iterator[Any]:
    """The events, up to as many as the allowed number of rows can have."""
    limit = settings.CATALOG_IMPORT_MAX_ROWS
    for count, event in enumerate(events):
        if count > limit * _EVENTS_A_ROW:
            raise refuse_rows(limit)
        yield event


def _read_node(event: Any, events: Iterator[Any], depth: int) -> _Node:
    line = event.start_mark.line + 1
    if isinstance(event, yaml.AliasEvent) or depth > _MAX_DEPTH:
        raise _RefusedError(line, _("aliases and deep nesting are not read; write the text itself"))
    if event.tag not in {None, "!"}:
        raise _RefusedError(line, _("tags of YAML are not read; write the text itself"))
    if isinstance(event, yaml.ScalarEvent):
        is_null = event.implicit[0] and event.value in _NULLS
        return _Node(line, None if is_null else event.value)
    if isinstance(event, yaml.SequenceStartEvent):
        return _Node(line, list(_read_items(events, depth, yaml.SequenceEndEvent)))
    return _Node(line, _read_mapping(events, depth))


def _read_items(events: Iterator[Any], depth: int, end: type) -> Iterator[_Node]:
    for event in events:
        if isinstance(event, end):
            return
        yield _read_node(event, events, depth + 1)


def _read_mapping(events: Iterator[Any], depth: int) -> dict[str, _Node]:
    found: dict[str, _Node] = {}
    nodes = _read_items(events, depth, yaml.MappingEndEvent)
    for key in nodes:
        name = key.value
        if not isinstance(name, str):
            raise _RefusedError(key.line, _("a name is missing before the colon"))
        if name in found:
            raise _RefusedError(key.line, _("%(name)s is there twice") % {"name": name})
        found[name] = next(nodes)
    return found
