"""The MCP server of the tools: what agents may call of it, and calls by the callbacks."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from google.adk.agents.context import Context
from google.adk.agents.readonly_context import ReadonlyContext
from google.adk.models.llm_request import LlmRequest
from google.adk.tools.base_tool import BaseTool
from google.adk.tools.base_toolset import BaseToolset
from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams
from google.adk.tools.mcp_tool.mcp_session_manager import (
    MCPSessionManager,
    create_mcp_http_client,
)
from google.adk.tools.mcp_tool.mcp_tool import McpTool
from google.adk.tools.tool_context import ToolContext
from mcp.types import Tool

from agents.data_search.constants import (
    COMPLETE_EXTRACTION,
    EXECUTE_QUERY,
    REFERENCE_DOCUMENTS,
    TABLE_DETAILS,
    TABLE_SUMMARIES,
)
from agents.data_search.custom_types.tool_response import structured
from agents.data_search.environment import Environment
from agents.data_search.faults import ToolServerError

logger = logging.getLogger(__name__)

_CONNECT_TIMEOUT_S = 5.0
# Long enough for the calls of one run, short enough that an administrator's change is seen by the next.
_LIST_TTL_S = 10.0
_MARGIN_S = 1.0
_REFUSED_STATUSES = {401, 403}
_UNREACHABLE, _REFUSED, _TOO_LATE = "server_unreachable", "server_refused", "server_late"


def _schema(required: str, **properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


_TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
_NAMED = _schema("extracted_column_name", extracted_column_name={"type": "string"})
_ITEMS = _schema("items", items={"type": "array", "items": _NAMED})
# A server of many tools lists only its search; these can be called by name all the same.
_CONTRACTS = {
    EXECUTE_QUERY: (
        "Runs one PostgreSQL SELECT statement and returns the rows.",
        _schema("sql_query", sql_query={"type": "string"}),
    ),
    COMPLETE_EXTRACTION: (
        "Says that the extraction of column names is complete.",
        _schema("extracted_columns", extracted_columns=_ITEMS),
    ),
    REFERENCE_DOCUMENTS: (
        "Finds the documents on tables and columns that fit a question.",
        _schema("user_query", user_query={"type": "string"}, n_results={"type": "integer"}),
    ),
    TABLE_SUMMARIES: ("Lists the tables of the data catalogue.", _schema("")),
    TABLE_DETAILS: (
        "Gets columns, keys and relations of the named tables.",
        _schema("table_names", table_names=_TEXTS),
    ),
}


class ToolServer:
    """One MCP server; its session opens with the first call and closes with the toolset's runner."""

    def __init__(self, environment: Environment) -> None:
        key = environment.mcp_api_key
        self._deadline_s = environment.mcp_timeout_s + _MARGIN_S
        self._parameters = StreamableHTTPConnectionParams(
            url=environment.mcp_url,
            headers={"Authorization": f"Bearer {key}"} if key else None,
            timeout=min(_CONNECT_TIMEOUT_S, environment.mcp_timeout_s),
            sse_read_timeout=environment.mcp_timeout_s,
            httpx_client_factory=self._open_client,
        )
        self._toolset = McpToolset(
            connection_params=self._parameters, tool_list_cache_ttl_seconds=_LIST_TTL_S
        )
        self._unlisted: MCPSessionManager | None = None
        self._last_status = 0

    def select(self, *names: str) -> "ToolSelection":
        """These tools, for an agent; at most those that the server has."""
        return ToolSelection(self, names)

    async def find_tools(
        self, names: Sequence[str], context: ReadonlyContext | None = None
    ) -> list[BaseTool]:
        """The tools of these names, in this order. Raises ToolServerError."""
        try:
            self._last_status = 0
            async with asyncio.timeout(self._deadline_s):
                listed = await self._toolset.get_tools(context)
        except TimeoutError as error:
            raise ToolServerError(_TOO_LATE) from error
        except (ConnectionError, OSError) as error:
            raise ToolServerError(self._find_code()) from error
        tools = {tool.name: tool for tool in listed}
        for name in names:
            if name not in tools:
                description, schema = _CONTRACTS[name]
                self._unlisted = self._unlisted or MCPSessionManager(
                    connection_params=self._parameters
                )
                contract = Tool(name=name, description=description, input_schema=schema)
                tools[name] = McpTool(mcp_tool=contract, mcp_session_manager=self._unlisted)
        return [tools[name] for name in names]

    async def call(
        self, name: str, arguments: Mapping[str, Any], context: Context
    ) -> dict[str, Any]:
        """The tool's answer, structured; an error of its own is `{"status": "error", ...}`.

        Raises ToolServerError if the server does not answer.
        """
        [tool] = await self.find_tools([name], context)
        try:
            async with asyncio.timeout(self._deadline_s):
                response = await tool.run_async(args=dict(arguments), tool_context=context)
        except TimeoutError as error:
            raise ToolServerError(_TOO_LATE) from error
        except (ConnectionError, OSError) as error:
            raise ToolServerError(self._find_code()) from error
        if "content" not in response and "error" in response:
            logger.warning("the tool server broke off the call of %s", name)
            raise ToolServerError(self._find_code())
        return structured(response)

    async def close(self) -> None:
        """Close the sessions; a later call opens new ones."""
        await self._toolset.close()
        if self._unlisted is not None:
            await self._unlisted.close()  # type: ignore[no-untyped-call]

    def _open_client(
        self, headers: dict[str, str] | None = None, timeout: Any = None, auth: Any = None
    ) -> Any:
        """MCP's own HTTP client, with a note of what the server answered last.

        The SDK reports a refused key and a server that is broken with the same words.
        """

        async def note_status(response: Any) -> None:
            self._last_status = response.status_code

        client = create_mcp_http_client(headers=headers, timeout=timeout, auth=auth)
        hooks = client.event_hooks
        client.event_hooks = {**hooks, "response": [*hooks.get("response", ()), note_status]}
        return client

    def _find_code(self) -> str:
        """Why the connection broke."""
        return _REFUSED if self._last_status in _REFUSED_STATUSES else _UNREACHABLE


class ExitColumnExtractionLoop(BaseTool):
    """`exit_column_extraction_loop`, the first name of `complete_column_extraction`: answered, and not offered.

    Models that know the earlier prompts call it; two tools for one thing would confuse the others.
    """

    def __init__(self) -> None:
        super().__init__(name="exit_column_extraction_loop", description="Ends the extraction.")

    async def process_llm_request(
        self, *, tool_context: ToolContext, llm_request: LlmRequest
    ) -> None:
        llm_request.tools_dict[self.name] = self

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        return {"status": "success", "message": "Column extraction completed.", "escalate": True}


class ToolSelection(BaseToolset):
    """Some tools of a server; all selections share its session."""

    def __init__(self, server: ToolServer, names: Sequence[str]) -> None:
        super().__init__()
        self._server = server
        self._names = tuple(names)

    async def get_tools(self, readonly_context: ReadonlyContext | None = None) -> list[BaseTool]:
        return await self._server.find_tools(self._names, readonly_context)

    async def close(self) -> None:
        await self._server.close()
