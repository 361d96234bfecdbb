"""Calls of served tools straight from the SDK to ToolCaller, past FastMCP's middleware and providers.

Nothing that matters about a call is in those (see mcp_runtime.caller), and they are a third of its cost.
Calls of any other name, such as tools of other providers, go FastMCP's way.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from anyio import CancelScope
from fastmcp import FastMCP
from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.errors import ToolboxError
from core.proxied import wire_content
from mcp_runtime.caller import ToolCaller
from mcp_runtime.endpoints import LANGUAGE, current_caller, wanted_language
from mcp_runtime.origins import ORIGIN, read_origin
from tools.builtin.tool import RefusedAnswer

# 2026-07-28 asks for it; for earlier eras the SDK leaves it out.
_COMPLETE = {"resultType": "complete"}
_GUARDED = "toolbuilder.on_disconnect"

logger = logging.getLogger(__name__)


def answer_calls_directly(mcp: FastMCP, caller: ToolCaller) -> None:
    """Replace the server's handler of `tools/call`.

    The answer is a plain dict as on the wire, which the SDK shapes for the client's era.
    """
    through_fastmcp = mcp._on_call_tool

    async def answer(ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> Any:
        with CancelScope() as scope, _cancelled_on_disconnect(ctx.request, scope):
            origin, arguments = read_origin(ctx), params.arguments or {}
            if caller.snapshot().find_answering(params.name) is None:
                ORIGIN.set(origin)
                return await through_fastmcp(ctx, params)
            LANGUAGE.set(wanted_language())
            try:
                found = await caller.call(current_caller(), params.name, arguments, origin)
            except ToolboxError as error:
                return _error(str(error))
            except Exception:
                # ToolCaller has logged and recorded it; what is inside stays inside.
                logger.debug("a call of %s failed inside the server", params.name, exc_info=True)
                return _error(f"Error calling tool {params.name!r}")
            is_error = isinstance(found, RefusedAnswer)
            return {**_COMPLETE, **wire_content(found), "isError": is_error}
        return _error("the client went away")

    mcp._mcp_server.add_request_handler("tools/call", CallToolRequestParams, answer)


def _error(text: str) -> dict[str, Any]:
    return {**_COMPLETE, "content": [{"type": "text", "text": text}], "isError": True}


class DisconnectWatch:
    """ASGI middleware: ends a call whose client went away, for sessions of earlier protocols too.

    The SDK lets a call of a session run to its end, since its answer could be fetched later; ours are
    read-only and have nothing to be fetched, but hold a connection of their data source.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        guarded: list[CancelScope] = []
        scope[_GUARDED] = guarded

        async def watch() -> Message:
            message = await receive()
            if message["type"] == "http.disconnect":
                for cancel_scope in guarded:
                    cancel_scope.cancel()
            return message

        await self._app(scope, watch, send)


@contextmanager
def _cancelled_on_disconnect(request: Any, scope: CancelScope) -> Iterator[None]:
    """Meanwhile DisconnectWatch cancels `scope` when the client of this HTTP request goes away."""
    guarded = request.scope.get(_GUARDED) if request is not None else None
    if guarded is None:
        yield
        return
    guarded.append(scope)
    try:
        yield
    finally:
        guarded.remove(scope)
