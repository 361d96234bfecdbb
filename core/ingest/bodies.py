"""The body of a request from its arguments: JSON, a form, a multipart form, or a text as it is."""

import hashlib
from collections.abc import Mapping

from core.errors import ArgumentsError
from core.ingest.escapes import escape
from core.ingest.operations import Operation, OperationBody, OperationParameter, Place
from core.ingest.schema_keywords import types_of
from core.ingest.values import json_text, value_text
from core.messages import message
from core.toolspec import JsonValue

# As browsers write names in a multipart form, HTML Standard, "multipart form data".
_QUOTED = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})


def encode_body(operation: Operation, given: Mapping[str, JsonValue]) -> tuple[str, bytes]:
    """The content type and the body; '' and b'' where there is none. Raises ArgumentsError."""
    body = operation.body
    parameters = [each for each in operation.parameters_in(Place.BODY) if each.argument in given]
    if body is None or not (parameters or (body.is_flat and body.required)):
        return "", b""
    value = _value_of(body, parameters, given)
    match body.kind:
        case "json":
            return body.content_type, json_text("body", value).encode("utf-8", "replace")
        case "form":
            return body.content_type, _encode_form(_fields_of(value, parameters)).encode()
        case "multipart":
            return _encode_multipart(_fields_of(value, parameters))
        case "text":
            text = value if isinstance(value, str) else json_text("body", value)
            return body.content_type, text.encode("utf-8", "replace")


def _value_of(
    body: OperationBody, parameters: list[OperationParameter], given: Mapping[str, JsonValue]
) -> JsonValue:
    if not body.is_flat:
        return given[parameters[0].argument]
    return {each.name: given[each.argument] for each in parameters}


def _fields_of(value: JsonValue, parameters: list[OperationParameter]) -> list[tuple[str, str]]:
    """Fields as texts, a list as one field for each item, an object as JSON."""
    if not isinstance(value, Mapping):
        raise ArgumentsError(
            message(
                "arguments.object_needed",
                "{name}: must be an object, fields with values",
                name=parameters[0].argument,
            )
        )
    types = {each.name: types_of(each.schema) for each in parameters}
    return [
        (str(name), _field_text(str(name), item, types.get(name, ())))
        for name, each in value.items()
        for item in (each if isinstance(each, (list, tuple)) else [each])
    ]


def _field_text(name: str, value: JsonValue, types: tuple[str, ...]) -> str:
    if isinstance(value, (dict, list, tuple)):
        return json_text(name, value)
    return value_text(name, value, types)


def _encode_form(fields: list[tuple[str, str]]) -> str:
    return "&".join(f"{escape(name)}={escape(text)}" for name, text in fields)


def _encode_multipart(fields: list[tuple[str, str]]) -> tuple[str, bytes]:
    """RFC 7578; the boundary is a digest of the content, which therefore cannot hold it."""
    parts = [
        f'Content-Disposition: form-data; name="{name.translate(_QUOTED)}"\r\n\r\n{text}\r\n'.encode(
            "utf-8", "replace"
        )
        for name, text in fields
    ]
    boundary = hashlib.sha256(b"".join(parts)).hexdigest()
    head, end = f"--{boundary}\r\n".encode(), f"--{boundary}--\r\n".encode()
    return f"multipart/form-data; boundary={boundary}", b"".join(
        head + part for part in parts
    ) + end
