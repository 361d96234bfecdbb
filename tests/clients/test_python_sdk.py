"""The official Python SDK's client, in both protocol eras."""

from collections.abc import AsyncIterator

import httpx2
import pytest
import pytest_asyncio
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import TextContent

from config.demo.loading import read_tools
from tests.mcp_runtime.conftest import Served

pytestmark = pytest.mark.asyncio(loop_scope="module")

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"}


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> str:
    """How the client begins: with `initialize`, with `server/discover`, or with neither."""
    return str(request.param)


@pytest_asyncio.fixture(loop_scope="module")
async def http(demo: Served) -> AsyncIterator[httpx2.AsyncClient]:
    headers = {"Authorization": f"Bearer {demo.token}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        yield http


@pytest.fixture
def client(demo: Served, http: httpx2.AsyncClient, era: str) -> Client:
    return Client(streamable_http_client(demo.url, http_client=http), mode=era)


async def test_server_and_client_agree_on_the_protocol(client: Client, era: str) -> None:
    async with client:
        assert client.protocol_version == ERAS[era]


@pytest.mark.parametrize("era", ["legacy", "auto"], indirect=True)
async def test_server_says_who_it_is_and_what_it_can(client: Client) -> None:
    async with client:
        server, can = client.server_info, client.server_capabilities

    assert server is not None
    assert server.name == "Toolbuilder"
    assert can.tools is not None
    assert can.tools.list_changed


async def test_every_tool_is_listed_with_its_schema(client: Client) -> None:
    async with client:
        listed = {tool.name: tool for tool in (await client.list_tools()).tools}

    assert listed.keys() > {tool["name"] for tool in read_tools()}
    assert listed["multiply_numbers"].input_schema["required"] == ["num1", "num2"]


async def test_query_tool_answers_with_its_row(client: Client) -> None:
    async with client:
        result = await client.call_tool("get_user_daily_limit", {"user_name": "hong"})

    assert not result.is_error
    assert result.structured_content is not None
    assert result.structured_content["rows"] == [["hong", 50]]


async def test_expression_tool_answers_with_its_value(client: Client) -> None:
    async with client:
        result = await client.call_tool("multiply_numbers", {"num1": 5, "num2": 3})

    assert result.structured_content == {"result": 15}


async def test_wrong_argument_is_an_error_that_names_it(client: Client) -> None:
    async with client:
        result = await client.call_tool("multiply_numbers", {"num1": 5, "num2": "many"})

    [content] = result.content
    assert result.is_error
    assert isinstance(content, TextContent)
    assert content.text.startswith(
        "Invalid arguments for multiply_numbers:\n- num2: must be a number"
    )
