"""How large a request may be, and how large ones are kept from holding up the others."""

import asyncio
from json import detect_encoding
from typing import Any

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import INVALID_REQUEST
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Parsing less is over in a moment, whatever is in it.
SMALL_BYTES = 65_536
SLICE_BYTES = 65_536
# A large body leaves the loop to others for so many times as long as it has held it up.
REST_FACTOR = 3.0
# Each value but the first of a whole JSON text comes after one of these.
_MARKS = (b",", b"[", b"{")


class BodyLimit:
    """ASGI: collects the body of each request, refuses what is too large, and hands large ones on in turns.

    To be put directly before the parser: parsing has to follow in the step that receives the body.
    """

    def __init__(self, app: ASGIApp, *, max_bytes: int, max_values: int) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._max_values = max_values
        self._turns = _Turns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body: bytes | None = await self._collect(Headers(scope=scope), receive)
        except _ClientLeftError:
            return
        except _TooLargeError as error:
            text = f"a request may have at most {error}; send less at once"
            refusal = {"code": INVALID_REQUEST, "message": text}
            answer = {"jsonrpc": "2.0", "id": None, "error": refusal}
            await JSONResponse(answer, status_code=413)(scope, receive, send)
            return

        async def replay() -> Message:
            """The body, a large one in its turn, and then what comes."""
            nonlocal body
            if body is None:
                return await receive()
            if len(body) > SMALL_BYTES:
                await self._turns.wait()
            message: Message = {"type": "http.request", "body": body, "more_body": False}
            body = None
            return message

        await self._app(scope, replay, send)

    async def _collect(self, headers: Headers, receive: Receive) -> bytes:
        declared = headers.get("content-length", "")
        if declared.isdecimal() and int(declared) > self._max_bytes:
            raise _TooLargeError(f"{self._max_bytes:,} bytes")
        body, budget, is_complete = bytearray(), _Budget(self._max_values), False
        while not is_complete:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise _ClientLeftError
            body += (piece := message.get("body", b""))
            if len(body) > self._max_bytes:
                raise _TooLargeError(f"{self._max_bytes:,} bytes")
            is_spent = await budget.spend(piece, body)
            if is_spent and len(body) > SMALL_BYTES:
                raise _TooLargeError(f"{self._max_values:,} JSON values")
            is_complete = not message.get("more_body", False)
        return bytes(body)


class _Budget:
    """Values that a body may still have; counted exactly where commas alone make it suspect."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._marks = 1
        self._counter: ValueCounter | None = None

    async def spend(self, piece: bytes, body: bytearray) -> bool:
        """Whether there are too many values in the body, whose end is the piece."""
        if self._counter is None:
            self._marks += count_marks(piece)
            if self._marks <= self._most:
                return False
            self._counter = ValueCounter(bytes(body[:4]))
            piece = bytes(body)
        for start in range(0, len(piece), SLICE_BYTES):
            if self._counter.add(piece[start : start + SLICE_BYTES]) > self._most:
                break
            await asyncio.sleep(0)
        return self._counter.count > self._most


def count_marks(piece: bytes) -> int:
    """No less than the number of values that begin in a piece of a JSON text. Fast; counts strings' commas too."""
    return sum(map(piece.count, _MARKS))


class ValueCounter:
    """Counts the values of a JSON text that comes in pieces; the text's first bytes say its encoding.

    Keys and values of an object count as one, and so does an empty list or object, once more. What
    is in strings does not count, unless the text is not in UTF-8.
    """

    def __init__(self, beginning: bytes) -> None:
        self.count = 1
        self._is_utf8 = detect_encoding(beginning[:4]).startswith("utf-8")
        self._quotes = 0
        self._rest = b""

    def add(self, piece: bytes) -> int:
        """An upper bound of the values until here. A piece of 64 KiB takes about half a millisecond."""
        if self._is_utf8:
            piece = (self._rest + piece).replace(rb"\\", b"")
            self._rest = b"\\" if piece.endswith(b"\\") else b""
            parts = piece.replace(rb"\"", b"").split(b'"')
            piece = b"".join(parts[self._quotes % 2 :: 2])
            self._quotes += len(parts) - 1
        self.count += count_marks(piece)
        return self.count


class _TooLargeError(Exception):
    """A body over a limit, which is the text."""


class _ClientLeftError(Exception):
    """Nobody is left to be answered."""


class _Turns:
    """One after the other, with time for everybody else in between."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._free_at = 0.0

    async def wait(self) -> None:
        """Return when it is the caller's turn; what it does before it awaits again is measured."""
        loop = asyncio.get_running_loop()
        async with self._lock:
            await asyncio.sleep(self._free_at - loop.time())
            began = loop.time()

            def rest() -> None:
                self._free_at = loop.time() + REST_FACTOR * (loop.time() - began)

            # Runs right after the step in which the caller goes on.
            loop.call_soon(rest)


def limit_bodies(
    manager: StreamableHTTPSessionManager, app: ASGIApp, *, max_bytes: int, max_values: int
) -> None:
    """Put BodyLimit, and `app` behind it, in the place of the SDK's limit, which FastMCP has no setting for."""
    # The SDK's own middleware is what it calls.
    limit: Any = manager
    limit.asgi_app = BodyLimit(app, max_bytes=max_bytes, max_values=max_values)
