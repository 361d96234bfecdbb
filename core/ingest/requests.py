"""The HTTP request of one call: from an operation and its arguments to plain data."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from core.errors import ArgumentsError, DefinitionError
from core.ingest.bodies import encode_body
from core.ingest.escapes import escape, escape_path, escape_segment
from core.ingest.operations import TEMPLATE, Operation, OperationParameter, Place
from core.ingest.schema_keywords import accepts_null
from core.ingest.texts import shown
from core.ingest.values import query_pairs, simple_items
from core.messages import Message, Value, list_lines, message
from core.toolspec import JsonValue

MAX_ADDRESS_CHARACTERS = 16_000
MAX_HEADER_CHARACTERS = 8_000

# Printable ASCII without blanks at the ends: all that every server reads alike, RFC 9110, 5.5.
_HEADER_VALUE = re.compile(r"(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?")
_SERVER = re.compile(r"https?://[^\s/?#\\@]+(?:/[^\s?#\\]*)?", re.IGNORECASE)

Arguments = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class PlainRequest:
    """What to send: `url` without its query, `query` escaped and without the question mark.

    `headers` are those of the operation's parameters; the content type is apart, '' with no body.
    """

    method: str
    url: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = ""
    body: bytes = b""


def build_request(
    operation: Operation, arguments: Arguments, *, server_url: str | None = None
) -> PlainRequest:
    """The request of a call, to `server_url` or the first address of the operation.

    Null stands for an argument that is not given, unless the parameter's schema has it as a value.
    Raises ArgumentsError, a line for each argument that is missing or unknown, and DefinitionError
    for a server address that is not absolute.
    """
    given = _given(operation, arguments)
    _check_arguments(operation, arguments, given)
    content_type, body = encode_body(operation, given)
    request = PlainRequest(
        method=operation.method.upper(),
        url=_server_of(operation, server_url) + _path_of(operation, given),
        query=_query_of(operation, given),
        headers=_headers_of(operation, given),
        content_type=content_type,
        body=body,
    )
    if len(request.url) + len(request.query) > MAX_ADDRESS_CHARACTERS:
        raise ArgumentsError(
            message(
                "arguments.address_too_long",
                "the arguments make the address too long; at most {limit} characters fit",
                limit=MAX_ADDRESS_CHARACTERS,
            )
        )
    return request


def _given(operation: Operation, arguments: Arguments) -> dict[str, JsonValue]:
    nullable = {
        each.argument for each in operation.parameters_in(Place.BODY) if accepts_null(each.schema)
    }
    return {
        name: value for name, value in arguments.items() if value is not None or name in nullable
    }


def _check_arguments(operation: Operation, arguments: Arguments, given: Arguments) -> None:
    names = [each.argument for each in operation.parameters]
    lines: list[Value] = [_unknown(name, names) for name in arguments if name not in names]
    lines += [
        message("arguments.is_missing", "{name}: is missing", name=name)
        for name in _needed(operation, given)
        if name not in given
    ]
    if lines:
        raise ArgumentsError(list_lines(lines[:20]))


def _needed(operation: Operation, given: Arguments) -> Iterable[str]:
    needed = [each.argument for each in operation.parameters if each.required]
    fields = (each.argument for each in operation.parameters_in(Place.BODY))
    if operation.body and any(name in given for name in fields):
        needed += operation.body.needed
    return dict.fromkeys(needed)


def _unknown(name: str, names: list[str]) -> Message:
    if near := get_close_matches(str(name)[:64], names, n=1):
        return message(
            "arguments.no_argument_near",
            "{name}: is no argument of this tool; did you mean {near}?",
            name=shown(name),
            near=near[0],
        )
    return message(
        "arguments.no_argument",
        "{name}: is no argument of this tool; known are {known}",
        name=shown(name),
        known=", ".join(names[:20]) or "none",
    )


def _server_of(operation: Operation, server_url: str | None) -> str:
    url = server_url or next(iter(operation.server_urls), "")
    if not _SERVER.fullmatch(url):
        raise DefinitionError(
            message(
                "http.address_relative",
                "the address of the service is {address}; it has to be absolute, such as"
                " https://api.example.com/v1",
                address=shown(url),
            )
        )
    return url.rstrip("/")


def _path_of(operation: Operation, given: Arguments) -> str:
    parameters = {each.name: each for each in operation.parameters_in(Place.PATH)}
    parts, end = [], 0
    for found in TEMPLATE.finditer(operation.path):
        parameter = parameters[found.group(1)]
        parts += [
            escape_path(operation.path[end : found.start()]),
            _segment(parameter, given[parameter.argument]),
        ]
        end = found.end()
    return "".join((*parts, escape_path(operation.path[end:])))


def _segment(parameter: OperationParameter, value: JsonValue) -> str:
    items = simple_items(parameter, value)
    return ",".join(escape_segment(parameter.argument, text) for text in items or [""])


def _query_of(operation: Operation, given: Arguments) -> str:
    pairs = [
        pair
        for parameter, value in _present(operation, given, Place.QUERY)
        for pair in query_pairs(parameter, value)
    ]
    return "&".join(f"{escape(name)}={text}" for name, text in pairs)


def _headers_of(operation: Operation, given: Arguments) -> dict[str, str]:
    headers = {
        parameter.name: _header_text(parameter, value)
        for parameter, value in _present(operation, given, Place.HEADER)
    }
    cookies = [
        f"{escape(name)}={text}"
        for parameter, value in _present(operation, given, Place.COOKIE)
        for name, text in query_pairs(parameter, value)
    ]
    return {**headers, "Cookie": "; ".join(cookies)} if cookies else headers


def _present(
    operation: Operation, given: Arguments, place: Place
) -> Iterable[tuple[OperationParameter, JsonValue]]:
    for parameter in operation.parameters_in(place):
        if parameter.argument in given:
            yield parameter, given[parameter.argument]


def _header_text(parameter: OperationParameter, value: JsonValue) -> str:
    text = ",".join(simple_items(parameter, value))
    if len(text) > MAX_HEADER_CHARACTERS or not _HEADER_VALUE.fullmatch(text):
        raise ArgumentsError(
            message(
                "arguments.header_value",
                "{name}: must be printable ASCII on one line, at most {limit} characters",
                name=parameter.argument,
                limit=MAX_HEADER_CHARACTERS,
            )
        )
    return text
