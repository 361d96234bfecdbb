"""A tool of another MCP server as it is kept, shown to people and, once accepted, served."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.errors import DefinitionError
from core.ingest.mcp import MAX_TOOLS, read_mcp_tool
from core.ingest.references import ReferenceFaultError, References
from core.ingest.schema_keywords import JsonSchema, as_mapping
from core.ingest.schemas import JsonSchemaReader
from core.ingest.texts import IngestFault, shown
from core.ingest.tool_names import MAX_NAME_CHARACTERS, digest_of, loses_letters, to_name
from core.json_schema import SchemaCheck
from core.messages import message
from core.toolspec import JsonValue

MAX_NAMESPACE_CHARACTERS = 24
MAX_DESCRIPTION_CHARACTERS = 20_000
# Of all texts and schemas of one tool, as JSON: agents read it with every list.
MAX_TOOL_BYTES = 60_000
_WRAPS = "x-fastmcp-wrap-result"
_PARTS = ("title", "description", "annotations", "input_schema", "output_schema")


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteTool:
    """A tool as a server describes it, checked and bounded; `name` is the server's own.

    `output_schema` None is a tool that promises no structured content. `annotations` have MCP's keys.
    """

    name: str
    title: str
    description: str
    annotations: dict[str, bool]
    input_schema: JsonSchema
    output_schema: JsonSchema | None

    def to_document(self) -> dict[str, JsonValue]:
        """The tool as JSON, which `from_document` reads again."""
        return {name: getattr(self, name) for name in ("name", *_PARTS)}

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of all parts."""
        return hashlib.sha256(_encode(self)).hexdigest()

    def changes_from(self, accepted: "RemoteTool") -> tuple[str, ...]:
        """Names of the parts that are not as they were accepted, in their order."""
        return tuple(name for name in _PARTS if getattr(self, name) != getattr(accepted, name))


@dataclass(frozen=True, slots=True)
class RemoteReading:
    """The tools of a list that can be served, in its order, and what is wrong with each other."""

    tools: tuple[RemoteTool, ...]
    faults: tuple[IngestFault, ...] = ()


def from_document(document: Mapping[str, Any]) -> RemoteTool:
    """The tool that `to_document` wrote. Raises DefinitionError for anything else."""
    try:
        output_schema = document["output_schema"]
        found = RemoteTool(
            name=str(document["name"]),
            title=str(document["title"]),
            description=str(document["description"]),
            annotations={key: value is True for key, value in document["annotations"].items()},
            input_schema=dict(document["input_schema"]),
            output_schema=None if output_schema is None else dict(output_schema),
        )
        _ = found.input_schema["properties"].items()
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DefinitionError(
            message(
                "mcp_tool.record_unreadable",
                "what was kept of the tool cannot be read; read the server's tools again",
            )
        ) from error
    return found


def read_remote_tools(documents: Iterable[object], namespace: str) -> RemoteReading:
    """The tools of a tools/list answer; one bad tool harms no other.

    Two tools that would be served under one name are a fault of the second.
    """
    found: dict[str, RemoteTool] = {}
    faults: list[IngestFault] = []
    for number, document in enumerate(documents, start=1):
        if number > MAX_TOOLS:
            faults.append(
                IngestFault(
                    "tools",
                    message(
                        "mcp_tool.more",
                        "there are more; the first {limit} are read",
                        limit=MAX_TOOLS,
                    ),
                )
            )
            break
        name = as_mapping(document).get("name")
        place = message("mcp_tool.place", "tool {number}", number=number)
        if isinstance(name, str):
            place = message(
                "mcp_tool.named_place", "tool {number} {name}", number=number, name=shown(name)
            )
        try:
            tool = read_remote_tool(document)
        except DefinitionError as error:
            faults.append(IngestFault(place, error.message))
            continue
        served = served_name(namespace, tool.name)
        if found.setdefault(served, tool) is not tool:
            twice = message(
                "mcp_tool.served_twice", "an earlier tool is served as {name} already", name=served
            )
            faults.append(IngestFault(place, twice))
    return RemoteReading(tuple(found.values()), tuple(faults))


def read_remote_tool(document: object) -> RemoteTool:
    """One tool of MCP's shape, its schemas without references. Raises DefinitionError."""
    read = read_mcp_tool(document)
    given = as_mapping(document)
    if len(read.description) > MAX_DESCRIPTION_CHARACTERS:
        raise DefinitionError(
            message(
                "mcp_tool.description_too_long",
                "the description has {count} characters; at most {limit} are allowed",
                count=len(read.description),
                limit=MAX_DESCRIPTION_CHARACTERS,
            )
        )
    output_schema = None
    if (promised := given.get("outputSchema")) is not None:
        output_schema = _read_schema(promised, "outputSchema")
        # FastMCP's client unwraps the value by it; others do not mind the keyword.
        if as_mapping(promised).get(_WRAPS) is True:
            output_schema[_WRAPS] = True
    tool = RemoteTool(
        name=read.name,
        title=read.title,
        description=read.description,
        annotations=dict(read.annotations.to_dict()) if read.annotations else {},
        input_schema=_read_schema(given.get("inputSchema") or {}, "inputSchema"),
        output_schema=output_schema,
    )
    size = len(_encode(tool))
    if size > MAX_TOOL_BYTES:
        raise DefinitionError(
            message(
                "mcp_tool.too_large",
                "the tool's texts and schemas have {size} bytes; at most {limit} are allowed",
                size=size,
                limit=MAX_TOOL_BYTES,
            )
        )
    return tool


def served_name(namespace: str, name: str) -> str:
    """The name that agents call: the server's own behind the namespace, with _ for characters that no name may have.

    Names of more than 64 characters end in a digest, and those with letters that no name may have.
    """
    whole = f"{namespace}_{name}"
    if loses_letters(name):
        whole = f"{to_name(whole, namespace)}_{digest_of(name)}"
    return to_name(whole, f"{namespace}_tool")[:MAX_NAME_CHARACTERS]


def _encode(tool: RemoteTool) -> bytes:
    """The tool as JSON, the same whatever the order of its keys."""
    try:
        text = json.dumps(tool.to_document(), sort_keys=True, allow_nan=False, ensure_ascii=False)
        return text.encode()
    except (ValueError, RecursionError) as error:
        raise DefinitionError(
            message("mcp_tool.no_json", "the tool has values that JSON cannot hold, as NaN")
        ) from error


def _read_schema(schema: object, field: str) -> JsonSchema:
    """The schema of an object with properties, in keywords that `SchemaCheck` judges."""
    if not isinstance(schema, Mapping):
        raise DefinitionError(
            message(
                "mcp_tool.schema_no_object",
                "{field} has to be a JSON schema of an object, not {value}",
                field=field,
                value=shown(schema),
            )
        )
    try:
        read = JsonSchemaReader(References(schema)).read_object(schema)
    except ReferenceFaultError as fault:
        raise DefinitionError(
            message("mcp_tool.field_fault", "{field}: {reason}", field=field, reason=fault.message)
        ) from fault
    if read.get("type", "object") != "object" or "anyOf" in read:
        raise DefinitionError(
            message(
                "mcp_tool.schema_kind",
                "{field} has to be a JSON schema of one object with properties",
                field=field,
            )
        )
    found: JsonSchema = {**read, "type": "object", "properties": read.get("properties", {})}
    SchemaCheck(found)
    return found
