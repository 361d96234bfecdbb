"""The editor shows exactly the entry that agents are served."""

from typing import Any

from asgiref.sync import sync_to_async
from fastmcp import Client, FastMCP

from config.demo.loading import load_tools
from core.execution import CompiledTool
from core.results import output_schema
from core.tool_entry import ToolEntry, make_entry
from core.toolspec import ToolSpec
from mcp_runtime.provider import DefinedTool
from mcp_runtime.server import Runtime
from tests.mcp_runtime.conftest import Serve
from tools.registry import read_served_rows


def make_entry_of(spec: ToolSpec) -> ToolEntry:
    return make_entry(spec, CompiledTool(spec).input_schema, output_schema(spec))


def entry_of(spec: ToolSpec) -> dict[str, Any]:
    return make_entry_of(spec).to_json()


async def listed_by(client: "Client[Any]") -> dict[str, dict[str, Any]]:
    tools = await client.list_tools()
    return {
        tool.name: tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools
    }


async def test_entry_of_a_served_tool_equals_that_of_the_list(serve: Serve) -> None:
    await sync_to_async(load_tools)()
    specs = {spec.name: spec for spec in (await sync_to_async(read_served_rows)()).specs}

    async with serve() as served, served.client() as client:
        listed = await listed_by(client)

    # Those on tables that are not there in this test are not served.
    common = specs.keys() & listed.keys()
    assert "multiply_numbers" in common
    assert {name: entry_of(specs[name]) for name in common} == {
        name: listed[name] for name in common
    }


async def test_entry_of_every_ready_tool_is_what_a_client_reads(transactional_db: None) -> None:
    await sync_to_async(load_tools)()
    specs = {spec.name: spec for spec in (await sync_to_async(read_served_rows)()).specs}
    server, caller = FastMCP("all"), Runtime().caller
    for spec in specs.values():
        server.add_tool(DefinedTool.listed(make_entry_of(spec), caller))

    async with Client(server) as client:
        listed = await listed_by(client)

    assert len(listed) >= 17
    assert listed == {name: entry_of(spec) for name, spec in specs.items()}
