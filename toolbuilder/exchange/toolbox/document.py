"""The entries of a tools.yaml, in maps by name or in documents with a kind, with their lines."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from core.errors import ImportFileError
from core.ingest.documents import YamlSection, read_yaml_documents
from core.messages import Message, message
from core.toolspec import JsonValue

# ${NAME}, ${NAME:default}, ${NAME:-default} and ${NAME:?what is missing}.
_VARIABLE = re.compile(r"\$\{(\w+)(?::(?![?])-?([^}]*)|:\?[^}]*)?\}")
# What a file begins its lines with, if it is one of these.
_BEGINS = re.compile(r"^(?:kind|sources|tools|toolsets|authServices|authSources)\s*:", re.MULTILINE)


class EntryKind(StrEnum):
    """What an entry declares, as in `kind`."""

    SOURCE = "source"
    TOOL = "tool"
    TOOLSET = "toolset"
    GROUP = "group"
    AUTH_SERVICE = "authService"
    PROMPT = "prompt"
    RESOURCE = "resource"
    RESOURCE_TEMPLATE = "resourceTemplate"
    EMBEDDING_MODEL = "embeddingModel"


_PLURALS: Mapping[str, EntryKind] = {
    **{kind: kind for kind in EntryKind},
    **{f"{kind}s": kind for kind in EntryKind},
    "authSource": EntryKind.AUTH_SERVICE,
    "authSources": EntryKind.AUTH_SERVICE,
}


@dataclass(frozen=True, slots=True)
class ToolboxEntry:
    """One declaration; `type` is such as postgres-sql, '' where a kind has none."""

    kind: EntryKind
    name: str
    type: str
    fields: Mapping[str, JsonValue]
    line: int


@dataclass(frozen=True, slots=True)
class ToolboxFinding:
    """What the reader of the file has to know of a line; a refusal is of a part that is not taken."""

    line: int
    name: str
    text: Message
    is_refusal: bool = False

    def __str__(self) -> str:
        return f"line {self.line}: {self.name}: {self.text}"


def is_toolbox(text: str) -> bool:
    """Whether the text is a tools.yaml of MCP Toolbox; False for what cannot be read."""
    if not _BEGINS.search(text):
        return False
    try:
        documents = read_yaml_documents(text)
    except ImportFileError:
        return False
    sections = [document for document in documents if isinstance(document, dict)]
    if not sections or any("toolbuilder" in section for section in sections):
        return False
    return any(
        (section.get("kind") in _PLURALS and "name" in section)
        or any(name in _PLURALS and isinstance(section[name], dict) for name in section)
        for section in sections
    )


def read_entries(text: str) -> tuple[list[ToolboxEntry], list[ToolboxFinding]]:
    """The entries in their order, and what is none. Raises ImportFileError for what is not YAML."""
    entries: list[ToolboxEntry] = []
    findings: list[ToolboxFinding] = []
    for section in read_yaml_documents(text):
        if section is None:
            continue
        if not isinstance(section, YamlSection):
            findings.append(_refuse(1, "-", _NO_ENTRY))
        elif "kind" in section:
            kind, name = _PLURALS.get(str(section["kind"])), section.get("name")
            if kind is None:
                findings.append(_refuse(section.line, str(name), _unknown(section["kind"])))
            elif not isinstance(name, str) or not name:
                findings.append(_refuse(section.line, str(section["kind"]), _NO_NAME))
            else:
                type_ = str(section.get("type") or "")
                entries.append(ToolboxEntry(kind, name, type_, section, section.line))
        else:
            for entry in _read_maps(section):
                (entries if isinstance(entry, ToolboxEntry) else findings).append(entry)  # type: ignore[arg-type]
    return entries, findings


def find_variables(value: JsonValue) -> list[str]:
    """The environment variables that a value names."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [name for part in value for name in find_variables(part)]
    return [found[1] for found in _VARIABLE.finditer(value)] if isinstance(value, str) else []


def fill_variables(value: JsonValue) -> JsonValue:
    """The value with the default of each variable that has one, '' for the others."""
    if isinstance(value, list):
        return [fill_variables(part) for part in value]
    if isinstance(value, dict):
        return {name: fill_variables(part) for name, part in value.items()}
    return _VARIABLE.sub(lambda found: found[2] or "", value) if isinstance(value, str) else value


_NO_ENTRY = message("toolbox.no_entry", "this is neither a map nor a document with a kind")
_NO_NAME = message("toolbox.no_name", "this has no name")


def _unknown(kind: JsonValue) -> Message:
    return message(
        "toolbox.unknown_kind", "nothing here is like a {kind}; it is left out", kind=str(kind)
    )


def _refuse(line: int, name: str, text: Message) -> ToolboxFinding:
    return ToolboxFinding(line, name, text, is_refusal=True)


def _read_maps(section: YamlSection) -> Iterator[ToolboxEntry | ToolboxFinding]:
    """The entries of a document whose names are sources, tools and so on."""
    for plural, found in section.items():
        line, kind = section.lines[plural], _PLURALS.get(plural)
        if kind is None:
            yield _refuse(line, plural, _unknown(plural))
        elif not isinstance(found, YamlSection):
            yield _refuse(line, plural, _NO_ENTRY)
        else:
            for name, fields in found.items():
                if kind is EntryKind.TOOLSET and isinstance(fields, list):
                    yield ToolboxEntry(kind, name, "", {"tools": fields}, found.lines[name])
                elif isinstance(fields, dict):
                    type_ = str(fields.get("kind") or fields.get("type") or "")
                    yield ToolboxEntry(kind, name, type_, fields, found.lines[name])
                else:
                    yield _refuse(found.lines[name], name, _NO_ENTRY)
