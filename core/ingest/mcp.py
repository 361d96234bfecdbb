"""The tools that another MCP server lists, of whom nothing is believed before it is looked at."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.errors import DefinitionError
from core.ingest.operations import parameter_of_schema
from core.ingest.references import ReferenceFaultError, References
from core.ingest.schema_keywords import as_mapping, as_sequence
from core.ingest.schemas import MAX_PROPERTIES, SchemaReader
from core.ingest.texts import IngestFault, find_hidden_character, shown
from core.retrieval.model import MCPAnnotations, Tool, ToolParameter
from core.toolspec import JsonValue

MAX_TOOLS = 10_000
MAX_NAME_CHARACTERS = 128
MAX_TITLE_CHARACTERS = 500
MAX_DESCRIPTION_CHARACTERS = 100_000
MAX_SCHEMA_CHARACTERS = 500_000
MAX_SCHEMA_DEPTH = 100

_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


@dataclass(frozen=True, slots=True)
class MCPReading:
    """The tools of a server that can be kept, and what is wrong with each of the others."""

    tools: tuple[Tool, ...]
    faults: tuple[IngestFault, ...] = ()


def tools_of_mcp_list(
    tools: Iterable[Mapping[str, JsonValue]], *, server_name: str = ""
) -> list[Tool]:
    """The tools of a tools/list answer that can be kept, in its order; see `read_mcp_tools`."""
    return list(read_mcp_tools(tools, server_name=server_name).tools)


def read_mcp_tools(tools: object, *, server_name: str = "") -> MCPReading:
    """The tools of a tools/list answer, its list or the whole of it; one bad tool harms no other.

    `server_name` is added to the tags of each and is its metadata's mcp_server.
    """
    listed = list(as_sequence(as_mapping(tools).get("tools", tools)))
    kept: dict[str, Tool] = {}
    faults: list[IngestFault] = []
    for number, document in enumerate(listed[:MAX_TOOLS], start=1):
        try:
            tool = _of_server(read_mcp_tool(document), server_name)
            _require(tool.name not in kept, "an earlier tool has the same name; the first is kept")
            kept[tool.name] = tool
        except DefinitionError as error:
            faults.append(IngestFault(_place_of(document, number), str(error)))
    if not isinstance(tools, (list, tuple, Mapping)):
        faults.append(IngestFault("tools", f"is {shown(tools)}; it has to be a list"))
    if len(listed) > MAX_TOOLS:
        faults.append(IngestFault("tools", f"{len(listed):,}; the first {MAX_TOOLS:,} are read"))
    return MCPReading(tuple(kept.values()), tuple(faults))


def read_mcp_tool(document: object) -> Tool:
    """One tool of MCP's shape. Raises DefinitionError that says what would be right."""
    if not isinstance(document, Mapping):
        raise DefinitionError(f"a tool has to be an object, not {shown(document)}")
    annotations = _hints_of(document.get("annotations"))
    title = document.get("title") or as_mapping(document.get("annotations")).get("title")
    return Tool(
        name=read_name(document.get("name")),
        title=read_text(title, "title", MAX_TITLE_CHARACTERS),
        description=read_text(
            document.get("description"), "description", MAX_DESCRIPTION_CHARACTERS
        ),
        parameters=read_parameters(document.get("inputSchema"), "inputSchema"),
        annotations=annotations,
        metadata={"source": "mcp"},
    )


def read_name(name: object) -> str:
    """The name of a tool, 1 to 128 characters that can be seen. Raises DefinitionError."""
    if not isinstance(name, str):
        raise DefinitionError(f"the name has to be a text, not {shown(name)}")
    _require(
        0 < len(name) <= MAX_NAME_CHARACTERS,
        f"the name has {len(name):,} characters; 1 to {MAX_NAME_CHARACTERS} are allowed",
    )
    _check_visible(name, "name")
    _require(not any(c.isspace() for c in name), "the name has blanks; write _ or - for them")
    return name


