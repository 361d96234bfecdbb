"""The file of tools, YAML or JSON: names of data sources and never what reaches them."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import yaml

from core.errors import DefinitionError, ImportFileError
from core.messages import message
from core.toolspec import JsonValue
from tools.definitions import ParameterDocument, ToolDocument

FORMAT = 1
MAX_FILE_CHARACTERS = 50_000_000
# Deeper than anything that is ours; a file may not exhaust the stack.
_MAX_DEPTH = 40
_ALWAYS_WRITTEN = frozenset({"name", "tool_type", "definition", "param_name", "param_type"})
_TOOL_DEFAULTS = ToolDocument().to_document()
_PARAMETER_DEFAULTS = ToolDocument(parameters=(ParameterDocument(param_name=""),)).to_document()[
    "parameters"
][0]


@dataclass(frozen=True, slots=True)
class ExchangedTool:
    """A tool of a file; a new one is made active or not as `is_active` says."""

    snapshot: ToolDocument
    is_active: bool = True


class _Dumper(yaml.CSafeDumper):
    """Writes texts of several lines as blocks, and lists below their key."""


class _Loader(yaml.CSafeLoader):
    """Reads dates as the texts that they are."""

    yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
        for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
    }


def _represent_text(dumper: yaml.CSafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _represent_text)


def write_yaml(tools: Iterable[ExchangedTool]) -> str:
    """The file as YAML."""
    document = _to_document(tools)
    return str(yaml.dump(document, Dumper=_Dumper, allow_unicode=True, sort_keys=False, width=100))


def write_json(tools: Iterable[ExchangedTool]) -> str:
    """The file as JSON."""
    return json.dumps(_to_document(tools), ensure_ascii=False, indent=2) + "\n"


def read_tools_file(text: str) -> list[ExchangedTool]:
    """The tools of a YAML or JSON file in its order.

    Raises ImportFileError, naming the tool, for anything that could not be stored.
    """
    if len(text) > MAX_FILE_CHARACTERS:
        raise ImportFileError(message("import.file_too_large", "The file is too large."))
    document = _parse(text)
    if not isinstance(document, dict) or not isinstance(document.get("tools"), list):
        raise ImportFileError(message("import.no_tools", "The file has no list called tools."))
    if document.get("toolbuilder") != FORMAT:
        raise ImportFileError(
            message(
                "import.format",
                "The file must begin with toolbuilder: {format}.",
                format=str(FORMAT),
            )
        )
    tools: dict[str, ExchangedTool] = {}
    for place, entry in enumerate(document["tools"], start=1):
        tool = _read_tool(entry, place)
        name = tool.snapshot.name
        if name in tools:
            raise ImportFileError(message("import.tool_twice", "{name} is there twice.", name=name))
        tools[name] = tool
    return list(tools.values())


def _to_document(tools: Iterable[ExchangedTool]) -> JsonValue:
    entries = []
    for tool in tools:
        document = tool.snapshot.to_document()
        parameters = [_shorten(row, _PARAMETER_DEFAULTS) for row in document.pop("parameters")]
        entry = _shorten(document, _TOOL_DEFAULTS)
        if not tool.is_active:
            entry["is_active"] = False
        entries.append({**entry, "parameters": parameters} if parameters else entry)
    return {"toolbuilder": FORMAT, "tools": entries}


def _shorten(
    document: dict[str, JsonValue], defaults: dict[str, JsonValue]
) -> dict[str, JsonValue]:
    return {
        name: value
        for name, value in document.items()
        if name in _ALWAYS_WRITTEN or value != defaults[name]
    }


def _parse(text: str) -> JsonValue:
    try:
        if text.lstrip().startswith("{"):
            return json.loads(text)
        # Aliases grow without limit, and deep nesting exhausts the stack; neither is ours.
        depth = 0
        for event in yaml.parse(text, Loader=yaml.CSafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or depth > _MAX_DEPTH:
                raise ImportFileError(
                    message(
                        "import.no_aliases",
                        "Aliases and deep nesting are not read; write the text itself.",
                    )
                )
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader's subclass
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        why = str(error).replace("\n", " ")[:300]
        raise ImportFileError(
            message("import.no_yaml", "The file is neither YAML nor JSON: {why}", why=why)
        ) from error


def _read_tool(entry: Any, place: int) -> ExchangedTool:
    columns = dict(entry) if isinstance(entry, dict) else {}
    is_active = columns.pop("is_active", True)
    label = columns.get("name") or place
    if not isinstance(entry, dict) or not isinstance(is_active, bool):
        raise ImportFileError(
            message(
                "import.tool_form",
                "{name}: a tool is names with values, and is_active true or false.",
                name=label,
            )
        )
    try:
        return ExchangedTool(ToolDocument.model_validate(columns), is_active)
    except DefinitionError as error:
        raise ImportFileError(
            message("import.tool_fault", "{label}: {reason}", label=label, reason=error.message)
        ) from error
