"""The id of the request that is being served: taken from the client or made, and written to the answer and the log."""

import re
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from random import getrandbits
from typing import Any

HEADER = b"x-request-id"
MAX_CHARACTERS = 128
# What proxies send; nothing that could end a line of a log, or begin another field of it.
_SANE = re.compile(rb"[A-Za-z0-9._:+/=@-]{1,%d}" % MAX_CHARACTERS)

# '' outside of requests.
REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")

Scope = Any
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class RequestIds:
    """ASGI middleware: each HTTP request has an id, which its answer carries as X-Request-ID."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = next((value for name, value in scope["headers"] if name == HEADER), b"")
        request_id = choose_request_id(given)

        async def send_with_id(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = [*message.get("headers", ()), (HEADER, request_id.encode())]
                message = {**message, "headers": headers}
            await send(message)

        token = REQUEST_ID.set(request_id)
        try:
            await self._app(scope, receive, send_with_id)
        finally:
            REQUEST_ID.reset(token)


def choose_request_id(given: bytes) -> str:
    """The client's X-Request-ID if it is one of at most 128 harmless characters, else a new one."""
    if given and _SANE.fullmatch(given):
        return given.decode()
    return f"{getrandbits(64):016x}"
