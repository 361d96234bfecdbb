"""One operation of an HTTP service: what an agent gives it, and where each argument goes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from core.ingest.schema_keywords import JsonSchema, type_word
from core.kept_parts import Keep
from core.paging import Paging
from core.retrieval.model import MCPAnnotations, ToolParameter
from core.toolspec import JsonValue

Style = Literal["simple", "form", "spaceDelimited", "pipeDelimited", "deepObject", "json"]
BodyKind = Literal["json", "form", "multipart", "text"]

# A parameter in a path, by its name.
TEMPLATE = re.compile(r"\{([^{}/]+)\}")
# A secret of the service by its name; it is put in when the request is sent, and nowhere before.
SECRET = re.compile(r"\{secret:([a-z][a-z0-9_]{0,62})\}")

# What RFC 9110, section 9.2, says of each method.
ANNOTATIONS_BY_METHOD: Mapping[str, MCPAnnotations] = {
    "get": MCPAnnotations(read_only=True, destructive=False, idempotent=True),
    "post": MCPAnnotations(read_only=False, destructive=False, idempotent=False),
    "put": MCPAnnotations(read_only=False, destructive=False, idempotent=True),
    "patch": MCPAnnotations(read_only=False, destructive=False, idempotent=False),
    "delete": MCPAnnotations(read_only=False, destructive=True, idempotent=True),
}


class Place(StrEnum):
    """Where in the request an argument goes."""

    PATH = "path"
    QUERY = "query"
    HEADER = "header"
    COOKIE = "cookie"
    BODY = "body"
    # A part of longer texts: of values, or of a body that is written out.
    PART = "part"


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationParameter:
    """One value of the request: `argument` is its name for the agent, `name` for the service.

    `style` and `explode` say how lists and objects are written, as in OpenAPI; json as JSON text.
    `needs_row`: it is only named in a text, so that a declared parameter has to say what it is.
    """

    name: str
    argument: str
    place: Place
    schema: JsonSchema = field(hash=False)
    description: str = ""
    required: bool = False
    style: Style = "simple"
    explode: bool = False
    needs_row: bool = False


@dataclass(frozen=True, slots=True)
class OperationValue:
    """A value of the query or a header that somebody wrote: a text with `{argument}`s in it.

    It is sent when all of them are given; without any it is sent always.
    """

    name: str
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class OperationBody:
    """How the arguments of place body are sent.

    `is_flat`: each is one field; otherwise there is one, which is the whole body. `needed` are the
    arguments that a flat body holds whenever it is sent. `template` is the body written out, with
    `{argument}`s in it, of one that is neither.
    """

    content_type: str
    kind: BodyKind
    required: bool
    is_flat: bool
    needed: tuple[str, ...] = ()
    template: str = ""


@dataclass(frozen=True, slots=True)
class SecurityScheme:
    """How a service wants to know its caller; `name` and `place` are those of an API key."""

    id: str
    type: str
    scheme: str = ""
    name: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What a document says of one method of one path.

    `name` is unique in its document and valid as a tool's. `server_urls` may be relative to the
    document's own address. `security` holds alternatives, each the ids of schemes that go together;
    an empty alternative means that none is needed. `retries` are how often a call is sent again after
    a failure that may pass.
    """

    name: str
    method: str
    path: str
    server_urls: tuple[str, ...] = ()
    operation_id: str = ""
    summary: str = ""
    description: str = ""
    parameters: tuple[OperationParameter, ...] = ()
    body: OperationBody | None = None
    security: tuple[tuple[str, ...], ...] = ()
    tags: tuple[str, ...] = ()
    deprecated: bool = False
    # What people add to it: values that are written out, and what becomes of the answer.
    values: tuple[OperationValue, ...] = ()
    keep: Keep | None = None
    paging: Paging | None = None
    retries: int = 0

    @property
    def secret_headers(self) -> dict[str, str]:
        """The headers that name secrets of the service, as they are written."""
        named = (value for value in self.values if value.place is Place.HEADER)
        return {value.name: value.text for value in named if SECRET.search(value.text)}

    def parameters_in(self, place: Place) -> tuple[OperationParameter, ...]:
        """The parameters of one place, in the document's order."""
        return tuple(parameter for parameter in self.parameters if parameter.place is place)


def annotations_of_method(method: str) -> MCPAnnotations | None:
    """What the HTTP method says of an operation's behaviour, by RFC 9110; None for other methods."""
    return ANNOTATIONS_BY_METHOD.get(method.lower())


def input_schema_of(operation: Operation) -> JsonSchema:
    """The JSON schema of the operation's arguments, flat, as an MCP tool's inputSchema.

    Fields of a body that may be left out as a whole are not required.
    """
    properties: dict[str, JsonValue] = {}
    for parameter in operation.parameters:
        text = {"description": parameter.description} if parameter.description else {}
        properties[parameter.argument] = {**parameter.schema, **text}
    schema: JsonSchema = {"type": "object", "properties": properties, "additionalProperties": False}
    if required := [p.argument for p in operation.parameters if p.required]:
        schema["required"] = required
    return schema


def description_of(operation: Operation) -> str:
    """The summary and the description, not saying the same twice."""
    parts = [operation.summary, operation.description]
    if operation.description.startswith(operation.summary):
        parts = [operation.description]
    text = "\n\n".join(part for part in parts if part)
    return f"Deprecated. {text}".strip() if operation.deprecated else text


def parameter_of_schema(
    name: str, schema: JsonSchema, required: bool, description: str = ""
) -> ToolParameter:
    """A property of an input schema as the search knows it."""
    choice = schema.get("enum") or ([schema["const"]] if "const" in schema else None)
    return ToolParameter(
        name=name,
        type=type_word(schema),
        description=description or str(schema.get("description", "")),
        required=required,
        enum=tuple(choice) if choice else None,
    )
