"""Rows of a statement, read as the agent reads them: by the server's tool, with its key and limits."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Self

from httpx2 import AsyncClient
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from agents.data_search.constants import EXECUTE_QUERY
from agents.data_search.custom_types.tool_response import read_tool_response, structured
from agents.data_search.environment import Environment
from agents.data_search.tables import read_table


class StatementReader(AsyncExitStack):
    """A session with the tool server; opened and closed as a context."""

    def __init__(self, environment: Environment) -> None:
        super().__init__()
        self._environment = environment
        self._client: Client | None = None

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        key = self._environment.mcp_api_key
        headers = {"Authorization": f"Bearer {key}"} if key else None
        timeout_s = self._environment.mcp_timeout_s
        http = await self.enter_async_context(AsyncClient(headers=headers, timeout=timeout_s))
        transport = streamable_http_client(self._environment.mcp_url, http_client=http)
        self._client = await self.enter_async_context(Client(transport))
        return self

    async def read(self, statement: str) -> Sequence[Sequence[object]]:
        """The rows. Raises ValueError with the database's message if it refuses the statement."""
        if self._client is None:
            raise ValueError("the reader is not open")
        result = await self._client.call_tool(EXECUTE_QUERY, {"sql_query": statement})
        response = read_tool_response(structured(result))
        if response.status == "error" or response.data is None:
            raise ValueError(response.message)
        return read_table(response.data.content).rows
