"""The logic of an HTTP tool: its operation as JSON text, and the check of its arguments."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, cast, get_args

from core.arguments import ArgumentsValidator, arguments_validator, input_schema
from core.bindings import NOBODY, CallerFacts, is_bound
from core.errors import ArgumentsError, DefinitionError
from core.http_checks import check_places, check_written
from core.ingest.openapi_parameters import CONTENT_TYPE
from core.ingest.operations import (
    ANNOTATIONS_BY_METHOD,
    TEMPLATE,
    BodyKind,
    Operation,
    OperationBody,
    OperationParameter,
    OperationValue,
    Place,
    Style,
    input_schema_of,
)
from core.ingest.templates import NAME, find_names
from core.ingest.texts import shown
from core.json_schema import SchemaCheck
from core.kept_parts import Keep
from core.messages import Value, list_lines, message
from core.paging import MAX_PAGES, PAGING_KINDS, Paging
from core.toolspec import HttpLogic, JsonValue, Logic, ParameterSpec

_PATH = re.compile(r"/[^\s?#\\]*")
_DOTS = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)
_TEXTS = ("summary", "description", "operation_id")
MAX_RETRIES = 5
MAX_FIRST_PAGE = 1_000_000


def operation_text(operation: Operation) -> str:
    """The operation as people can read it and `read_operation` reads it again: JSON, indented."""
    document: dict[str, JsonValue] = {"method": operation.method, "path": operation.path}
    document |= {key: getattr(operation, key) for key in _TEXTS if getattr(operation, key)}
    document |= {"tags": list(operation.tags)} if operation.tags else {}
    document |= {"deprecated": True} if operation.deprecated else {}
    document["parameters"] = [
        {
            key: value
            for key, value in {
                "name": parameter.name,
                "argument": parameter.argument,
                "in": parameter.place.value,
                "required": parameter.required,
                "description": parameter.description,
                "style": parameter.style,
                "explode": parameter.explode,
                "schema": parameter.schema,
            }.items()
            if value != ""
        }
        for parameter in operation.parameters
        if not parameter.needs_row
    ]
    if operation.values:
        document["values"] = [
            {"name": value.name, "in": value.place.value, "value": value.text}
            for value in operation.values
        ]
    if body := operation.body:
        shape: dict[str, JsonValue] = {"template": body.template}
        if not body.template:
            shape = {
                "required": body.required,
                "is_flat": body.is_flat,
                "needed": list(body.needed),
            }
        document["body"] = {"content_type": body.content_type, "kind": body.kind, **shape}
    for name, part in (("keep", operation.keep), ("paging", operation.paging)):
        if part is not None:
            document[name] = {key: value for key, value in asdict(part).items() if value != ""}
    if operation.retries:
        document["retries"] = operation.retries
    return json.dumps(document, ensure_ascii=False, indent=2)


def read_operation(text: str) -> Operation:
    """The operation of a definition. Raises DefinitionError that says what would be right."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DefinitionError(
            message(
                "http.definition_object", "definition: must be a JSON object with method and path"
            )
        ) from error
    try:
        operation = _with_named(_read(given))
        check_places(operation)
        check_written(operation)
    except DefinitionError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise DefinitionError(
            message(
                "http.definition_no_operation",
                "definition: is no operation as `manage.py tools ingest` writes it ({reason})",
                reason=f"{error!s:.100}",
            )
        ) from error
    return operation


def is_writing(logic: Logic) -> bool:
    """Whether a run may change something elsewhere: the request of an HTTP tool that does not only read.

    Raises as `read_operation`.
    """
    if not isinstance(logic, HttpLogic):
        return False
    return not ANNOTATIONS_BY_METHOD[read_operation(logic.operation).method].read_only


