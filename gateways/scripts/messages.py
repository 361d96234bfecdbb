"""What the server and its script processes say to each other: frames of JSON, never pickles.

The server trusts nothing that comes back: every answer is measured, parsed and checked.
"""

import json
import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from core.errors import EvaluationError
from core.messages import Message, from_json, message
from core.toolspec import JsonValue

ERROR_CHARACTERS = 2_000

_LENGTH = struct.Struct("!I")


class MessageError(Exception):
    """A message that no honest script process sends; whoever sent it is to be ended."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The result, or the error for the agent; a process that `is_spent` wants no further call."""

    result: JsonValue = None
    error: Message | None = None
    is_spent: bool = False


class FrameBuffer:
    """Puts frames together from the pieces in which they arrive, one at a time."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._bytes = bytearray()

    def add(self, piece: bytes) -> bytes | None:
        """The frame that this piece completes, if it does.

        Raises MessageError for a frame beyond the limit, and when more follows than one frame.
        """
        self._bytes += piece
        if len(self._bytes) < _LENGTH.size:
            return None
        end = _LENGTH.size + _LENGTH.unpack_from(self._bytes)[0]
        if end - _LENGTH.size > self._limit or len(self._bytes) > end:
            raise MessageError("the message is too long")
        if len(self._bytes) < end:
            return None
        frame = bytes(self._bytes[_LENGTH.size :])
        self._bytes.clear()
        return frame


def encode_request(text: str, values: Mapping[str, object]) -> bytes:
    """The script and the values of exactly the parameters that it reads, as a frame.

    Raises EvaluationError for a value that has no form in JSON.
    """
    tagged = [_tag(value) for value in values.values()]
    try:
        return _frame(json.dumps([text, list(values), tagged]).encode())
    except (TypeError, ValueError) as error:
        raise EvaluationError(
            message("script.argument_kind", "an argument is of a kind that scripts cannot take")
        ) from error


def decode_request(payload: bytes) -> tuple[str, dict[str, object]]:
    """The script and the values, in the types that they had."""
    text, names, values = _REQUEST_DECODER.decode(payload.decode())
    return text, dict(zip(names, values, strict=True))


def encode_reply(reply: Reply, limit: int) -> bytes:
    """The reply as a frame; one that is too long or has no form in JSON becomes an error."""
    try:
        payload = _encode(reply)
    except (TypeError, ValueError, RecursionError):
        return _refuse(
            reply, message("script.result_kind", "the result holds something that has no JSON form")
        )
    if len(payload) > limit:
        return _refuse(
            reply,
            message(
                "script.result_too_long",
                "the result is too long: {size} bytes of JSON, at most {limit} are allowed;"
                " return less",
                size=len(payload),
                limit=limit,
            ),
        )
    return _frame(payload)


def decode_reply(payload: bytes) -> Reply:
    """The reply; raises MessageError unless it is exactly of the form that `encode_reply` gives."""
    match _decode(payload):
        case {"result": result, "is_spent": bool(is_spent), **rest} if not rest:
            return Reply(result=result, is_spent=is_spent)
        case {"error": error, "is_spent": bool(is_spent), **rest} if not rest:
            if (read := from_json(error)) and read.size() <= ERROR_CHARACTERS:
                return Reply(error=read, is_spent=is_spent)
    raise MessageError("the reply has an unknown form")


def encode_greeting(fault: str | None) -> bytes:
    """The first message of a process, as a frame: why its sandbox does not hold, if it does not."""
    return _frame(json.dumps({"fault": fault}).encode())


def decode_greeting(payload: bytes) -> str | None:
    """The fault; raises MessageError unless this is a greeting."""
    match _decode(payload):
        case {"fault": str() | None as fault}:
            return fault
    raise MessageError("the greeting has an unknown form")


def _frame(payload: bytes) -> bytes:
    return _LENGTH.pack(len(payload)) + payload


def _refuse(reply: Reply, error: Message) -> bytes:
    return _frame(_encode(Reply(error=error, is_spent=reply.is_spent)))


def _encode(reply: Reply) -> bytes:
    fields: dict[str, JsonValue] = {"is_spent": reply.is_spent}
    if reply.error is None:
        fields["result"] = reply.result
    else:
        fields["error"] = reply.error.shortened(ERROR_CHARACTERS).to_json()
    # Half a character in an error is replaced, in a result it is refused.
    return _REPLY_ENCODER.encode(fields).encode(errors="replace" if reply.error else "strict")


def _decode(payload: bytes) -> Any:
    try:
        decoded = _REPLY_DECODER.decode(payload.decode())
        if b"\\u" in payload:
            # An escape may have smuggled in half a character, which no client could read.
            json.dumps(decoded, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise MessageError("the message is no JSON") from error
    return decoded


def _read_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is too large")
    return number


_REPLY_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
# int() refuses NaN and the infinities, which are no JSON.
_REPLY_DECODER = json.JSONDecoder(parse_float=_read_float, parse_constant=int)

_PLAIN = frozenset({str, int, float, bool, type(None)})
# Every object in a request has one key, which tells how to read it.
_TAGS: dict[type, tuple[str, Callable[[Any], JsonValue]]] = {
    Decimal: ("decimal", str),
    date: ("date", date.isoformat),
    datetime: ("datetime", datetime.isoformat),
}
_UNTAGS: dict[str, Callable[[Any], object]] = {
    "decimal": Decimal,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "object": dict,
}


def _tag(value: Any) -> JsonValue:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is list or kind is tuple:
        return [_tag(item) for item in value]
    if kind is dict:
        return {"object": [[key, _tag(item)] for key, item in value.items()]}
    if known := _TAGS.get(kind):
        name, encode = known
        return {name: encode(value)}
    return value


def _untag(tagged: dict[str, Any]) -> object:
    ((name, value),) = tagged.items()
    return _UNTAGS[name](value)


# Made once, like the others: json.loads() would make a decoder for each request.
_REQUEST_DECODER = json.JSONDecoder(object_hook=_untag)
