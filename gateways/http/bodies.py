"""The body of an answer within its limit, also where it is compressed."""

import zlib
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from core.errors import DataSourceError
from core.messages import message

# An empty stream of compressed data can be as long as its sender likes.
_MIN_WIRE_BYTES = 1_000_000
_WINDOWS = {"gzip": 31, "x-gzip": 31, "deflate": 15}


@dataclass(frozen=True, slots=True)
class Body:
    """The bytes, decompressed; `is_cut` says that there are more."""

    content: bytes
    is_cut: bool


async def read_body(chunks: AsyncIterator[bytes], encoding: str, byte_limit: int) -> Body:
    """At most `byte_limit` bytes; nothing is read or decompressed beyond them.

    Raises DataSourceError for data that is not in its encoding, or in an unknown one.
    """
    name = encoding.strip().lower()
    if name not in {"", "identity", *_WINDOWS}:
        raise DataSourceError(
            message(
                "http.encoding",
                "the service's answer is in an encoding that was not asked for; it may be gzip",
            )
        )
    decoder = _Compressed(_WINDOWS[name]) if name in _WINDOWS else _Plain()
    content, wire_bytes = bytearray(), 0
    async for chunk in chunks:
        wire_bytes += len(chunk)
        content += decoder.decode(chunk, byte_limit + 1 - len(content))
        if len(content) > byte_limit or wire_bytes > max(byte_limit, _MIN_WIRE_BYTES):
            return Body(bytes(content[:byte_limit]), is_cut=True)
    return Body(bytes(content), is_cut=False)


def redact(content: bytes, secrets: Iterable[str]) -> bytes:
    """The content with *** for each secret, some of which services repeat in their errors."""
    for secret in sorted(secrets, key=len, reverse=True):
        content = content.replace(secret.encode(), b"***")
    return content


class _Plain:
    def decode(self, chunk: bytes, room: int) -> bytes:
        return chunk[:room]


class _Compressed:
    def __init__(self, window: int) -> None:
        self._decompress = zlib.decompressobj(window)

    def decode(self, chunk: bytes, room: int) -> bytes:
        try:
            return self._decompress.decompress(chunk, room)
        except zlib.error as error:
            raise DataSourceError(
                message("http.not_compressed", "the service's answer is not compressed as it says")
            ) from error
