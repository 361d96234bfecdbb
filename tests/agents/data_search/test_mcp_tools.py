"""The tools of a real MCP server, as agents and callbacks call them."""

import pytest

from agents.data_search.environment import Environment
from agents.data_search.faults import ToolServerError
from agents.data_search.mcp_tools import ToolServer
from tests.agents.data_search.contexts import make_context


async def test_an_unlisted_tool_is_called_by_name(tool_server: ToolServer) -> None:
    context = await make_context()

    answer = await tool_server.call("execute_postgres_query", {"sql_query": "SELECT 1"}, context)

    assert answer == {"status": "error", "message": "refused SELECT 1"}


async def test_a_selection_has_its_tools_in_order(tool_server: ToolServer) -> None:
    names = ("get_table_details", "execute_postgres_query")

    tools = await tool_server.select(*names).get_tools()

    assert [tool.name for tool in tools] == list(names)


async def test_wrong_arguments_are_an_error_of_the_tool(tool_server: ToolServer) -> None:
    answer = await tool_server.call("get_table_details", {}, await make_context())

    assert answer["status"] == "error"


async def test_a_server_that_is_away_is_named() -> None:
    server = ToolServer(Environment(mcp_url="http://127.0.0.1:1/mcp"))

    with pytest.raises(ToolServerError, match="does not answer"):
        await server.find_tools(["get_table_details"])
    await server.close()


async def test_an_answer_has_a_deadline(mcp_url: str) -> None:
    server = ToolServer(Environment(mcp_url=mcp_url, mcp_timeout_s=0.3))

    with pytest.raises(ToolServerError):
        await server.call(
            "execute_postgres_query", {"sql_query": "SELECT pg_sleep(9)"}, await make_context()
        )
    await server.close()
