"""Which tools are listed when there are many; the others stay callable."""

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from fastmcp.client.messages import MessageHandler

from core.execution import CompiledTool
from core.toolspec import ExpressionLogic, ToolSpec
from mcp_runtime.search.listing import ListingRule
from mcp_runtime.snapshot import Snapshot
from tests.factories import make_token, make_tool
from tests.mcp_runtime.conftest import ERAS, Serve, Served
from tests.tools.builtin.renew_contract import make_builtin_tools
from tests.waiting import LIMIT_S
from tools.models import ToolDefinition

BUILTIN = make_builtin_tools()
SEARCHING = ["search_tools", "call_tool"]


def make_snapshot(count: int, **builtin: Any) -> Snapshot:
    specs = [
        ToolSpec(
            id=number,
            name=f"tool_{number}",
            logic=ExpressionLogic("1"),
            tags=("pinned",) if number == 2 else (),
        )
        for number in range(count)
    ]
    tools = {spec.name: CompiledTool(spec) for spec in specs}
    return Snapshot(1, tools, builtin={name: BUILTIN[name] for name in SEARCHING} | builtin)


def listed(rule: ListingRule, snapshot: Snapshot, without: str = "") -> list[str]:
    visible = [name for name, _ in snapshot.all_tools() if name != without]
    return list(rule.choose(visible, snapshot))


@pytest.mark.parametrize(
    ("rule", "count", "names"),
    [
        pytest.param(ListingRule("auto"), 48, 50, id="auto, 50 tools"),
        pytest.param(ListingRule("auto"), 49, [*SEARCHING, "tool_2"], id="auto, 51 tools"),
        pytest.param(ListingRule("all"), 49, 51, id="all"),
        pytest.param(ListingRule("search"), 3, [*SEARCHING, "tool_2"], id="search"),
        pytest.param(
            ListingRule("search", frozenset({"tool_1", "gone"})),
            *(3, [*SEARCHING, "tool_1", "tool_2"]),
            id="pinned by name and by tag",
        ),
    ],
)
def test_mode_decides_what_is_listed(rule: ListingRule, count: int, names: Any) -> None:
    chosen = listed(rule, make_snapshot(count))

    assert (len(chosen) if isinstance(names, int) else chosen) == names


@pytest.mark.parametrize("unseen", SEARCHING)
def test_who_may_not_search_is_shown_everything(unseen: str) -> None:
    assert len(listed(ListingRule("search"), make_snapshot(60), without=unseen)) == 61


def test_everything_is_listed_without_the_built_in_search() -> None:
    snapshot = Snapshot(1, make_snapshot(60).tools)

    assert len(listed(ListingRule("search"), snapshot)) == 60


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("era", ERAS)
async def test_hidden_tool_is_called_by_its_name_and_through_call_tool(
    settings: Any, serve: Serve, era: str
) -> None:
    settings.MCP_TOOL_LISTING, settings.MCP_PINNED_TOOLS = "search", ["pinned"]
    await sync_to_async(make_tool)(name="pinned")
    await sync_to_async(make_tool)(name="hidden")

    async with serve() as served, served.client(era) as client:
        names = [tool.name for tool in await client.list_tools()]
        direct = await client.call_tool("hidden", {})
        through = await client.call_tool("call_tool", {"name": "hidden", "arguments": {}})

    assert names == [*SEARCHING, "pinned"]
    assert direct.structured_content["rows"] == [[1]]
    assert through.structured_content["rows"] == [[1]]


@pytest.mark.django_db(transaction=True)
async def test_rule_is_applied_to_each_caller(settings: Any, serve: Serve) -> None:
    settings.MCP_TOOL_LISTING = "search"
    await sync_to_async(make_tool)(name="one")
    token = await sync_to_async(make_token)(allowed_tools=["one"])

    async with serve() as served:
        assert await names_for(served, token) == ["one"]
        assert await names_for(served, served.token) == SEARCHING


async def names_for(served: Served, token: str) -> list[str]:
    async with served.client(token=token) as client:
        return [tool.name for tool in await client.list_tools()]


@pytest.mark.django_db(transaction=True)
async def test_call_tool_promises_no_more_than_every_tool_does(serve: Serve) -> None:
    await sync_to_async(make_tool)(annotations={"readOnlyHint": False, "destructiveHint": True})

    async with serve() as served, served.client() as client:
        listed_tools = {tool.name: tool for tool in await client.list_tools()}

    assert listed_tools["call_tool"].annotations.read_only_hint is False
    assert listed_tools["call_tool"].annotations.destructive_hint is True
    assert listed_tools["search_tools"].annotations.read_only_hint is True


class ChangeListener(MessageHandler):
    def __init__(self) -> None:
        self.heard = asyncio.Event()

    async def on_tool_list_changed(self, message: Any) -> None:
        self.heard.set()


@pytest.mark.django_db(transaction=True)
async def test_clients_are_told_when_a_tool_is_pinned(settings: Any, serve: Serve) -> None:
    settings.MCP_TOOL_LISTING = "search"
    tool = await sync_to_async(make_tool)(name="sales")
    listener = ChangeListener()

    async with serve() as served, served.client("legacy", message_handler=listener) as client:
        before = [tool.name for tool in await client.list_tools()]
        await ToolDefinition.objects.filter(pk=tool.pk).aupdate(tags=["pinned"])
        await asyncio.wait_for(listener.heard.wait(), LIMIT_S)
        after = [tool.name for tool in await client.list_tools()]

    assert (before, after) == (SEARCHING, [*SEARCHING, "sales"])
