"""Calls of served tools straight from the SDK to ToolCaller, past FastMCP's middleware and providers.

Nothing that matters about a call is in those (see mcp_runtime.caller), and they are a third of its cost.
Calls of any other name, such as tools of other providers, go FastMCP's way.
"""

import logging
from typing import Any

from anyio import CancelScope
from fastmcp import FastMCP
from mcp.server.context import ServerRequestContext
from mcp_types import CallToolRequestParams

from core.errors import ToolboxError
from core.proxied import wire_content
from mcp_runtime.auth import current_caller
from mcp_runtime.caller import ToolCaller
from mcp_runtime.disconnects import cancelled_on_disconnect
from tools.builtin.tool import RefusedAnswer

# 2026-07-28 asks for it; for earlier eras the SDK leaves it out.
_COMPLETE = {"resultType": "complete"}

logger = logging.getLogger(__name__)


def answer_calls_directly(mcp: FastMCP, caller: ToolCaller) -> None:
    """Replace the server's handler of `tools/call`."""
    through_fastmcp = mcp._on_call_tool

    async def answer(ctx: ServerRequestContext[Any, Any], params: CallToolRequestParams) -> Any:
        with CancelScope() as scope, cancelled_on_disconnect(ctx.request, scope):
            if caller.snapshot().find(params.name) is None:
                return await through_fastmcp(ctx, params)
            return await _call(caller, params.name, params.arguments or {})
        return _error("the client went away")

    mcp._mcp_server.add_request_handler("tools/call", CallToolRequestParams, answer)


async def _call(caller: ToolCaller, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The answer as it is on the wire; a plain dict, which the SDK shapes for the client's era."""
    try:
        answer = await caller.call(current_caller(), name, arguments)
    except ToolboxError as error:
        return _error(str(error))
    except Exception:
        # ToolCaller has logged and recorded it; what is inside stays inside.
        logger.debug("a call of %s failed inside the server", name, exc_info=True)
        return _error(f"Error calling tool {name!r}")
    return {**_COMPLETE, **wire_content(answer), "isError": isinstance(answer, RefusedAnswer)}


def _error(text: str) -> dict[str, Any]:
    return {**_COMPLETE, "content": [{"type": "text", "text": text}], "isError": True}
