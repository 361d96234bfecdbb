"""The stream on which a session of an earlier protocol is told that the list of tools has changed."""

import asyncio
from collections.abc import Mapping

from starlette.types import Message, Receive, Send

# So often something is sent, by which proxies see that the connection is in use.
PING_INTERVAL_S = 15.0
_PING = b": ping\r\n\r\n"
_CHANGED = (
    b'event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\r\n\r\n'
)


class ChangeStream:
    """One answer of server-sent events. However much changes meanwhile, a client that reads late is told once."""

    def __init__(self) -> None:
        self._has_changed = self._is_over = False
        self._news = asyncio.get_running_loop().create_future()

    def tell(self) -> None:
        """The list of tools has changed."""
        self._has_changed = True
        self._wake()

    def end(self) -> None:
        """The session is over, or the server stops."""
        self._is_over = True
        self._wake()

    def _wake(self) -> None:
        if not self._news.done():
            self._news.set_result(None)

    async def serve(self, headers: Mapping[str, str], receive: Receive, send: Send) -> None:
        """Answer until the client leaves or the stream is ended."""
        lines = {"content-type": "text/event-stream", "cache-control": "no-cache, no-transform"}
        raw = [(name.encode(), value.encode()) for name, value in {**lines, **headers}.items()]
        await send({"type": "http.response.start", "status": 200, "headers": raw})
        gone = asyncio.ensure_future(_wait_until_gone(receive))
        try:
            while not gone.done() and not self._is_over:
                waiting = (gone, self._news)
                woken, _ = await asyncio.wait(
                    waiting, timeout=PING_INTERVAL_S, return_when=asyncio.FIRST_COMPLETED
                )
                if self._news.done():
                    self._news = asyncio.get_running_loop().create_future()
                if not woken or self._has_changed:
                    is_change, self._has_changed = self._has_changed, False
                    await send(_chunk(_CHANGED if is_change else _PING))
            if not gone.done():
                await send(_chunk(b"", more_body=False))
        finally:
            gone.cancel()


def _chunk(body: bytes, *, more_body: bool = True) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": more_body}


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