def read_text(text: object, field: str, limit: int) -> str:
    """A title or description as it is, '' for none. Raises DefinitionError."""
    if text is None:
        return ""
    if not isinstance(text, str):
        raise DefinitionError(f"the {field} has to be a text, not {shown(text)}")
    _require(
        len(text) <= limit,
        f"the {field} has {len(text):,} characters; at most {limit:,} are allowed",
    )
    _check_visible(text, field)
    return text


def read_parameters(schema: object, field: str) -> tuple[ToolParameter, ...]:
    """The properties of an input schema in its order, none for no schema. Raises DefinitionError."""
    if schema is None:
        return ()
    if not isinstance(schema, Mapping):
        raise DefinitionError(f"{field} has to be a JSON schema of an object, not {shown(schema)}")
    _check_object(schema, field)
    _check_texts(schema, field)
    try:
        read = SchemaReader(References(schema)).read_object(schema)
    except ReferenceFaultError as fault:
        raise DefinitionError(f"{field}: {fault}") from fault
    properties, required = read.get("properties", {}), read.get("required", ())
    return tuple(
        parameter_of_schema(name, each, name in required) for name, each in properties.items()
    )


def _check_object(schema: Mapping[str, Any], field: str) -> None:
    kind = schema.get("type", "object")
    _require(
        kind == "object",
        f"{field} has the type {shown(kind)}; arguments are given by name, so it has to be 'object'",
    )
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping):
        raise DefinitionError(
            f"properties of {field} has to be an object, names with schemas, not {shown(properties)}"
        )
    _require(
        len(properties) <= MAX_PROPERTIES,
        f"{field} has {len(properties):,} parameters; at most {MAX_PROPERTIES:,} are allowed",
    )
    for name, each in properties.items():
        _require(
            isinstance(each, (Mapping, bool)),
            f"the schema of parameter {shown(name)} has to be an object, not {shown(each)}",
        )


def _check_texts(schema: Mapping[str, Any], field: str) -> None:
    """Every text within the schema, at any depth: agents of other programs read all of it."""
    level: list[Any] = [schema]
    left = MAX_SCHEMA_CHARACTERS
    for _depth in range(MAX_SCHEMA_DEPTH):
        texts = [text for node in level for text in _texts_in(node)]
        left -= sum(map(len, texts)) + len(level)
        _require(
            left >= 0,
            f"{field} is too large; at most {MAX_SCHEMA_CHARACTERS:,} characters are read",
        )
        for text in texts:
            _check_visible(text, f"text of {field}")
        level = [child for node in level for child in _containers_in(node)]
    _require(not level, f"{field} nests too deep; at most {MAX_SCHEMA_DEPTH} levels are read")


def _texts_in(node: Mapping[str, Any] | Sequence[Any]) -> list[str]:
    values = [*node, *node.values()] if isinstance(node, Mapping) else node
    return [value for value in values if isinstance(value, str)]


def _containers_in(node: Mapping[str, Any] | Sequence[Any]) -> list[Any]:
    values = node.values() if isinstance(node, Mapping) else node
    return [value for value in values if isinstance(value, (Mapping, list, tuple))]


def _hints_of(hints: object) -> MCPAnnotations | None:
    if hints is None:
        return None
    if not isinstance(hints, Mapping):
        raise DefinitionError(f"annotations has to be an object of hints, not {shown(hints)}")
    for key in _HINTS:
        hint = hints.get(key)
        _require(
            hint is None or isinstance(hint, bool),
            f"{key} is {shown(hint)}; true or false is right",
        )
    annotations = MCPAnnotations.from_dict(hints)
    return annotations if annotations.to_dict() else None


def _of_server(tool: Tool, server_name: str) -> Tool:
    if not server_name:
        return tool
    return replace(
        tool, tags=(*tool.tags, server_name), metadata={**tool.metadata, "mcp_server": server_name}
    )


def _check_visible(text: str, field: str) -> None:
    hidden = find_hidden_character(text)
    _require(hidden is None, f"the {field} hides the character {hidden}; write it without")


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise DefinitionError(otherwise)


def _place_of(document: object, number: int) -> str:
    name = as_mapping(document).get("name")
    return f"tool {number}" if not isinstance(name, str) else f"tool {number} {shown(name)}"
