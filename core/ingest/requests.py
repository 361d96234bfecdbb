"""The HTTP request of one call: from an operation and its arguments to plain data."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from core.errors import ArgumentsError, DefinitionError
from core.ingest.escapes import escape, escape_path, escape_segment
from core.ingest.operations import (
    SECRET,
    TEMPLATE,
    Operation,
    OperationParameter,
    OperationValue,
    Place,
)
from core.ingest.schema_keywords import accepts_null, is_file, types_of
from core.ingest.templates import ABSENT, NAME, fill_json, fill_text, find_names
from core.ingest.texts import shown
from core.ingest.values import deep_pairs, json_text, query_pairs, simple_items, value_text
from core.messages import Value, list_lines, message
from core.toolspec import JsonValue

MAX_ADDRESS_CHARACTERS = 16_000
MAX_HEADER_CHARACTERS = 8_000

# Printable ASCII without blanks at the ends: all that every server reads alike, RFC 9110, 5.5.
_HEADER_VALUE = re.compile(r"(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?")
_SERVER = re.compile(r"https?://[^\s/?#\\@]+(?:/[^\s?#\\]*)?", re.IGNORECASE)
# As browsers write names in a multipart form, HTML Standard, "multipart form data".
_QUOTED = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})

Arguments = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class PlainRequest:
    """What to send: `url` without its query, `query` escaped and without the question mark.

    `headers` are those of the operation's parameters; the content type is apart, '' with no body.
    `secret_headers` are texts of the tool's author that name secrets of the service: no argument is in them.
    """

    method: str
    url: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    secret_headers: Mapping[str, str] = field(default_factory=dict)
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
    fields = operation.parameters_in(Place.BODY)
    nullable = {field.argument for field in fields if accepts_null(field.schema)}
    # Where a body is written out, its author lets null be sent or not.
    nullable |= set(find_names(operation.body.template if operation.body else ""))
    given = {key: value for key, value in arguments.items() if value is not None or key in nullable}
    _check_arguments(operation, arguments, given)
    content_type, body = _encode_body(operation, given)
    server = server_url or next(iter(operation.server_urls), "")
    if not _SERVER.fullmatch(server):
        raise DefinitionError(
            message(
                "http.address_relative",
                "the address of the service is {address}; it has to be absolute, such as"
                " https://api.example.com/v1",
                address=shown(server),
            )
        )
    request = PlainRequest(
        method=operation.method.upper(),
        url=server.rstrip("/") + _path_of(operation, given),
        query="&".join(_pairs_of(operation, given, Place.QUERY)),
        headers=_headers_of(operation, given),
        secret_headers=operation.secret_headers,
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


def _check_arguments(operation: Operation, arguments: Arguments, given: Arguments) -> None:
    names = [parameter.argument for parameter in operation.parameters]
    needed = [parameter.argument for parameter in operation.parameters if parameter.required]
    fields = operation.parameters_in(Place.BODY)
    if operation.body and any(field.argument in given for field in fields):
        needed += operation.body.needed
    lines: list[Value] = []
    for name in arguments:
        if name in names:
            continue
        if near := get_close_matches(str(name)[:64], names, n=1):
            text = message(
                "arguments.no_argument_near",
                "{name}: is no argument of this tool; did you mean {near}?",
                name=shown(name),
                near=near[0],
            )
        else:
            text = message(
                "arguments.no_argument",
                "{name}: is no argument of this tool; known are {known}",
                name=shown(name),
                known=", ".join(names[:20]) or "none",
            )
        lines.append(text)
    lines += [
        message("arguments.is_missing", "{name}: is missing", name=name)
        for name in dict.fromkeys(needed)
        if name not in given
    ]
    if lines:
        raise ArgumentsError(list_lines(lines[:20]))


def _path_of(operation: Operation, given: Arguments) -> str:
    parameters = {parameter.name: parameter for parameter in operation.parameters_in(Place.PATH)}
    parts, end = [], 0
    for found in TEMPLATE.finditer(operation.path):
        parameter = parameters[found.group(1)]
        items = simple_items(parameter, given[parameter.argument]) or [""]
        parts += [
            escape_path(operation.path[end : found.start()]),
            ",".join(escape_segment(parameter.argument, text) for text in items),
        ]
        end = found.end()
    return "".join((*parts, escape_path(operation.path[end:])))


def _pairs_of(operation: Operation, given: Arguments, place: Place) -> list[str]:
    """Escaped names with their values, for a query or cookies."""
    pairs = [
        pair
        for parameter in operation.parameters_in(place)
        if parameter.argument in given
        for pair in query_pairs(parameter, given[parameter.argument])
    ]
    for value in operation.values:
        if value.place is place:
            pairs += _pairs_of_value(value, given)
    return [f"{escape(name)}={text}" for name, text in pairs]


def _pairs_of_value(value: OperationValue, given: Arguments) -> list[tuple[str, str]]:
    """What is sent of a value that is written out; a list that is all of it as one pair for each item."""
    whole = NAME.fullmatch(value.text)
    if whole and isinstance(given.get(whole[1]), (list, tuple)):
        parameter = OperationParameter(
            name=value.name,
            argument=whole[1],
            place=value.place,
            schema={},
            style="form",
            explode=True,
        )
        return query_pairs(parameter, given[whole[1]])
    text = fill_text(value.text, given)
    return [] if text is None else [(value.name, escape(text))]


def _headers_of(operation: Operation, given: Arguments) -> dict[str, str]:
    texts = [
        (
            parameter.name,
            parameter.argument,
            ",".join(simple_items(parameter, given[parameter.argument])),
        )
        for parameter in operation.parameters_in(Place.HEADER)
        if parameter.argument in given
    ]
    for value in operation.values:
        is_plain = value.place is Place.HEADER and not SECRET.search(value.text)
        text = fill_text(value.text, given) if is_plain else None
        texts += [(value.name, value.name, text)] if text is not None else []
    headers: dict[str, str] = {}
    for name, place, text in texts:
        if len(text) > MAX_HEADER_CHARACTERS or not _HEADER_VALUE.fullmatch(text):
            raise ArgumentsError(
                message(
                    "arguments.header_value",
                    "{name}: must be printable ASCII on one line, at most {limit} characters",
                    name=place,
                    limit=MAX_HEADER_CHARACTERS,
                )
            )
        headers[name] = text
    cookies = _pairs_of(operation, given, Place.COOKIE)
    return {**headers, "Cookie": "; ".join(cookies)} if cookies else headers


def _encode_body(operation: Operation, given: Arguments) -> tuple[str, bytes]:
    """The content type and the body; '' and b'' if there is none. Raises ArgumentsError."""
    body = operation.body
    parameters = [field for field in operation.parameters_in(Place.BODY) if field.argument in given]
    if body is None or not (parameters or body.template or (body.is_flat and body.required)):
        return "", b""
    value: JsonValue
    if body.template and body.kind == "text":
        value = NAME.sub(lambda found: fill_text(found[0], given) or "", body.template)
    elif body.template:
        value = fill_json(body.template, given)
        if value is ABSENT:
            return "", b""
    elif body.is_flat:
        value = {field.name: given[field.argument] for field in parameters}
    else:
        value = given[parameters[0].argument]
    match body.kind:
        case "json":
            return body.content_type, json_text("body", value).encode("utf-8", "replace")
        case "form":
            fields = _fields_of(value, parameters)
            text = "&".join(f"{escape(name)}={escape(field)}" for name, field in fields)
            return body.content_type, text.encode()
        case "multipart":
            # RFC 7578; the boundary is a digest of the content, which therefore cannot hold it.
            files = {parameter.name for parameter in parameters if is_file(parameter.schema)}
            parts = [
                f"Content-Disposition: form-data; {_part_head(name, is_file=name in files)}{field}\r\n"
                for name, field in _fields_of(value, parameters)
            ]
            encoded = [part.encode("utf-8", "replace") for part in parts]
            boundary = hashlib.sha256(b"".join(encoded)).hexdigest()
            head, end = f"--{boundary}\r\n".encode(), f"--{boundary}--\r\n".encode()
            content = b"".join(head + part for part in encoded) + end
            return f"multipart/form-data; boundary={boundary}", content
        case "text":
            text = value if isinstance(value, str) else json_text("body", value)
            return body.content_type, text.encode("utf-8", "replace")


def _part_head(name: str, *, is_file: bool) -> str:
    """What stands before the value; many services take a part for a file only where it has a file name."""
    quoted = name.translate(_QUOTED)
    if is_file:
        return f'name="{quoted}"; filename="{quoted}"\r\nContent-Type: application/octet-stream\r\n\r\n'
    return f'name="{quoted}"\r\n\r\n'


def _fields_of(value: JsonValue, parameters: list[OperationParameter]) -> list[tuple[str, str]]:
    """Fields as texts, a list as one field for each item, an object as JSON or in brackets."""
    if not isinstance(value, Mapping):
        raise ArgumentsError(
            message(
                "arguments.object_needed",
                "{name}: must be an object, fields with values",
                name=parameters[0].argument if parameters else "body",
            )
        )
    types = {parameter.name: types_of(parameter.schema) for parameter in parameters}
    deep = {
        parameter.name: parameter for parameter in parameters if parameter.style == "deepObject"
    }
    fields: list[tuple[str, str]] = []
    for name, items in value.items():
        if name in deep:
            fields += deep_pairs(deep[name], items)
            continue
        for item in items if isinstance(items, (list, tuple)) else [items]:
            if isinstance(item, (dict, list, tuple)):
                text = json_text(str(name), item)
            else:
                text = value_text(str(name), item, types.get(name, ()))
            fields.append((str(name), text))
    return fields
