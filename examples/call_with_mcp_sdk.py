"""Lists the tools, or calls one, with the official MCP Python SDK and no language model.

python examples/call_with_mcp_sdk.py
python examples/call_with_mcp_sdk.py get_user_daily_limit '{"user_name": "hong"}'
"""

import asyncio
import json
import os
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

URL = os.environ.get("MCP_URL") or "http://127.0.0.1:3003/mcp"
KEY = os.environ.get("MCP_API_KEY") or sys.exit("Set MCP_API_KEY to a key of the server.")
TIME_LIMIT_S = 60


async def print_tools(client: Client) -> None:
    """Each tool's name with the first line of what agents are told."""
    for tool in (await client.list_tools()).tools:
        print(tool.name, (tool.description or "").partition("\n")[0], sep=": ")


async def print_answer(client: Client, name: str, arguments: str = "{}") -> None:
    """What the tool answers, or why it refuses."""
    result = await client.call_tool(name, json.loads(arguments))
    for item in result.content:
        print(item.text if item.type == "text" else f"({item.type})")


async def main(*words: str) -> None:
    """Connect with the newest protocol that both sides know."""
    async with (
        asyncio.timeout(TIME_LIMIT_S),
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {KEY}"}) as http,
        Client(streamable_http_client(URL, http_client=http)) as client,
    ):
        await (print_answer(client, *words) if words else print_tools(client))


asyncio.run(main(*sys.argv[1:3]))
