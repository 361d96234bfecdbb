"""A pasted curl command as the beginning of a tool: its service, with the credentials, and its request."""

import re

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from catalog.changes import source_changed
from catalog.models import Authentication, DataSource
from catalog.rights import require_use
from catalog.sources.gates import rights_on_sources
from catalog.sources.services import make_service
from core.errors import EditError
from core.ingest.curl import CurlRequest
from core.ingest.operations import annotations_of_method
from core.ingest.templates import NAME
from core.messages import message
from core.toolspec import JsonValue, ParameterType
from gateways.http.kind import HTTP
from toolbuilder.beginning.naming import to_identifier
from toolbuilder.editing.drafts import choose_free_name
from toolbuilder.editing.http_form import HttpFields, ValueRow, write_definition
from tools.definitions import ParameterDocument, ToolDocument
from tools.models import ToolType

# Of a path: a word, and no version such as v1.
_WORD = re.compile(r"(?!v[0-9]+$)[A-Za-z][A-Za-z0-9_]*")
_INTEGER = re.compile(r"-?[0-9]{1,15}")
_NUMBER = re.compile(r"-?[0-9]{1,15}\.[0-9]{1,15}")
_NOT_IN_HOST_NAMES = frozenset({"api", "www", "com", "org", "net", "io", "dev", "example"})
_AUTHENTICATION = {
    "bearer": Authentication.BEARER,
    "basic": Authentication.BASIC,
    "header": Authentication.HEADER,
    "query": Authentication.QUERY,
}


def take_service(
    request: CurlRequest, name: str, user: User, *, allows_host: bool = False
) -> tuple[DataSource, list[str]]:
    """The service of the command's address, and what a person has to know of it.

    One that is there is used as it is; else one of that name is made, and has the credentials of the
    command as its own; with `allows_host` at a host inside as well. Raises EditError that says what
    would be right.
    """
    address = request.origin + request.path
    services = DataSource.objects.filter(engine=HTTP.name)
    fitting = [
        one for one in services if f"{address}/".startswith(f"{one.server_url.rstrip('/')}/")
    ]
    notes = []
    if request.left_out:
        names = ", ".join(dict.fromkeys(request.left_out))
        notes.append(_("Left out, since tools do not send it: %(names)s.") % {"names": names})
    if fitting:
        # The longest address says the most.
        service = max(fitting, key=lambda one: (one.name == name, len(one.server_url)))
        require_use(user, service)
        if request.credential and service.authentication == Authentication.NONE:
            notes.append(
                _("The secret of the command was not kept: give it to the service %(name)s.")
                % {"name": service.name}
            )
        return service, notes
    if not rights_on_sources(user).may_add:
        raise EditError(
            message(
                "curl.may_not_add",
                "There is no HTTP service at {address}, and you may not add data sources.",
                address=request.origin,
            )
        )
    service = add_service(request, name, allows_host=allows_host)
    if request.credential:
        notes.append(
            _(
                "The secret of the command is kept, encrypted, by the service %(name)s; the tool has none."
            )
            % {"name": service.name}
        )
    return service, notes


def add_service(request: CurlRequest, name: str, *, allows_host: bool) -> DataSource:
    """A new service at the command's address, with its credentials; as `take_service`."""
    credential, given = request.credential, {}
    if credential:
        given = {
            "authentication": _AUTHENTICATION[credential.kind],
            "authentication_name": credential.name,
            "username": credential.username,
            "secret": credential.secret,
        }
    name = name or suggest_service_name(request.origin)
    service = make_service(name, request.origin, allows_host=allows_host, **given)
    service.save()
    source_changed(service)
    return service


def suggest_service_name(origin: str) -> str:
    """A name made of the host, such as `weather` of https://api.weather.example."""
    labels = origin.partition("://")[2].partition(":")[0].split(".")
    telling = [label for label in labels if label not in _NOT_IN_HOST_NAMES]
    name = to_identifier(telling[0] if telling else "", "service")
    taken = set(DataSource.objects.values_list("name", flat=True))
    return next(
        free
        for free in (name, *(f"{name}_{number}" for number in range(2, 1_000)))
        if free not in taken
    )


def make_tool(
    request: CurlRequest, service: DataSource
) -> tuple[ToolDocument, dict[str, JsonValue]]:
    """The tool that sends the request, and the values of the command's query for its first trial."""
    base = service.server_url.rstrip("/").removeprefix(request.origin)
    path = request.path.removeprefix(base) or "/"
    rows, parameters, values = [], [], {}
    for name, text in request.query:
        argument = to_identifier(name, "")
        if NAME.fullmatch(f"{{{argument}}}") is None or argument in values:
            rows.append(ValueRow(name, text))
            continue
        kind, value = _read_literal(text)
        rows.append(ValueRow(name, f"{{{argument}}}"))
        parameters.append(ParameterDocument(param_name=argument, param_type=kind.value))
        values[argument] = value
    fields = HttpFields(
        method=request.method,
        path=path,
        query=tuple(rows),
        headers=tuple(ValueRow(name, value) for name, value in request.headers),
        body_kind=request.body_kind,
        body=request.body,
    )
    hints = annotations_of_method(request.method)
    words = "_".join(part for part in path.split("/") if _WORD.fullmatch(part))
    document = ToolDocument(
        name=choose_free_name(to_identifier(f"{request.method}_{words}", "request")),
        tool_type=ToolType.HTTP.value,
        definition=write_definition(fields),
        data_source=service.name,
        annotations={
            "readOnlyHint": bool(hints and hints.read_only),
            "destructiveHint": bool(hints and hints.destructive),
            "idempotentHint": bool(hints and hints.idempotent),
            "openWorldHint": True,
        },
        parameters=tuple(parameters),
    )
    return document, values


def _read_literal(text: str) -> tuple[ParameterType, JsonValue]:
    if _INTEGER.fullmatch(text):
        return ParameterType.INTEGER, int(text)
    if _NUMBER.fullmatch(text):
        return ParameterType.NUMBER, float(text)
    return ParameterType.STRING, text
