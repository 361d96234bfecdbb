"""Old names of tools and parameters answer for a while, through every lane, and say what is called now."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone
from fastmcp import Client

from access.limits.models import ToolLimit
from access.models import CallRecord
from tests.factories import make_expression, make_token, make_tool, make_toolset, number
from tests.mcp_runtime.conftest import ERAS, Serve, Served
from tools.models import ToolAlias, ToolDefinition

pytestmark = pytest.mark.django_db(transaction=True)

LANES = ["direct", "fastmcp"]


def add_old_name(
    tool: ToolDefinition, old_name: str, parameter: str = "", days: float = 30
) -> ToolAlias:
    return ToolAlias.objects.create(
        tool=tool,
        old_name=old_name,
        parameter_name=parameter,
        expires_at=timezone.now() + timedelta(days=days),
    )


def make_renamed(days: float = 30) -> None:
    """`multiply`, formerly `times`, whose `a` was called `x`."""
    tool = make_expression(name="multiply")
    add_old_name(tool, "times", days=days)
    add_old_name(tool, "x", "a", days=days)


def texts_of(result: Any) -> list[str]:
    return [part.text for part in result.content]


@pytest.fixture(params=LANES)
async def client(
    request: Any, serve: Serve, settings: Any, era: str
) -> AsyncIterator[tuple[Client[Any], Served]]:
    settings.MCP_DIRECT_LANE = request.param == "direct"
    await sync_to_async(make_renamed)()
    async with serve() as served, served.client(era) as client:
        yield client, served


@asynccontextmanager
async def as_key(served: Served, **columns: Any) -> AsyncIterator[Client[Any]]:
    token = await sync_to_async(make_token)("other", **columns)
    async with served.client(token=token) as client:
        yield client


@pytest.mark.parametrize("era", ERAS)
async def test_old_names_are_answered_with_a_notice(client: tuple[Client[Any], Served]) -> None:
    agent, _served = client

    for name, arguments in (
        ("times", {"a": 2, "b": 3}),
        ("multiply", {"x": 2, "b": 3}),
        ("times", {"x": 2, "b": 3}),
        ("call_tool", {"name": "times", "arguments": {"x": 2, "b": 3}}),
    ):
        result = await agent.call_tool(name, arguments, raise_on_error=False)

        texts = texts_of(result)
        assert (result.is_error, texts[0]) == (False, "6")
        old, new = ("times", "multiply") if name != "multiply" else ("x", "a")
        assert f"{old} is now called {new}; the old name is accepted until 2" in texts[1]
        assert (result.structured_content or {})["notes"][0].startswith(f"{old} is now called")
    now = await agent.call_tool("multiply", {"a": 2, "b": 3})
    assert now.structured_content == {"result": 6}


@pytest.mark.parametrize("era", ERAS)
async def test_value_under_both_names_is_refused(client: tuple[Client[Any], Served]) -> None:
    agent, _served = client

    result = await agent.call_tool("multiply", {"x": 2, "a": 2, "b": 3}, raise_on_error=False)

    assert result.is_error
    assert "x: is the old name of a, which is given too; give a alone" in texts_of(result)[0]


async def test_old_name_is_neither_listed_nor_found(serve: Serve) -> None:
    await sync_to_async(make_renamed)()

    async with serve() as served:
        assert await served.names() == ["multiply"]
        found = await served.call("search_tools", query="times", limit=50)
        names = [tool["name"] for tool in found.structured_content["tools"]]
        assert "times" not in names


async def test_call_is_recorded_under_the_new_name_with_what_was_said(serve: Serve) -> None:
    await sync_to_async(make_renamed)()

    async with serve() as served:
        await served.call("times", x=2, b=3)
        await served.call("multiply", a=2, b=3)
    old, new = [record async for record in CallRecord.objects.order_by("id")]

    assert (old.tool_name, old.called_as, old.arguments) == (
        "multiply",
        "times :x",
        {"a": 2, "b": 3},
    )
    assert (new.tool_name, new.called_as) == ("multiply", "")


async def test_grants_toolsets_and_limits_of_the_old_name_hold_for_the_new_one(
    serve: Serve,
) -> None:
    await sync_to_async(make_renamed)()
    await sync_to_async(make_toolset)("old", "times")
    await ToolLimit.objects.acreate(target_type="TOOL", tool_name="times", max_count=2)

    async with serve() as served:
        async with as_key(served, allowed_tools=["times"]) as agent:
            assert [tool.name for tool in await agent.list_tools()] == ["multiply"]
            assert not (await agent.call_tool("times", {"a": 1, "b": 1})).is_error
        async with served.client(toolset="old") as agent:
            assert not (await agent.call_tool("multiply", {"a": 1, "b": 1})).is_error
            over = await agent.call_tool("times", {"a": 1, "b": 1}, raise_on_error=False)
            assert "2 calls of the tool multiply a day" in texts_of(over)[0]


async def test_who_may_not_see_the_tool_learns_nothing_by_its_old_name(serve: Serve) -> None:
    await sync_to_async(make_renamed)()
    await sync_to_async(make_tool)(name="other")

    async with serve() as served, as_key(served, allowed_tools=["other"]) as agent:
        result = await agent.call_tool("times", {"a": 1, "b": 1}, raise_on_error=False)

    assert texts_of(result)[0] == "Unknown tool: 'times'"


async def test_expired_name_is_unknown_and_says_what_is_called_now(serve: Serve) -> None:
    await sync_to_async(make_renamed)(days=-1)

    async with serve() as served:
        gone = await served.call("times", a=1, b=1)
        parameter = await served.call("multiply", x=1, b=1)

    assert texts_of(gone)[0] == "Unknown tool: 'times'; it is called multiply now"
    assert "x: unknown" in texts_of(parameter)[0]


async def test_rows_are_given_with_the_notice_beside(serve: Serve) -> None:
    tool = await sync_to_async(make_tool)(
        "SELECT :top AS n", name="top", parameters=[number("top")]
    )
    await sync_to_async(add_old_name)(tool, "most", "top")

    async with serve() as served:
        result = await served.call("top", most=5)

    assert result.structured_content["rows"] in ([[5]], [["5"]], [[5.0]])
    assert result.structured_content["notes"][0].startswith("most is now called top")


async def test_another_tool_with_the_old_name_is_itself(serve: Serve) -> None:
    await sync_to_async(make_renamed)()
    await sync_to_async(make_expression)("a + b", name="times")

    async with serve() as served:
        result = await served.call("times", a=2, b=3)

    assert result.structured_content == {"result": 5}
