"""Ends a call whose client went away, for sessions of earlier protocols too.

The SDK lets a call of a session run to its end, since its answer could be fetched later; ours are
read-only and have nothing to be fetched, but hold a connection of their data source.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anyio import CancelScope
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_KEY = "toolbuilder.on_disconnect"


class DisconnectWatch:
    """ASGI middleware: cancels the scopes of `cancelled_on_disconnect` when the client's end is received."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        guarded: list[CancelScope] = []
        scope[_KEY] = guarded

        async def watch() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                for cancel_scope in guarded:
                    cancel_scope.cancel()
            return message

        await self._app(scope, watch, send)


@contextmanager
def cancelled_on_disconnect(request: Any, scope: CancelScope) -> Iterator[None]:
    """Meanwhile `scope` is cancelled when the client of this HTTP request goes away."""
    guarded = request.scope.get(_KEY) if request is not None else None
    if guarded is None:
        yield
        return
    guarded.append(scope)
    try:
        yield
    finally:
        guarded.remove(scope)