class OperationArguments(ArgumentsValidator):
    """The check of an HTTP tool's calls: parameters that have rows by those, all by the operation.

    A parameter without a row is the agent's, as the operation describes it. The values are those that
    were sent: an optional one that was left out is not among them.
    """

    __slots__ = ("_checks", "_kinds", "_operation", "_own", "_rows")

    def __init__(
        self, tool_name: str, operation: Operation, parameters: Sequence[ParameterSpec]
    ) -> None:
        super().__init__(tool_name, parameters)
        self._operation = operation
        self._kinds = {spec.name: spec.type.kind for spec in parameters}
        names = [parameter.argument for parameter in operation.parameters]
        self._own = tuple(name for name in names if name not in self._kinds)
        self._rows = arguments_validator(tool_name, parameters, self._own)
        self._checks: dict[str, SchemaCheck] = {}

    def __call__(
        self, arguments: Mapping[str, object], facts: CallerFacts = NOBODY
    ) -> dict[str, object]:
        """Values by name. Raises ArgumentsError, a line for each that does not fit; MissingFactError."""
        own = self._own
        values = self._rows({k: v for k, v in arguments.items() if k not in own}, facts)
        given = {
            name: value if value is None else self._kinds[name].to_json(value)
            for name, value in values.items()
            if value is not None or name in arguments
        }
        given |= {name: arguments[name] for name in arguments if name in own}
        missing: list[Value] = []
        problems: list[Value] = []
        for parameter in self._operation.parameters:
            name = parameter.argument
            if parameter.required and name not in given:
                missing.append(message("arguments.is_missing", "{name}: is missing", name=name))
            elif given.get(name) is not None:
                if name not in self._checks:
                    self._checks[name] = SchemaCheck(parameter.schema)
                problems += self._checks[name].problems(name, given[name])
        if missing or problems:
            raise ArgumentsError(list_lines([*missing, *problems][:20]))
        return given


def operation_schema(operation: Operation, parameters: Sequence[ParameterSpec]) -> dict[str, Any]:
    """The JSON schema of the tool's arguments: of its rows, with what only the operation says."""
    rows, whole = input_schema(parameters), input_schema_of(operation)
    hidden = {spec.name for spec in parameters if is_bound(spec)}
    declared = {spec.name for spec in parameters}
    properties = {
        name: _merged(own, rows["properties"][name]) if name in declared else own
        for name, own in whole["properties"].items()
        if name not in hidden
    }
    required = [*rows.get("required", ())]
    required += [name for name in whole.get("required", ()) if name not in declared]
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = [name for name in properties if name in required]
    return {**schema, "additionalProperties": False}


def _merged(own: Mapping[str, Any], row: dict[str, Any]) -> dict[str, Any]:
    """The row's schema with the operation's other constraints of the value."""
    if "anyOf" in row:
        value, *others = row["anyOf"]
        return {**row, "anyOf": [_merged(own, value), *others]}
    of_row = {"type", "description", "default", "enum", "const", "anyOf", "items"}
    return {**row, **{key: value for key, value in own.items() if key not in of_row | row.keys()}}


def _read(given: Mapping[str, Any]) -> Operation:
    method, path = str(given["method"]).lower(), given["path"]
    if method not in ANNOTATIONS_BY_METHOD:
        raise DefinitionError(
            message(
                "http.definition_method",
                "definition: method must be one of {methods}",
                methods=", ".join(ANNOTATIONS_BY_METHOD),
            )
        )
    plain = TEMPLATE.sub("x", path) if isinstance(path, str) else ""
    if not _PATH.fullmatch(plain) or _DOTS.search(plain) or "{" in plain or "}" in plain:
        raise DefinitionError(
            message(
                "http.definition_path",
                "definition: path is {path}; it has to begin with / and have no dot"
                " segments, spaces, backslashes, ? or #",
                path=shown(path),
            )
        )
    return Operation(
        name="operation",
        method=method,
        path=path,
        summary=str(given.get("summary", "")),
        description=str(given.get("description", "")),
        operation_id=str(given.get("operation_id", "")),
        tags=tuple(map(str, given.get("tags", ()))),
        deprecated=given.get("deprecated") is True,
        parameters=tuple(map(_read_parameter, given.get("parameters", ()))),
        body=_read_body(given["body"]) if given.get("body") else None,
        values=tuple(
            OperationValue(str(value["name"]), Place(value["in"]), str(value["value"]))
            for value in given.get("values", ())
        ),
        keep=_read_keep(given.get("keep")),
        paging=_read_paging(given.get("paging")),
        retries=_read_number(given, "retries", 0, MAX_RETRIES),
    )


