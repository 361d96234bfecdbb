"""Descriptions as YAML: written to be read and edited by people, read without anything unsafe."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import yaml
from django.conf import settings
from django.utils.translation import gettext as _

from catalog.exchange.cells import refuse_rows

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
class Fault:
    """What is wrong in a line of the file, counted from 1."""

    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlPart:
    """A column, or what is common to tables and columns: None leaves a text, '' clears it."""

    line: int
    name: str
    texts: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True, kw_only=True)
class YamlTable(YamlPart):
    """A table with the columns that the file speaks of."""

    source: str | None = None
    schema: str | None = None
    columns: tuple[YamlPart, ...] = ()


@dataclass(frozen=True, slots=True)
class _Node:
    line: int
    value: "Scalar | list[_Node] | dict[str, _Node]"


class _RefusedError(Exception):
    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.fault = Fault(line, text)


def read_yaml_tables(text: str) -> Iterator[YamlTable | Fault]:
    """The tables of the file in their order, and what is wrong with others.

    Aliases and tags are refused; every scalar is the text that is written there.
    """
    try:
        root = _compose(text)
    except _RefusedError as refusal:
        yield refusal.fault
        return
    if not isinstance(root.value, list):
        yield Fault(root.line, _("has to be a list of tables, each beginning with - table:"))
        return
    for node in root.value:
        try:
            yield _to_table(node)
        except _RefusedError as refusal:
            yield refusal.fault


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


def _to_table(node: _Node) -> YamlTable:
    values = _mapping(node)
    listed = values.pop("columns", _Node(node.line, None)).value
    listed = [] if listed is None else listed
    texts = {name: _to_text(name, value) for name, value in values.items()}
    name = texts.pop("table", None)
    if not name:
        raise _RefusedError(node.line, _("the table is missing"))
    if not isinstance(listed, list):
        raise _RefusedError(node.line, _("columns has to be a list, each beginning with - name:"))
    columns = []
    for part in listed:
        column_texts = {name: _to_text(name, value) for name, value in _mapping(part).items()}
        column_name = column_texts.pop("name", None)
        if not column_name:
            raise _RefusedError(part.line, _("the name of a column is missing"))
        columns.append(YamlPart(line=part.line, name=column_name, texts=column_texts))
    return YamlTable(
        line=node.line,
        name=name,
        source=texts.pop("datasource", None) or None,
        schema=texts.pop("schema", None) or None,
        texts=texts,
        columns=tuple(columns),
    )


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
