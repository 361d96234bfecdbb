"""Files of reference documents: JSON Lines, JSON, CSV and YAML, with the line of every fault."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from catalog.documents.rows import Document, RowError, read_row
from core.errors import ToolboxError
from core.text_encodings import find_encoding

MAX_FILE_BYTES = 64_000_000
MAX_FAULTS_SHOWN = 50
_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class DocumentFileError(ToolboxError):
    """Files of documents that cannot be loaded; `faults` are lines of file, line and reason."""

    def __init__(self, faults: Sequence[str]) -> None:
        hidden = len(faults) - MAX_FAULTS_SHOWN
        more = [f"... and {hidden} more"] if hidden > 0 else []
        super().__init__("\n".join([*faults[:MAX_FAULTS_SHOWN], *more]))
        self.faults = tuple(faults)


@dataclass(frozen=True)
class Row:
    """One row of a file: its first line, counted from 1, and what it holds, or why it cannot be read."""

    line: int
    values: Any = None
    fault: str = ""


ReadRows = Callable[[str], Iterator[Row]]


def read_files(paths: Sequence[Path]) -> tuple[list[Document], list[str]]:
    """The documents of the files in their order, and all faults as `file:line: reason`."""
    documents: dict[str, Document] = {}
    faults: list[str] = []
    for path in paths:
        try:
            rows = _open_rows(path)
        except DocumentFileError as error:
            faults.append(f"{path}: {error}")
            continue
        for row in rows:
            place = f"{path}:{row.line}"
            if row.fault or not isinstance(row.values, dict):
                faults.append(f"{place}: {row.fault or 'must be an object of names and values'}")
                continue
            try:
                document = read_row(row.values, place)
            except RowError as error:
                faults += [f"{place}: {fault}" for fault in error.faults]
                continue
            if (first := documents.setdefault(document.key, document)) is not document:
                faults.append(f"{place}: {document.key} is there already, at {first.place}")
    return list(documents.values()), faults


def _open_rows(path: Path) -> Iterator[Row]:
    """The rows of the file, read by its ending. Raises DocumentFileError."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise DocumentFileError([f"is larger than {MAX_FILE_BYTES // 1_000_000} MB; split it"])
        data = path.read_bytes()
        text = data.decode(find_encoding(data))
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise DocumentFileError([f"is not UTF-8 at line {line}; save it as UTF-8"]) from error
    except OSError as error:
        raise DocumentFileError([f"cannot be read: {error.strerror}"]) from error
    if read_rows := _FORMATS.get(path.suffix.lower()):
        return read_rows(text)
    raise DocumentFileError([f"has no known ending; known are {', '.join(_FORMATS)}"])


def _read_json_lines(text: str) -> Iterator[Row]:
    # Not splitlines(): a JSON text may hold U+2028, which is no line end here.
    for line, content in enumerate(text.split("\n"), start=1):
        if content.strip():
            try:
                yield Row(line, json.loads(content))
            except (ValueError, RecursionError) as error:
                yield Row(line, fault=f"is not JSON: {_explain(error)}")


def _read_json(text: str) -> Iterator[Row]:
    """The items of the list, each decoded alone, so that its line is known."""
    position = _skip_blanks(text, 0)
    if text[position : position + 1] != "[":
        yield Row(1, fault="must be a list of objects, as in [{...}, {...}]")
        return
    line, counted, separator = 1, 0, "["
    while text[position : position + 1] == separator:
        position = _skip_blanks(text, position + 1)
        line, counted = line + text.count("\n", counted, position), position
        if separator == "[" and text[position : position + 1] == "]":
            break
        try:
            value, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", line)
            yield Row(line, fault=f"is not JSON: {_explain(error)}")
            return
        yield Row(line, value)
        position, separator = _skip_blanks(text, end), ","
    if is_closed := text[position : position + 1] == "]":
        position = _skip_blanks(text, position + 1)
    if not is_closed or position < len(text):
        line += text.count("\n", counted, position)
        yield Row(line, fault="is not JSON: expected , or ] and nothing behind the list")


def _skip_blanks(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return match.end() if match else position


def _explain(error: Exception) -> str:
    match error:
        case json.JSONDecodeError():
            return f"{error.msg} at column {error.colno}"
        case RecursionError():
            return "it is nested too deeply"
    return str(error)


def _read_csv(text: str) -> Iterator[Row]:
    first_line = text.partition("\n")[0]
    delimiter = max(",;\t", key=first_line.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        if twice := [name for name in header if name and header.count(name) > 1]:
            yield Row(1, fault=f"the header names {twice[0]} twice")
            return
        line = reader.line_num + 1
        for cells in reader:
            if cells:
                yield _read_cells(line, header, cells)
            line = reader.line_num + 1
    except csv.Error as error:
        yield Row(reader.line_num, fault=f"is not CSV: {error}")


def _read_cells(line: int, header: list[str], cells: list[str]) -> Row:
    if len(cells) > len(header):
        return Row(line, fault=f"has {len(cells)} cells, but the header names {len(header)}")
    values: dict[str, Any] = dict(zip(header, cells, strict=False))
    if metadata := values.get("metadata", "").strip():
        try:
            values["metadata"] = json.loads(metadata)
        except (ValueError, RecursionError) as error:
            return Row(line, fault=f"metadata is not JSON: {_explain(error)}")
    return Row(line, values)


class _PlainLoader(yaml.SafeLoader):
    """YAML in which a value is the text that is written, or null; and no part refers to another."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = cast(Any, self).peek_event().start_mark
            raise yaml.composer.ComposerError(None, None, "aliases are not read", mark)
        return super().compose_node(parent, index)


_PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag == "tag:yaml.org,2002:null"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _read_yaml(text: str) -> Iterator[Row]:
    try:
        loader = _PlainLoader(text)
        node = loader.get_single_node()
        if not isinstance(node, yaml.SequenceNode):
            yield Row(1, fault="must be a list, each row beginning with a hyphen")
            return
        for item in node.value:
            yield Row(item.start_mark.line + 1, loader.construct_object(item, deep=True))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        yield Row(line, fault=f"is not YAML: {error.problem}")
    except (yaml.YAMLError, RecursionError, ValueError):
        yield Row(1, fault="is not YAML that can be read")


_FORMATS: dict[str, ReadRows] = {
    ".jsonl": _read_json_lines,
    ".ndjson": _read_json_lines,
    ".json": _read_json,
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".yaml": _read_yaml,
    ".yml": _read_yaml,
}
