"""A tool that another MCP server lists; nothing in it is trusted before it is checked."""

from collections.abc import Mapping
from typing import Any

from core.errors import DefinitionError
from core.ingest.operations import parameter_of_schema
from core.ingest.references import ReferenceFaultError, References
from core.ingest.schema_keywords import as_mapping
from core.ingest.schemas import MAX_PROPERTIES, JsonSchemaReader
from core.ingest.texts import find_hidden_character, shown
from core.messages import Message, message
from core.retrieval.model import MCPAnnotations, Tool, ToolParameter

MAX_TOOLS = 10_000
MAX_NAME_CHARACTERS = 128
MAX_TITLE_CHARACTERS = 500
MAX_DESCRIPTION_CHARACTERS = 100_000
MAX_SCHEMA_CHARACTERS = 500_000
MAX_SCHEMA_DEPTH = 100

_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


def read_mcp_tool(document: object) -> Tool:
    """One tool of MCP's shape. Raises DefinitionError that says what would be right."""
    if not isinstance(document, Mapping):
        raise DefinitionError(
            message(
                "mcp_tool.no_object",
                "a tool has to be an object, not {value}",
                value=shown(document),
            )
        )
    hints = document.get("annotations")
    if hints is not None and not isinstance(hints, Mapping):
        raise DefinitionError(
            message(
                "mcp_tool.annotations_no_object",
                "annotations has to be an object of hints, not {value}",
                value=shown(hints),
            )
        )
    hints = as_mapping(hints)
    for key in _HINTS:
        _require(
            hints.get(key) is None or isinstance(hints[key], bool),
            message(
                "mcp_tool.hint_no_boolean",
                "{name} is {value}; true or false is right",
                name=key,
                value=shown(hints.get(key)),
            ),
        )
    annotations = MCPAnnotations.from_dict(hints)
    title = document.get("title") or hints.get("title")
    return Tool(
        name=read_name(document.get("name")),
        title=read_text(title, "title", MAX_TITLE_CHARACTERS),
        description=read_text(
            document.get("description"), "description", MAX_DESCRIPTION_CHARACTERS
        ),
        parameters=read_parameters(document.get("inputSchema"), "inputSchema"),
        annotations=annotations if annotations.to_dict() else None,
        metadata={"source": "mcp"},
    )


def read_name(name: object) -> str:
    """The name of a tool, 1 to 128 characters that can be seen. Raises DefinitionError."""
    if not isinstance(name, str):
        raise DefinitionError(
            message(
                "mcp_tool.name_no_text", "the name has to be a text, not {value}", value=shown(name)
            )
        )
    _require(
        0 < len(name) <= MAX_NAME_CHARACTERS,
        message(
            "mcp_tool.name_length",
            "the name has {count} characters; 1 to {limit} are allowed",
            count=len(name),
            limit=MAX_NAME_CHARACTERS,
        ),
    )
    _check_visible(name, "name")
    _require(
        not any(c.isspace() for c in name),
        message("mcp_tool.name_blanks", "the name has spaces; write _ or - for them"),
    )
    return name


def read_text(text: object, field: str, limit: int) -> str:
    """A title or description as it is, '' for none. Raises DefinitionError."""
    if text is None:
        return ""
    if not isinstance(text, str):
        raise DefinitionError(
            message(
                "mcp_tool.text_no_text",
                "the {field} has to be a text, not {value}",
                field=field,
                value=shown(text),
            )
        )
    _require(
        len(text) <= limit,
        message(
            "mcp_tool.text_too_long",
            "the {field} has {count} characters; at most {limit} are allowed",
            field=field,
            count=len(text),
            limit=limit,
        ),
    )
    _check_visible(text, field)
    return text


def read_parameters(schema: object, field: str) -> tuple[ToolParameter, ...]:
    """The properties of an input schema in its order, none for no schema. Raises DefinitionError."""
    if schema is None:
        return ()
    if not isinstance(schema, Mapping):
        raise DefinitionError(
            message(
                "mcp_tool.schema_no_object",
                "{field} has to be a JSON schema of an object, not {value}",
                field=field,
                value=shown(schema),
            )
        )
    _check_object(schema, field)
    _check_texts(schema, field)
    try:
        read = JsonSchemaReader(References(schema)).read_object(schema)
    except ReferenceFaultError as fault:
        raise DefinitionError(
            message("mcp_tool.field_fault", "{field}: {reason}", field=field, reason=fault.message)
        ) from fault
    properties, required = read.get("properties", {}), read.get("required", ())
    return tuple(
        parameter_of_schema(name, member, name in required) for name, member in properties.items()
    )


def _check_object(schema: Mapping[str, Any], field: str) -> None:
    kind = schema.get("type", "object")
    _require(
        kind == "object",
        message(
            "mcp_tool.schema_type",
            "{field} has the type {kind}; arguments are given by name, so it has to be 'object'",
            field=field,
            kind=shown(kind),
        ),
    )
    properties = schema.get("properties", {})
    if not isinstance(properties, Mapping):
        raise DefinitionError(
            message(
                "mcp_tool.properties_no_object",
                "properties of {field} has to be an object, names with schemas, not {value}",
                field=field,
                value=shown(properties),
            )
        )
    _require(
        len(properties) <= MAX_PROPERTIES,
        message(
            "mcp_tool.too_many_parameters",
            "{field} has {count} parameters; at most {limit} are allowed",
            field=field,
            count=len(properties),
            limit=MAX_PROPERTIES,
        ),
    )
    for name, member in properties.items():
        _require(
            isinstance(member, (Mapping, bool)),
            message(
                "mcp_tool.parameter_no_object",
                "the schema of parameter {name} has to be an object, not {value}",
                name=shown(name),
                value=shown(member),
            ),
        )


def _check_texts(schema: Mapping[str, Any], field: str) -> None:
    """Every text within the schema, at any depth: agents of other programs read all of it."""
    level: list[Any] = [schema]
    left = MAX_SCHEMA_CHARACTERS
    for _depth in range(MAX_SCHEMA_DEPTH):
        members = [
            member
            for node in level
            for member in ([*node, *node.values()] if isinstance(node, Mapping) else node)
        ]
        texts = [member for member in members if isinstance(member, str)]
        left -= sum(map(len, texts)) + len(level)
        _require(
            left >= 0,
            message(
                "mcp_tool.schema_too_large",
                "{field} is too large; at most {limit} characters are read",
                field=field,
                limit=MAX_SCHEMA_CHARACTERS,
            ),
        )
        for text in texts:
            _check_visible(text, f"text of {field}")
        level = [member for member in members if isinstance(member, (Mapping, list, tuple))]
    _require(
        not level,
        message(
            "mcp_tool.schema_too_deep",
            "{field} nests too deep; at most {limit} levels are read",
            field=field,
            limit=MAX_SCHEMA_DEPTH,
        ),
    )


def _check_visible(text: str, field: str) -> None:
    hidden = find_hidden_character(text)
    _require(
        hidden is None,
        message(
            "mcp_tool.hidden_character",
            "the {field} hides the character {character}; write it without",
            field=field,
            character=hidden or "",
        ),
    )


def _require(holds: bool, otherwise: Message) -> None:
    if not holds:
        raise DefinitionError(otherwise)
