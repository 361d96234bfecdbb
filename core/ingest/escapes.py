"""Percent-encoding, RFC 3986: names and values in an address that cannot leave their place."""

import re

from core.errors import ArgumentsError
from core.messages import message

UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# What the fixed part of a path may hold as it is: pchar of RFC 3986 and the slash.
PATH_CHARACTERS = UNRESERVED | frozenset(b"/!$&'()*+,;=:@")

_ESCAPES = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_SEPARATORS = re.compile(r"[/\\]")
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# How often a value is decoded on its way through proxies and frameworks, at most.
_DECODINGS = 4


def escape(text: str, kept: frozenset[int] = UNRESERVED) -> str:
    """The text as UTF-8 with every byte escaped that is not kept; broken characters are U+FFFD."""
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in text.encode())


def escape_path(path: str) -> str:
    """The fixed part of a path: escapes in it stay, all else that no path may hold is escaped."""
    parts, end = [], 0
    for found in _ESCAPES.finditer(path):
        parts += [escape(path[end : found.start()], PATH_CHARACTERS), found.group()]
        end = found.end()
    return "".join((*parts, escape(path[end:], PATH_CHARACTERS)))


def escape_segment(name: str, text: str) -> str:
    """A value within one segment of a path, its slashes escaped.

    Raises ArgumentsError, with the argument's name, for what could lead to another path: nothing,
    control characters, and dot segments, however often they are escaped.
    """
    if not text:
        raise ArgumentsError(
            message(
                "arguments.empty_segment",
                "{name}: must not be empty, it is a part of the address",
                name=name,
            )
        )
    decoded = text
    for _time in range(_DECODINGS):
        if _CONTROLS.search(decoded):
            raise ArgumentsError(
                message(
                    "arguments.control_characters",
                    "{name}: must be without control characters and line ends",
                    name=name,
                )
            )
        if not {".", ".."}.isdisjoint(_SEPARATORS.split(decoded)):
            raise ArgumentsError(
                message(
                    "arguments.dot_segments",
                    "{name}: must be without the path segments . and ..",
                    name=name,
                )
            )
        decoded = unescape(decoded)
    return escape(text)


def unescape(text: str) -> str:
    """The text with each escape of a byte taken as UTF-8."""
    return _ESCAPES.sub(
        lambda found: bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace"), text
    )
