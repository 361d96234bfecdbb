"""The parameters and the body of an OpenAPI operation, as arguments with names of their own."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast, get_args

from core.errors import ToolboxError
from core.ingest.operations import (
    TEMPLATE,
    BodyKind,
    OperationBody,
    OperationParameter,
    Place,
    Style,
)
from core.ingest.references import References
from core.ingest.schema_keywords import JsonSchema, as_mapping, as_sequence, types_of
from core.ingest.schemas import MAX_PROPERTIES, JsonSchemaReader
from core.ingest.texts import clean_text, find_hidden_character, shown
from core.ingest.tool_names import to_name, unique_name
from core.messages import message

MAX_PARAMETERS = 500
MAX_PARAMETER_CHARACTERS = 200
MAX_DESCRIPTION_CHARACTERS = 2_000

HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
CONTENT_TYPE = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+(?:; ?[\w-]+=[\w./-]+)*", re.ASCII)
# OpenAPI leaves the first three to the body and to security; the others belong to the connection.
RESERVED_HEADERS = frozenset(
    {"accept", "content-type", "authorization", "host", "cookie", "content-length", "connection"}
    | {"transfer-encoding", "te", "trailer", "upgrade", "keep-alive", "expect", "forwarded"}
    | {"proxy-authorization", "proxy-connection"}
)
_DEFAULT_STYLES: Mapping[Place, Style] = {
    Place.PATH: "simple",
    Place.QUERY: "form",
    Place.HEADER: "simple",
    Place.COOKIE: "form",
}
_STYLES: Mapping[Place, frozenset[str]] = {
    Place.PATH: frozenset({"simple"}),
    Place.QUERY: frozenset(get_args(Style)) - {"simple", "json"},
    Place.HEADER: frozenset({"simple"}),
    Place.COOKIE: frozenset({"form"}),
}
_RANGES = frozenset({"*/*", "application/*"})
_KINDS: tuple[tuple[re.Pattern[str], BodyKind], ...] = (
    (re.compile(r"application/json(?:;|$)"), "json"),
    (re.compile(r"[^;]+[/+]json(?:;|$)"), "json"),
    (re.compile(r"application/x-www-form-urlencoded\b"), "form"),
    (re.compile(r"multipart/form-data\b"), "multipart"),
    (re.compile(r""), "text"),
)


class OperationFaultError(ToolboxError):
    """An operation that cannot be called as it is described; the text says what would be right."""


class ParameterReader:
    """Reads parameters and bodies of one document."""

    def __init__(self, references: References) -> None:
        self._references = references
        self._schemas = JsonSchemaReader(references)

    @property
    def is_exhausted(self) -> bool:
        """Whether the document has more schemas than are read."""
        return self._schemas.is_exhausted

    def read(
        self, path: str, item: Mapping[str, Any], operation: Mapping[str, Any]
    ) -> tuple[tuple[OperationParameter, ...], OperationBody | None]:
        """Everything that the operation takes, the required first, each with a name of its own.

        Raises OperationFaultError or ReferenceFaultError.
        """
        self._schemas.restart()
        declared: dict[tuple[Place, str], OperationParameter] = {}
        listed = [*as_sequence(item.get("parameters")), *as_sequence(operation.get("parameters"))]
        for given in listed:
            parameter = self._read_parameter(self._references.follow(given))
            if parameter is not None:
                declared[parameter.place, parameter.name] = parameter
        # Those of the path come first, in its order; one that nothing declares is a text.
        in_path = [
            declared.get((Place.PATH, name))
            or OperationParameter(
                name=name,
                argument=to_name(name, Place.PATH),
                place=Place.PATH,
                schema={"type": "string"},
                required=True,
            )
            for name in dict.fromkeys(TEMPLATE.findall(path))
        ]
        others = (known for known in declared.values() if known.place is not Place.PATH)
        parameters = with_own_names([*in_path, *others])
        body, fields = self._read_body(operation, {known.argument for known in parameters})
        found = sorted((*parameters, *fields), key=lambda parameter: not parameter.required)
        if len(found) > MAX_PARAMETERS:
            raise OperationFaultError(
                message(
                    "openapi.too_many_arguments",
                    "takes {count} arguments; at most {limit} fit",
                    count=len(found),
                    limit=MAX_PARAMETERS,
                )
            )
        return tuple(found), body

    def _read_parameter(self, given: Mapping[str, Any]) -> OperationParameter | None:
        name = given.get("name")
        place = next((place for place in _DEFAULT_STYLES if given.get("in") == place), None)
        if place is None:
            raise OperationFaultError(
                message(
                    "openapi.parameter_place",
                    "parameter {name} is in {place}; it may be in path, query, header or cookie",
                    name=shown(name),
                    place=shown(given.get("in")),
                )
            )
        if (
            not isinstance(name, str)
            or not 0 < len(name) <= MAX_PARAMETER_CHARACTERS
            or find_hidden_character(name) is not None
        ):
            raise OperationFaultError(
                message(
                    "openapi.parameter_name",
                    "a parameter's name is {name}; it has to be a text",
                    name=shown(name),
                )
            )
        if place is Place.HEADER and not HEADER_NAME.fullmatch(name):
            raise OperationFaultError(
                message(
                    "openapi.header_name", "no header can have the name {name}", name=shown(name)
                )
            )
        if place is Place.HEADER and name.lower() in RESERVED_HEADERS:
            return None
        style, schema = self._style_and_schema(given, place)
        explode = given.get("explode")
        return OperationParameter(
            name=name,
            argument=to_name(name, place.value),
            place=place,
            schema=self._schemas.read(schema),
            description=clean_text(given.get("description"), MAX_DESCRIPTION_CHARACTERS),
            required=place is Place.PATH or given.get("required") is True,
            style=style,
            explode=explode if isinstance(explode, bool) else style == "form",
        )

    @staticmethod
    def _style_and_schema(given: Mapping[str, Any], place: Place) -> tuple[Style, object]:
        for content_type, content in as_mapping(given.get("content")).items():
            if _kind_of(content_type) == "json":
                return "json", as_mapping(content).get("schema")
        style = given.get("style", _DEFAULT_STYLES[place])
        if not isinstance(style, str) or style not in _STYLES[place]:
            known = ", ".join(sorted(_STYLES[place]))
            raise OperationFaultError(
                message(
                    "openapi.parameter_style",
                    "parameter {name} has the style {style}; in the {place} it may be {known}",
                    name=shown(given.get("name")),
                    style=shown(style),
                    place=place,
                    known=known,
                )
            )
        return cast(Style, style), given.get("schema")

    def _read_body(
        self, operation: Mapping[str, Any], taken: set[str]
    ) -> tuple[OperationBody | None, list[OperationParameter]]:
        given = self._references.follow(operation.get("requestBody"))
        contents = as_mapping(given.get("content"))
        if not contents:
            return None, []
        content_type, content = self._preferred(contents)
        kind = _kind_of(content_type)
        schema: JsonSchema = {"type": "string"}
        if kind != "text":
            schema = self._schemas.read_object(content.get("schema"))
        required = given.get("required") is True
        fields: list[OperationParameter] = []
        if kind != "text" and _is_flat(schema):
            fields = _read_fields(schema, content.get("encoding") if kind == "form" else None)
        if fields and taken.isdisjoint(field.argument for field in fields):
            needed = tuple(field.argument for field in fields if field.required)
            if not required:
                fields = [replace(field, required=False) for field in fields]
            return OperationBody(content_type, kind, required, is_flat=True, needed=needed), fields
        text = clean_text(given.get("description"), MAX_DESCRIPTION_CHARACTERS)
        if kind == "text":
            text = f"{text} Sent as {content_type}.".strip()
        whole = OperationParameter(
            name="body",
            argument=unique_name("body", taken),
            place=Place.BODY,
            schema=schema,
            description=text,
            required=required,
        )
        return OperationBody(content_type, kind, required, is_flat=False), [whole]

    def _preferred(self, contents: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        """The content type that can be written best from arguments, and what is said of it; the first of equals."""
        order = [kind for _pattern, kind in _KINDS]
        valid: dict[str, Mapping[str, Any]] = {}
        for named, said in contents.items():
            content, content_type = as_mapping(said), named
            if named in _RANGES:
                # Where any type is taken a text is sent as it is, all else as JSON.
                types = types_of(self._references.follow(content.get("schema")))
                content_type = "text/plain" if types == ("string",) else "application/json"
            if CONTENT_TYPE.fullmatch(content_type):
                valid.setdefault(content_type, content)
        if not valid:
            found = ", ".join(map(shown, list(contents)[:3]))
            raise OperationFaultError(
                message(
                    "openapi.body_type",
                    "the body has the content type {kind}; write one such as application/json",
                    kind=found,
                )
            )
        return min(valid.items(), key=lambda each: order.index(_kind_of(each[0])))


def with_own_names(parameters: Sequence[OperationParameter]) -> list[OperationParameter]:
    """The parameters with arguments of different names: id of the query becomes id_query."""
    taken: set[str] = set()
    found: list[OperationParameter] = []
    for parameter in parameters:
        argument, place = parameter.argument, parameter.place
        if argument in taken:
            argument = unique_name(to_name(f"{argument}_{place}", place), taken)
        taken.add(argument)
        found.append(replace(parameter, argument=argument))
    return found


def _kind_of(content_type: str) -> BodyKind:
    return next(kind for pattern, kind in _KINDS if pattern.match(content_type.lower()))


def _read_fields(schema: JsonSchema, encoding: object) -> list[OperationParameter]:
    """The fields of a body as arguments; `encoding` says which of a form are written in brackets."""
    styles = {name: as_mapping(said).get("style") for name, said in as_mapping(encoding).items()}
    return with_own_names(
        [
            OperationParameter(
                name=name,
                argument=to_name(name, "field"),
                place=Place.BODY,
                schema=field,
                required=name in schema.get("required", ()),
                style="deepObject" if styles.get(name) == "deepObject" else "simple",
            )
            for name, field in schema["properties"].items()
        ]
    )


def _is_flat(schema: JsonSchema) -> bool:
    """Whether the fields can be arguments of their own: all are known, and there are no alternatives."""
    extra = schema.get("additionalProperties", False)
    return (
        set(types_of(schema)) - {"null"} == {"object"}
        and 0 < len(schema.get("properties", ())) < MAX_PROPERTIES
        and "anyOf" not in schema
        and extra is False
    )