def _read_keep(given: Mapping[str, Any] | None) -> Keep | None:
    keep = Keep(**{name: str(text) for name, text in given.items()}) if given else Keep()
    return keep if keep.path or keep.expression else None


def _read_paging(given: Mapping[str, Any] | None) -> Paging | None:
    if not given:
        return None
    if given["kind"] not in PAGING_KINDS:
        raise DefinitionError(
            message(
                "http.paging_kind",
                "definition: paging is by one of {kinds}",
                kinds=", ".join(PAGING_KINDS),
            )
        )
    return Paging(
        kind=given["kind"],
        items=str(given.get("items", "")),
        next=str(given.get("next", "")),
        parameter=str(given.get("parameter", "")),
        first=_read_number(given, "first", 1, MAX_FIRST_PAGE),
        pages=_read_number(given, "pages", 10, MAX_PAGES),
    )


def _read_number(given: Mapping[str, Any], name: str, default: int, limit: int) -> int:
    number = given.get(name, default)
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= limit:
        raise DefinitionError(
            message(
                "http.definition_number",
                "definition: {name} must be a whole number from 0 to {limit}",
                name=name,
                limit=limit,
            )
        )
    return number


def _with_named(operation: Operation) -> Operation:
    """The operation with a parameter for each name that is written in it and described nowhere."""
    parameters = {parameter.argument: parameter for parameter in operation.parameters}
    if len(parameters) < len(operation.parameters):
        # Two have one argument, which is refused later.
        return operation
    described = {parameter.name for parameter in operation.parameters_in(Place.PATH)}
    names = {
        name: Place.PATH
        for name in TEMPLATE.findall(operation.path)
        if name not in described and NAME.fullmatch(f"{{{name}}}")
    }
    texts: list[str] = [value.text for value in operation.values]
    texts += [operation.body.template] if operation.body else []
    names |= {name: Place.PART for text in texts for name in find_names(text) if name not in names}
    for name, place in names.items():
        if name not in parameters:
            is_needed = place is Place.PATH
            parameters[name] = OperationParameter(
                name=name,
                argument=name,
                place=place,
                schema={},
                required=is_needed,
                needs_row=True,
            )
    return replace(operation, parameters=tuple(parameters.values()))


def _read_parameter(given: Mapping[str, Any]) -> OperationParameter:
    style, schema = given.get("style", "simple"), given.get("schema", {})
    if style not in get_args(Style) or not isinstance(schema, dict):
        raise DefinitionError(
            message(
                "http.definition_style",
                "definition: parameter {name} has no known style",
                name=shown(given["name"]),
            )
        )
    return OperationParameter(
        name=str(given["name"]),
        argument=str(given["argument"]),
        place=Place(given["in"]),
        schema=schema,
        description=str(given.get("description", "")),
        required=given.get("required") is True,
        style=cast(Style, style),
        explode=given.get("explode") is True,
    )


def _read_body(given: Mapping[str, Any]) -> OperationBody:
    kind, content_type = given["kind"], given["content_type"]
    if kind not in get_args(BodyKind) or not CONTENT_TYPE.fullmatch(content_type):
        raise DefinitionError(
            message(
                "http.definition_body",
                "definition: body needs a kind and a content_type that are known",
            )
        )
    return OperationBody(
        content_type=content_type,
        kind=cast(BodyKind, kind),
        required=given.get("required") is True,
        is_flat=given.get("is_flat") is True,
        needed=tuple(map(str, given.get("needed", ()))),
        template=str(given.get("template", "")),
    )
