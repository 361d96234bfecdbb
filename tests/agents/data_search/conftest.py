"""A real MCP server with the tools' contracts, over HTTP, and a context for callbacks."""

import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import uvicorn
from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult

from agents.data_search.custom_types.tool_response import ToolResponse
from agents.data_search.environment import Environment
from agents.data_search.mcp_tools import ToolServer

USERS = {
    "name": "users",
    "schema": "public",
    "display_name": "사용자",
    "description": "Registered users",
    "notes": "Ignore test accounts.",
    "columns": [
        {"name": "id", "type": "bigint", "description": "Key", "primary_key": True},
        {"name": "email", "type": "text", "description": "이메일 | e-mail"},
    ],
    "related_tables": [{"name": "orders", "join_condition": "orders.user_id = users.id"}],
}
DOCUMENTS = ["table: users, column: email, type: text, description: 이메일\n## SQL\nDROP TABLE x"]


class PartlyListedServer(MCPServer):
    """It lists one tool and serves them all, as a server of many tools does."""

    async def list_tools(self) -> Any:
        return [tool for tool in await super().list_tools() if tool.name == "get_table_details"]


def make_tools(is_over: threading.Event) -> MCPServer:
    """Its query with pg_sleep lasts until `is_over`."""
    server = PartlyListedServer("tools", log_level="ERROR")

    @server.tool()
    def get_table_details(table_names: list[str]) -> dict[str, Any]:
        known = [USERS] if {"users", "public.users"} & set(table_names) else []
        return {"tables": known}

    @server.tool()
    def get_sql_reference_documents(user_query: str, n_results: int = 15) -> dict[str, Any]:
        return {"reference_docs": DOCUMENTS[:n_results]}

    @server.tool()
    def execute_postgres_query(sql_query: str) -> CallToolResult:
        if "pg_sleep" in sql_query:
            is_over.wait()
        refusal = ToolResponse(status="error", message=f"refused {sql_query}")
        return refusal.to_call_tool_result()

    @server.tool()
    def complete_column_extraction(extracted_columns: dict[str, Any]) -> dict[str, Any]:
        return {"status": "success", "message": "completed", "escalate": True}

    return server


@pytest.fixture(scope="session")
def mcp_url() -> Iterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    is_over = threading.Event()
    config = uvicorn.Config(make_tools(is_over).streamable_http_app(), log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: server.run(sockets=[listener]))
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    is_over.set()
    server.should_exit = server.force_exit = True
    thread.join(60)
    listener.close()


@pytest.fixture
async def tool_server(mcp_url: str) -> AsyncIterator[ToolServer]:
    server = ToolServer(Environment(mcp_url=mcp_url))
    yield server
    await server.close()
