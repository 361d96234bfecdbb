"""Connections that httpx keeps: one that holds more than its answer is closed, not used again.

A server that sends too much would else have the rest read as the answer of the next request, which
may be another caller's. httpx tells of none of it, so the bytes are looked for where it, httpcore, h11
and anyio keep them; a test holds each of these places.
"""

import ssl
from collections.abc import AsyncIterator
from typing import Any, cast

import httpx


async def close_where_more_came(response: httpx.Response) -> None:
    """Have the connection closed with the response if it then holds more; an event hook of clients."""
    response.stream = _WatchedStream(cast(httpx.AsyncByteStream, response.stream), response)


class _WatchedStream(httpx.AsyncByteStream):
    def __init__(self, stream: httpx.AsyncByteStream, response: httpx.Response) -> None:
        self._stream = stream
        self._network = response.extensions["network_stream"]
        # The h11 connection is under the streams of httpx and httpcore.
        inner: Any = stream
        while not hasattr(inner, "_connection"):
            inner = getattr(inner, "_httpcore_stream", None) or inner._stream
        self._parser = inner._connection._h11_state

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            yield chunk

    async def aclose(self) -> None:
        rest, _is_closed = self._parser.trailing_data
        if rest or _has_bytes(self._network):
            # Its state is no longer that of a connection which may be used again.
            self._parser.send_failed()
        await self._stream.aclose()


def _has_bytes(network: Any) -> bool:
    """Whether anything was received that nobody has read, decrypted or not."""
    encrypted, stream = network.get_extra_info("ssl_object"), network._stream
    while hasattr(stream, "transport_stream"):
        stream = stream.transport_stream
    if stream._protocol.read_queue or encrypted is None:
        return bool(stream._protocol.read_queue)
    try:
        return bool(encrypted.read(1))
    except ssl.SSLWantReadError:
        return False
    except (ssl.SSLError, OSError):
        return True
