"""YAML as values that know their line and column, read without aliases, tags or anything unsafe."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml
from yaml.constructor import ConstructorError, SafeConstructor

from core.messages import Message, foreign, message
from core.toolspec import JsonValue

# Deeper than anything that is ours; a file may not exhaust the stack.
MAX_DEPTH = 40
_PREFIX = "tag:yaml.org,2002:"
_SAFE = SafeConstructor()
_CONSTRUCTORS: Mapping[str, Callable[[yaml.ScalarNode], JsonValue]] = {
    "null": lambda _node: None,
    "bool": _SAFE.construct_yaml_bool,
    "int": _SAFE.construct_yaml_int,
    "float": _SAFE.construct_yaml_float,
}
# What plain scalars mean, by their first character; dates are the texts that they are.
_RESOLVERS: Mapping[str | None, list[tuple[str, re.Pattern[str]]]] = {
    first: [
        (tag.removeprefix(_PREFIX), pattern)
        for tag, pattern in found
        if tag.removeprefix(_PREFIX) in _CONSTRUCTORS
    ]
    for first, found in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


@dataclass(frozen=True, slots=True, order=True)
class FileFault:
    """What is wrong in a file; line and column count from 1, 0 where nobody can say."""

    path: str
    line: int
    column: int
    text: Message = field(compare=False)

    def __str__(self) -> str:
        return str(self.message)

    @property
    def message(self) -> Message:
        """The place and what is wrong there."""
        if not self.place:
            return self.text
        return Message("", "{place}: {text}", {"place": self.place, "text": self.text})

    @property
    def place(self) -> str:
        """The file, its line and column, as compilers write them."""
        return ":".join(str(part) for part in (self.path, self.line, self.column) if part)


@dataclass(slots=True, eq=False)
class YamlNode:
    """A value: a scalar, nodes, or nodes by key. `keys` are the lines and columns of keys.

    `end` is the line behind its last one, `is_block` whether it is written over lines of its own.
    """

    line: int
    column: int
    value: Any
    end: int = 0
    is_block: bool = False
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)

    def plain(self) -> JsonValue:
        """The value as JSON."""
        value = self.value
        if isinstance(value, dict):
            return {key: node.plain() for key, node in value.items()}
        return [node.plain() for node in value] if isinstance(value, list) else value

    def place_of(self, path: Iterable[str | int]) -> tuple[int, int]:
        """Line and column of what the path leads to, as far as it is there; of a key its own."""
        node, place = self, (self.line, self.column)
        for step in path:
            parts = node.value
            if isinstance(parts, dict) and step in parts:
                place = node.keys.get(str(step), place)
                node = parts[str(step)]
            elif isinstance(parts, list) and isinstance(step, int) and step < len(parts):
                node = parts[step]
                place = node.line, node.column
            else:
                break
        return place


class _NodeError(Exception):
    def __init__(self, event: Any, text: Message) -> None:
        super().__init__(text)
        self.line, self.column = event.start_mark.line + 1, event.start_mark.column + 1
        self.text = text


def read_documents(text: str, path: str, faults: list[FileFault]) -> list[YamlNode]:
    """The documents of a file, YAML or JSON, up to the first one that cannot be read.

    What is wrong with the file is added to `faults`.
    """
    documents: list[YamlNode] = []
    try:
        if text.lstrip().startswith("{"):
            # As YAML, half of an escaped surrogate pair would be refused.
            return [_to_node(json.loads(text))]
        reader = _Reader(path, faults, yaml.parse(text, Loader=yaml.CSafeLoader))
        documents.extend(reader.documents())
    except _NodeError as fault:
        faults.append(FileFault(path, fault.line, fault.column, fault.text))
    except yaml.MarkedYAMLError as error:
        mark: Any = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        faults.append(FileFault(path, line, column, _no_yaml(error.problem or "")))
    except json.JSONDecodeError as error:
        faults.append(FileFault(path, error.lineno, error.colno, _no_yaml(error.msg)))
    except yaml.reader.ReaderError as error:
        line = text.encode()[: error.position].count(b"\n") + 1
        faults.append(FileFault(path, line, 1, _no_yaml(error.reason)))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        faults.append(FileFault(path, 1, 1, _no_yaml(str(error).replace("\n", " ")[:200])))
    return documents


class _Reader:
    """Nodes of the events of libyaml, which alone tells aliases from what they stand for."""

    def __init__(self, path: str, faults: list[FileFault], events: Iterator[Any]) -> None:
        self._path, self._faults, self._events = path, faults, events

    def documents(self) -> Iterator[YamlNode]:
        """The root of each document, as far as it can be read."""
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                yield self._read(next(self._events), 0)

    def _read(self, event: Any, depth: int) -> YamlNode:
        if isinstance(event, yaml.AliasEvent) or depth > MAX_DEPTH:
            raise _NodeError(
                event,
                message(
                    "import.no_aliases",
                    "Aliases and deep nesting are not read; write the text itself.",
                ),
            )
        if event.tag not in {None, "!"}:
            raise _NodeError(
                event,
                message("import.no_tags", "Tags of YAML are not read; write the value itself."),
            )
        mark: Any = event.start_mark
        end: Any = event.end_mark
        node = YamlNode(mark.line + 1, mark.column + 1, None, end.line + 1)
        if isinstance(event, yaml.ScalarEvent):
            node.value, node.is_block = _resolve(event), event.style == "|"
            return node
        node.is_block = not event.flow_style
        if isinstance(event, yaml.SequenceStartEvent):
            node.value = []
            while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
                node.value.append(self._read(event, depth + 1))
        else:
            node.value = {}
            while not isinstance(event := next(self._events), yaml.MappingEndEvent):
                self._add(node, event, depth)
        end = event.end_mark
        node.end = end.line + 1
        return node

    def _add(self, node: YamlNode, event: Any, depth: int) -> None:
        """Read a key, and what is behind it, into a mapping."""
        mark: Any = event.start_mark
        if not isinstance(event, yaml.ScalarEvent):
            raise _NodeError(event, message("import.no_key", "A name is missing before the colon."))
        name, place = event.value, (mark.line + 1, mark.column + 1)
        value = self._read(next(self._events), depth + 1)
        if name in node.value:
            text = message("import.key_twice", "{name} is there twice.", name=name)
            self._faults.append(FileFault(self._path, *place, text))
        else:
            node.value[name], node.keys[name] = value, place


def _resolve(event: Any) -> JsonValue:
    """What a scalar means: plain ones as in YAML 1.1, all others are texts."""
    text: str = event.value
    if not event.implicit[0]:
        return text
    for tag, pattern in _RESOLVERS.get(text[:1], ()):
        if pattern.match(text):
            try:
                return _CONSTRUCTORS[tag](yaml.ScalarNode(_PREFIX + tag, text))
            except (ValueError, ConstructorError):
                return text
    return text


def _to_node(value: Any) -> YamlNode:
    """What JSON says, which has no lines."""
    if isinstance(value, dict):
        return YamlNode(0, 0, {key: _to_node(part) for key, part in value.items()})
    return YamlNode(0, 0, [_to_node(part) for part in value] if isinstance(value, list) else value)


def _no_yaml(why: str) -> Message:
    return message("import.no_yaml", "The file is neither YAML nor JSON: {why}", why=foreign(why))
