"""What is kept of a call's arguments: small, by policy, and in a form that the database takes."""

import re
from collections.abc import Collection, Mapping
from typing import Any

import orjson
from django.utils.crypto import salted_hmac
from msgspec import Raw

from core.catalogue.masking import MASK

TEXT_LIMIT = 1_000
ARGUMENTS_LIMIT = 20_000
ITEMS_LIMIT = 100
LEVELS_LIMIT = 100
_HASHED = re.compile("#[0-9a-f]{16}")
_SHORTENED = re.compile(r"… \((\d+ characters|more levels)\)\Z")


def encode_arguments(
    arguments: Mapping[str, object], policy: str, hidden: Collection[str] = ()
) -> Raw | None:
    """What is kept of a call's arguments as JSON: `full` (long texts shortened), `hash`, `names`, or `none`.

    Of the `hidden` ones no value is kept, whatever the policy.
    """
    if policy == "none":
        return None
    if policy == "names":
        return Raw(orjson.dumps(sorted(shorten_text(str(name)) for name in arguments)))
    if hidden:
        arguments = {name: MASK if name in hidden else value for name, value in arguments.items()}
    # Those of most calls are short and plain: looking costs a third of copying them.
    is_short = isinstance(arguments, dict) and len(arguments) <= ITEMS_LIMIT
    is_plain = is_short and all(map(_is_plain_text, arguments))
    if is_plain and all(map(_is_plain, arguments.values())):
        kept = arguments
    else:
        kept = _shorten(dict(arguments))
    if policy == "hash":
        kept = {name: value if name in hidden else _hash(value) for name, value in kept.items()}
    text = orjson.dumps(kept)
    return Raw(text if len(text) <= ARGUMENTS_LIMIT else orjson.dumps(sorted(kept)))


def recorded_arguments(
    arguments: Mapping[str, object], policy: str, hidden: Collection[str] = ()
) -> Any:
    """The value of `encode_arguments`, as it is read back."""
    text = encode_arguments(arguments, policy, hidden)
    return None if text is None else orjson.loads(bytes(text))


def is_kept_whole(stored: object) -> bool:
    """Whether what is stored of a call's arguments is what was sent: no name, hash, mask or part of it."""
    if not isinstance(stored, dict):
        return False
    return all(
        value != MASK and not _is_hash(value) and _is_whole(value) for value in stored.values()
    )


def _is_hash(value: object) -> bool:
    return isinstance(value, str) and _HASHED.fullmatch(value) is not None


def _is_whole(value: object) -> bool:
    match value:
        case str():
            return not _SHORTENED.search(value)
        case list():
            # One more may have been cut off.
            return len(value) < ITEMS_LIMIT and all(map(_is_whole, value))
        case dict():
            return len(value) < ITEMS_LIMIT and all(map(_is_whole, value.values()))
    return True


def _hash(value: object) -> str:
    """The same for equal values of this installation; what was hashed is left as it is."""
    if isinstance(value, str) and _is_hash(value):
        return value
    return f"#{salted_hmac('recorded arguments', orjson.dumps(value), algorithm='sha256').hexdigest()[:16]}"


def _is_plain(value: object) -> bool:
    """Whether `_shorten` would give the value itself, as far as that shows at a glance."""
    if isinstance(value, (int, float)):
        return -(2**63) < value < 2**63
    return value is None or _is_plain_text(value)


def _is_plain_text(value: object) -> bool:
    return isinstance(value, str) and value.isprintable() and len(value) <= TEXT_LIMIT


def _shorten(value: object, levels: int = LEVELS_LIMIT) -> Any:
    match value:
        case str():
            return shorten_text(value)
        case bool() | None:
            return value
        case int() | float():
            # NaN compares with nothing, so it is text like the infinities and what is beyond 64 bits.
            return value if -(2**63) < value < 2**63 else str(value)
        case list() | dict() if levels == 0:
            value = "… (more levels)"
        case list():
            return [_shorten(item, levels - 1) for item in value[:ITEMS_LIMIT]]
    if isinstance(value, dict):
        items = list(value.items())[:ITEMS_LIMIT]
        return {shorten_text(str(key)): _shorten(item, levels - 1) for key, item in items}
    return shorten_text(str(value))


def shorten_text(text: str) -> str:
    """The text in a form that the database takes, at most 1,000 characters and a word on the rest."""
    if text.isprintable() and len(text) <= TEXT_LIMIT:
        return text
    # PostgreSQL's jsonb holds neither NUL nor lone surrogates.
    clean = text[:TEXT_LIMIT].replace("\0", "\\0").encode(errors="replace").decode()
    return clean if len(text) <= TEXT_LIMIT else f"{clean}… ({len(text)} characters)"
