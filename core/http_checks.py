"""What an HTTP tool's operation must not be: judged as it is read, with its parameters and with its hints."""

import re
from collections.abc import Iterable, Mapping, Sequence

from core.errors import DefinitionError
from core.ingest.openapi_parameters import HEADER_NAME, RESERVED_HEADERS
from core.ingest.operations import (
    ANNOTATIONS_BY_METHOD,
    SECRET,
    TEMPLATE,
    Operation,
    OperationParameter,
    OperationValue,
    Place,
)
from core.ingest.templates import check_json, find_names
from core.ingest.texts import shown
from core.messages import Message, message
from core.toolspec import ParameterSpec, Presence

# As core.ingest.requests has it; a value that is written out has no blanks at its ends either.
_HEADER_TEXT = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


def check_declared(operation: Operation, parameters: Sequence[ParameterSpec]) -> None:
    """Raise DefinitionError for a row that names no parameter of the operation, or one without a row."""
    names = [parameter.argument for parameter in operation.parameters]
    if unknown := [spec.name for spec in parameters if spec.name not in names]:
        raise DefinitionError(
            message(
                "http.arguments_unknown",
                "the operation does not take {unknown}; remove the parameter, or name one of"
                " {names}",
                unknown=", ".join(unknown),
                names=", ".join(names[:20]) or "none",
            )
        )
    declared = {spec.name: spec for spec in parameters}
    for parameter in operation.parameters:
        spec = declared.get(parameter.argument)
        if parameter.needs_row and spec is None:
            raise DefinitionError(
                message(
                    "http.name_undeclared",
                    "the request uses {name}, which is not declared; add the parameter",
                    name=parameter.argument,
                )
            )
        if parameter.place is Place.PATH and spec and spec.presence is Presence.OPTIONAL_NULL:
            raise DefinitionError(
                message(
                    "http.path_needs_value",
                    "{name} is a part of the path: make it required, or give it a default",
                    name=parameter.argument,
                )
            )


def explain_missing_secret(name: str) -> Message:
    """Why a header that names this secret cannot be sent."""
    return message(
        "http.no_such_secret",
        "the service has no secret {name}; an administrator has to enter it on the service's page",
        name=name,
    )


def check_repeatable(operation: Operation, annotations: Mapping[str, bool]) -> None:
    """Raise DefinitionError where a request would be sent again that may change something twice."""
    hints = ANNOTATIONS_BY_METHOD[operation.method]
    if operation.retries and not (hints.idempotent or annotations.get("idempotentHint")):
        raise DefinitionError(
            message(
                "http.retries_unsafe",
                "{method} may change something twice when it is sent again; set retries to 0, or say"
                " that the tool is idempotent",
                method=operation.method.upper(),
            )
        )
    if operation.paging and not (hints.read_only or annotations.get("readOnlyHint")):
        raise DefinitionError(
            message(
                "http.paging_unsafe",
                "{method} may change something with each page; take paging out, or say that the tool"
                " only reads",
                method=operation.method.upper(),
            )
        )


def check_places(operation: Operation) -> None:
    """What another program wrote must not reach the connection's own headers."""
    names = [parameter.argument for parameter in operation.parameters]
    if len(set(names)) < len(names):
        raise DefinitionError(
            message(
                "http.definition_argument_twice",
                "definition: two parameters have the same argument; rename one",
            )
        )
    path_parameters = operation.parameters_in(Place.PATH)
    in_path = {parameter.name for parameter in path_parameters if parameter.required}
    if set(TEMPLATE.findall(operation.path)) != in_path:
        raise DefinitionError(
            message(
                "http.definition_path_parameter",
                "definition: every {name} of the path needs its required parameter",
            )
        )
    headers: Iterable[OperationParameter | OperationValue] = (
        *operation.parameters_in(Place.HEADER),
        *(value for value in operation.values if value.place is Place.HEADER),
    )
    for header in headers:
        is_accept = isinstance(header, OperationValue) and header.name.lower() == "accept"
        is_reserved = header.name.lower() in RESERVED_HEADERS and not is_accept
        if not HEADER_NAME.fullmatch(header.name) or is_reserved:
            raise DefinitionError(
                message(
                    "http.definition_header",
                    "definition: no parameter may be the header {name}",
                    name=shown(header.name),
                )
            )
    fields = operation.parameters_in(Place.BODY)
    if bool(fields) and (
        operation.body is None
        or not (operation.body.template or operation.body.is_flat or len(fields) == 1)
    ):
        raise DefinitionError(
            message(
                "http.definition_body_parameters",
                "definition: the parameters of the body do not fit its description",
            )
        )


def check_written(operation: Operation) -> None:
    """What is written out by hand: values, the body, and what becomes of the answer."""
    for value in operation.values:
        if not value.name or value.place not in {Place.QUERY, Place.HEADER}:
            raise DefinitionError(
                message(
                    "http.value_name",
                    "each value needs a name, and is one of the query or a header",
                )
            )
        if SECRET.search(value.text) and (value.place is Place.QUERY or find_names(value.text)):
            raise DefinitionError(
                message(
                    "http.secret_place",
                    "{name}: a secret of the service stands in a header, without parameters beside it",
                    name=shown(value.name),
                )
            )
        if value.place is Place.HEADER and not _HEADER_TEXT.fullmatch(value.text):
            raise DefinitionError(
                message(
                    "http.header_text",
                    "the header {name} must be printable ASCII on one line",
                    name=shown(value.name),
                )
            )
    if operation.body and operation.body.template and operation.body.kind != "text":
        check_json(operation.body.template)
    for place, part in (("keep", operation.keep), ("paging", operation.paging)):
        try:
            if part is not None:
                part.check()
        except DefinitionError as error:
            raise DefinitionError(
                message("http.part_fault", "{part}: {reason}", part=place, reason=error.message)
            ) from error
