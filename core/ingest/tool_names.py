"""Names that every agent accepts: letters, digits, _ and -, at most 64, each once."""

import hashlib
import re
import unicodedata
from collections.abc import Container

MAX_NAME_CHARACTERS = 64
_REFUSED = re.compile(r"[^A-Za-z0-9_-]+")
_WORD = re.compile(r"[A-Za-z0-9]+")


def to_name(text: str, fallback: str) -> str:
    """The nearest valid name; `fallback` if no letter or digit of the text can stay."""
    name = _REFUSED.sub("_", _plain(text)).strip("_-")
    return _shorten(name, text) if _WORD.search(name) else fallback


def loses_letters(text: str) -> bool:
    """Whether a letter or digit of the text has no place in a name: 날씨, but not météo."""
    return any(c.isalnum() and not c.isascii() for c in _plain(text))


def digest_of(text: str) -> str:
    """Eight hexadecimal digits that keep apart what names cannot."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]


def route_name(method: str, path: str) -> str:
    """A name for an operation without one: GET /users/{id}/orders is get_users_id_orders."""
    words = "_".join(_WORD.findall(path))
    return _shorten(f"{method.lower()}_{words or 'root'}", path)


def unique_name(name: str, taken: Container[str]) -> str:
    """The name itself, or the first of name_2, name_3, ... that is free."""
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name[: MAX_NAME_CHARACTERS - 1 - len(str(number))]}_{number}"
    return candidate


def _plain(text: str) -> str:
    """The text, not its end, with letters of accents and full width as plain ones."""
    plain = unicodedata.normalize("NFKD", text[: 4 * MAX_NAME_CHARACTERS])
    return "".join(c for c in plain if not unicodedata.combining(c))


def _shorten(name: str, text: str) -> str:
    if len(name) <= MAX_NAME_CHARACTERS:
        return name
    # The digest keeps long names with a common beginning apart, whatever else is in the document.
    return f"{name[: MAX_NAME_CHARACTERS - 9].rstrip('_-')}_{digest_of(text)}"
