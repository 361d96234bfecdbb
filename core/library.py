"""Entry points for programs that use the search as a library; the product itself calls none of them."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from math import isclose
from typing import Any

from core.errors import DefinitionError
from core.ingest.mcp import (
    MAX_DESCRIPTION_CHARACTERS,
    read_mcp_tool,
    read_name,
    read_parameters,
    read_text,
)
from core.ingest.openapi import read_openapi
from core.ingest.operations import (
    ANNOTATIONS_BY_METHOD,
    Operation,
    annotations_of_method,
    description_of,
    parameter_of_schema,
)
from core.ingest.schema_keywords import as_mapping, as_sequence
from core.ingest.texts import shown
from core.messages import message
from core.retrieval.intent import NEUTRAL, QueryIntent, score_annotations
from core.retrieval.model import MCPAnnotations, Tool
from core.retrieval.tokens import fold
from core.toolspec import JsonValue

ANNOTATION_BONUS = 0.1
_OPERATION_KEYS = frozenset({"operationId", "requestBody", "responses"})


def compute_annotation_scores(
    intent: QueryIntent, tools: Iterable[Tool] | Mapping[str, Tool]
) -> dict[str, float]:
    """Scores 0 to 1 by name, without tools that fit neither well nor badly; none for a neutral intent."""
    listed = tools.values() if isinstance(tools, Mapping) else tools
    scores = {tool.name: score_annotations(intent, tool.annotations) for tool in listed}
    return {name: score for name, score in scores.items() if not isclose(score, NEUTRAL)}


class ToolGraph:
    """Tools as nodes with their attributes, by name."""

    def __init__(self) -> None:
        self._tools: dict[str, Tool] = {}

    def add_tool(self, tool: Tool) -> None:
        """Take in a tool, in place of one of its name."""
        self._tools[tool.name] = tool

    def ingest_mcp_tools(
        self, tools: Iterable[Mapping[str, JsonValue]], *, server_name: str = ""
    ) -> list[Tool]:
        """Take in the tools of a tools/list answer, and return them in its order.

        What cannot be read is left out; of equal names the first counts. `server_name` is added to
        the tags of each and is its metadata's mcp_server.
        """
        taken: dict[str, Tool] = {}
        for document in tools:
            with suppress(DefinitionError):
                tool = read_mcp_tool(document)
                if server_name:
                    metadata = {**tool.metadata, "mcp_server": server_name}
                    tool = replace(tool, tags=(*tool.tags, server_name), metadata=metadata)
                taken.setdefault(tool.name, tool)
        self._tools |= taken
        return list(taken.values())

    def attributes(self, name: str) -> dict[str, Any]:
        """What a node carries: the tool's texts and tags, and its annotations under MCP's keys."""
        tool = self._tools[name]
        attributes: dict[str, Any] = {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "tags": list(tool.tags),
            "metadata": dict(tool.metadata),
        }
        if tool.annotations is not None:
            attributes["annotations"] = tool.annotations.to_dict()
        return attributes

    def similarity(self, first: str, second: str) -> float:
        """How alike two nodes are, 0 to 1.

        Jaccard's index of the parameters' names, and 0.1 x the share of equal hints among those that
        both give.
        """
        tools = self._tools[first], self._tools[second]
        names = [{fold(parameter.name) for parameter in tool.parameters} for tool in tools]
        union = names[0] | names[1]
        jaccard = len(names[0] & names[1]) / len(union) if union else 0.0
        hints = [(tool.annotations or MCPAnnotations()).to_dict() for tool in tools]
        common = hints[0].keys() & hints[1].keys()
        equal = sum(hints[0][key] == hints[1][key] for key in common) / (len(common) or 1)
        return min(1.0, jaccard + ANNOTATION_BONUS * equal)


def tools_of_openapi(document: Mapping[str, JsonValue]) -> list[Tool]:
    """The operations of an OpenAPI 3 or Swagger 2.0 document as tools, with annotations by their HTTP methods.

    Raises ImportFileError for what is no such document; operations with faults are left out.
    """
    return [tool_of_operation(operation) for operation in read_openapi(document).operations]


def tool_of_operation(operation: Operation) -> Tool:
    """The operation as the search knows it."""
    return Tool(
        name=operation.name,
        title=operation.summary,
        description=description_of(operation),
        parameters=tuple(
            parameter_of_schema(
                parameter.argument, parameter.schema, parameter.required, parameter.description
            )
            for parameter in operation.parameters
        ),
        annotations=annotations_of_method(operation.method),
        tags=operation.tags,
        metadata={
            "source": "openapi",
            "method": operation.method,
            "path": operation.path,
            "operation_id": operation.operation_id,
        },
    )


def parse_tool(document: Mapping[str, JsonValue]) -> Tool:
    """The tool that the document describes, its shape recognised by its keys.

    inputSchema is MCP; function, or the type function, OpenAI; input_schema Anthropic; operationId,
    requestBody or responses an OpenAPI operation, whose annotations follow from a `method` beside
    them; a name with parameters OpenAI's older functions. Raises DefinitionError.
    """
    if not isinstance(document, Mapping):
        raise DefinitionError(
            message(
                "mcp_tool.no_object",
                "a tool has to be an object, not {value}",
                value=shown(document),
            )
        )
    if "inputSchema" in document:
        return read_mcp_tool(document)
    if document.get("type") == "function" or isinstance(document.get("function"), Mapping):
        return _read_function(as_mapping(document.get("function", document)), "openai")
    if "input_schema" in document:
        return _read_function(document, "anthropic", "input_schema")
    if not _OPERATION_KEYS.isdisjoint(document):
        return _read_operation(document)
    if "parameters" in document and "name" in document:
        return _read_function(document, "openai")
    if "name" in document:
        # A tool without parameters looks the same in every shape.
        return read_mcp_tool(document)
    raise DefinitionError(
        message(
            "openapi.unknown_shape",
            "the tool is in no shape that is known; write a name with inputSchema (MCP),"
            " input_schema (Anthropic) or parameters (OpenAI), or an OpenAPI operation",
        )
    )


def _read_function(document: Mapping[str, Any], source: str, field: str = "parameters") -> Tool:
    return Tool(
        name=read_name(document.get("name")),
        description=read_text(
            document.get("description"), "description", MAX_DESCRIPTION_CHARACTERS
        ),
        parameters=read_parameters(document.get(field), field),
        metadata={"source": source},
    )


def _read_operation(document: Mapping[str, Any]) -> Tool:
    """An operation alone: its references can only lead to `components` that it brings along."""
    method, path = document.get("method"), document.get("path")
    is_known = isinstance(method, str) and method.lower() in ANNOTATIONS_BY_METHOD
    if "operationId" not in document and not (is_known and isinstance(path, str)):
        raise DefinitionError(
            message(
                "openapi.operation_unnamed",
                "the operation needs an operationId, or its method and path",
            )
        )
    route = path if isinstance(path, str) else _path_of(document)
    operation = {key: value for key, value in document.items() if key not in {"method", "path"}}
    reading = read_openapi(
        {
            "openapi": "3.1.0",
            "paths": {route: {str(method).lower() if is_known else "post": operation}},
            "components": document.get("components", {}),
        }
    )
    if reading.faults:
        raise DefinitionError(
            message(
                "openapi.operation_unreadable",
                "the operation cannot be read: {reason}",
                reason=reading.faults[0].text,
            )
        )
    tool = tool_of_operation(reading.operations[0])
    if is_known and isinstance(path, str):
        return tool
    known = {key: value for key, value in tool.metadata.items() if key not in {"method", "path"}}
    return replace(tool, annotations=tool.annotations if is_known else None, metadata=known)


def _path_of(document: Mapping[str, Any]) -> str:
    """A path that holds every parameter of a path, for an operation that does not say its own."""
    listed = map(as_mapping, as_sequence(document.get("parameters")))
    names = [str(parameter.get("name")) for parameter in listed if parameter.get("in") == "path"]
    return "/" + "/".join(f"{{{name}}}" for name in names)
