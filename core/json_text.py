"""Compact JSON as UTF-8, the one encoding that limits are measured in."""

import json
import math
from typing import Any

import orjson

from core.toolspec import JsonValue

# Many readers and writers of JSON take no more than 200 levels, and there is a message around a value.
MAX_LEVELS = 100


def encode_json(value: JsonValue) -> bytes:
    """Compact JSON that any client can read: NaN and infinities are null, broken characters U+FFFD.

    Raises TypeError for what has no JSON form.
    """
    encoded = encode_plain(value)
    if encoded is not None:
        return encoded
    return json.dumps(to_encodable(value), ensure_ascii=False, separators=(",", ":")).encode()


def encode_plain(value: Any) -> bytes | None:
    """As `encode_json`, but None for a value that needs its care; may hold an `orjson.Fragment`."""
    try:
        return orjson.dumps(value)
    except TypeError:
        # orjson refuses integers beyond 64 bits, lone surrogates and keys that are no text.
        return None


def indent_json(value: JsonValue) -> str:
    """The value as JSON in several lines, for people; takes what `encode_json` takes."""
    try:
        return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()
    except TypeError:
        return json.dumps(to_encodable(value), ensure_ascii=False, indent=2)


def to_encodable(value: Any) -> JsonValue:
    """A copy of the value in which everything can be written as UTF-8 JSON."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [to_encodable(item) for item in value]
    if isinstance(value, dict):
        return {to_encodable(str(key)): to_encodable(item) for key, item in value.items()}
    return value


def is_deeper_than(levels: int, value: object) -> bool:
    """Whether lists and objects are within each other on more levels; never recurses."""
    level = [value] if isinstance(value, (dict, list)) else []
    while level and levels > 0:
        parts = [part.values() if isinstance(part, dict) else part for part in level]
        level = [item for part in parts for item in part if isinstance(item, (dict, list))]
        levels -= 1
    return bool(level)


def to_storable(document: Any) -> Any:
    """A copy of JSON as PostgreSQL keeps it: without NUL and without halves of characters."""
    match document:
        case str():
            return document.replace("\0", "").encode("utf-8", "replace").decode()
        case list() | tuple():
            return [to_storable(part) for part in document]
        case dict():
            return {to_storable(name): to_storable(value) for name, value in document.items()}
    return document
