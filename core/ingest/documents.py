"""A document of JSON or YAML text as plain values, bounded in size, depth and number of values."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import orjson
import yaml

from core.errors import ImportFileError
from core.ingest.texts import shown
from core.messages import Message, message
from core.toolspec import JsonValue

MAX_JSON_CHARACTERS = 50_000_000
# YAML takes about six times as long to read as JSON.
MAX_YAML_CHARACTERS = 15_000_000
MAX_DEPTH = 100
MAX_VALUES = 5_000_000

_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# The core schema of YAML 1.2, where "no" and "2026-01-31" are texts, not a boolean and a date.
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
# Digits after a leading zero are a code, such as a postal one, and stay a text.
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(
    r"[-+]?(?:\.[0-9]{1,30}|(?:0|[1-9][0-9]{0,29})(?:\.[0-9]{0,30})?)(?:[eE][-+]?[0-9]{1,3})?"
)
_TEXT_TAGS = frozenset({"!", "tag:yaml.org,2002:str"})


def read_document(text: str) -> dict[str, JsonValue]:
    """The object that the text describes, as JSON or YAML; every key is a text.

    Raises ImportFileError, with the line if it is known. Aliases and tags of YAML are refused.
    """
    stripped = text.removeprefix("\ufeff").lstrip()
    document = _read_json(stripped) if stripped[:1] in {"{", "["} else _read_yaml(text)
    if not isinstance(document, dict):
        raise ImportFileError(
            message(
                "document.no_object",
                "the document has to be an object of JSON or YAML, names with values",
            )
        )
    return document


class YamlSection(dict[str, JsonValue]):
    """A mapping of a YAML text: `line` is where it begins, `lines` those of its names, from 1."""

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.lines: dict[str, int] = {}


def read_yaml_documents(text: str) -> list[JsonValue]:
    """The documents of a YAML or JSON text in their order; each mapping in them is a YamlSection.

    Raises ImportFileError, as read_document does.
    """
    _check_length(text, MAX_YAML_CHARACTERS, "YAML")
    with _readable():
        return list(_YamlReader(text).read_all())


def _read_json(text: str) -> JsonValue:
    _check_length(text, MAX_JSON_CHARACTERS, "JSON")
    try:
        document = orjson.loads(text.encode("utf-8", "replace"))
    except orjson.JSONDecodeError as error:
        # YAML in flow style begins with a brace too.
        if text.startswith("{") and not re.match(r'\{\s*(?:"|\})', text[:1000]):
            return _read_yaml(text)
        why = message(
            "document.no_json",
            "the document is not JSON: {reason}, line {line}",
            reason=error.msg,
            line=str(error.lineno),
        )
        raise ImportFileError(why) from error
    level, values, depth = [document], 1, 0
    while level:
        depth += 1
        values += sum(len(node) for node in level)
        if depth > MAX_DEPTH or values > MAX_VALUES:
            raise ImportFileError(
                message(
                    "document.too_large",
                    "the document is too large; it may nest {depth} deep and hold {limit} values",
                    depth=MAX_DEPTH,
                    limit=MAX_VALUES,
                )
            )
        level = [
            child
            for node in level
            for child in (node.values() if isinstance(node, dict) else node)
            if isinstance(child, (dict, list))
        ]
    return document


def _check_length(text: str, limit: int, kind: str) -> None:
    if len(text) > limit:
        raise ImportFileError(
            message(
                "document.too_long",
                "the document has {count} characters; {kind} is read up to {limit}",
                count=len(text),
                kind=kind,
                limit=limit,
            )
        )


def _read_yaml(text: str) -> JsonValue:
    _check_length(text, MAX_YAML_CHARACTERS, "YAML")
    with _readable():
        return _YamlReader(text).read()


@contextmanager
def _readable() -> Iterator[None]:
    """Faults of YAML become ImportFileError."""
    try:
        yield
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        why = message(
            "document.no_yaml",
            "the document is neither JSON nor YAML: {reason}, line {line}",
            reason=error.problem or "",
            line=str(line),
        )
        raise ImportFileError(why) from error
    except (yaml.YAMLError, ValueError) as error:
        raise ImportFileError(
            message("document.unreadable", "the document is neither JSON nor YAML that can be read")
        ) from error


class _YamlReader:
    """Values from YAML's events: the composer of PyYAML would follow aliases, merge keys and tags."""

    def __init__(self, text: str) -> None:
        self._events: Iterator[Any] = yaml.parse(text, Loader=_LOADER)
        self._values = 0

    def read(self) -> JsonValue:
        document: JsonValue = None
        for event in self._events:
            if isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent, yaml.AliasEvent)):
                document = self._read_node(event, 1)
            elif isinstance(event, yaml.DocumentEndEvent):
                return document
        return document

    def read_all(self) -> Iterator[JsonValue]:
        """Each document; one without a value is left out."""
        for event in self._events:
            if isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent, yaml.AliasEvent)):
                yield self._read_node(event, 1)

    def _read_node(self, event: Any, depth: int) -> JsonValue:
        self._check(event, depth)
        if isinstance(event, yaml.ScalarEvent):
            text: str = event.value
            if not event.implicit[0]:
                return text
            if text in _WORDS:
                return _WORDS[text]
            if _INTEGER.fullmatch(text):
                return int(text)
            return float(text) if _NUMBER.fullmatch(text) else text
        if isinstance(event, yaml.SequenceStartEvent):
            return [self._read_node(item, depth + 1) for item in self._until(yaml.SequenceEndEvent)]
        return self._read_mapping(event, depth)

    def _read_mapping(self, start: Any, depth: int) -> YamlSection:
        found = YamlSection(_line_of(start))
        for event in self._until(yaml.MappingEndEvent):
            if not isinstance(event, yaml.ScalarEvent):
                raise _refused(
                    event,
                    message("document.name_no_text", "a name before the colon has to be a text"),
                )
            if event.value in found:
                raise _refused(
                    event,
                    message(
                        "document.name_twice", "{name} is there twice", name=shown(event.value)
                    ),
                )
            found.lines[event.value] = _line_of(event)
            found[event.value] = self._read_node(next(self._events), depth + 1)
        return found

    def _until(self, end: type) -> Iterator[Any]:
        for event in self._events:
            if isinstance(event, end):
                return
            yield event

    def _check(self, event: Any, depth: int) -> None:
        self._values += 1
        if isinstance(event, yaml.AliasEvent):
            raise _refused(
                event,
                message(
                    "document.no_aliases",
                    "aliases of YAML are not read; write the value itself or use $ref",
                ),
            )
        if event.tag is not None and event.tag not in _TEXT_TAGS:
            raise _refused(
                event,
                message("document.no_tags", "tags of YAML are not read; write the value itself"),
            )
        if depth > MAX_DEPTH or self._values > MAX_VALUES:
            raise _refused(
                event,
                message(
                    "document.nests_too_deep",
                    "the document may nest {depth} deep and hold {limit} values",
                    depth=MAX_DEPTH,
                    limit=MAX_VALUES,
                ),
            )


def _refused(event: Any, text: Message) -> ImportFileError:
    return ImportFileError(
        message(
            "document.at_line",
            "{fault}, line {line}",
            fault=text,
            line=str(_line_of(event)),
        )
    )


def _line_of(event: Any) -> int:
    line: int = event.start_mark.line + 1
    return line
