"""`call_tool` gives what the tool itself gives, and leaves the same record."""

from typing import Any

import pytest
from asgiref.sync import sync_to_async

from access.models import CallRecord
from core.errors import ArgumentsError
from tests.factories import make_expression, make_token, make_tool
from tests.mcp_runtime.conftest import ERAS, Serve, Served
from tools.builtin.search_tools import SearchArguments, read_called


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("era", ERAS)
async def test_result_is_that_of_the_tool(serve: Serve, era: str) -> None:
    await sync_to_async(make_expression)("a / b", name="divide")

    async with serve() as served, served.client(era) as client:
        for arguments in ({"a": 6, "b": 3}, {"a": 6}, {"a": 6, "b": 0}):
            called = {"name": "divide", "arguments": arguments}
            through = await client.call_tool("call_tool", called, raise_on_error=False)
            direct = await client.call_tool("divide", arguments, raise_on_error=False)

            assert through.content == direct.content
            assert through.structured_content == direct.structured_content
            assert through.is_error is direct.is_error


@pytest.mark.django_db(transaction=True)
async def test_call_is_recorded_once_under_the_name_of_the_tool(serve: Serve) -> None:
    await sync_to_async(make_expression)("a / b", name="divide")

    async with serve() as served:
        await served.call("call_tool", name="divide", arguments={"a": 6, "b": 3})
        await served.call("call_tool", arguments={})
    called, wrong = [record async for record in CallRecord.objects.order_by("id")]

    assert (called.tool_name, called.outcome, called.caller) == ("divide", "ok", "test")
    assert called.arguments == {"a": 6, "b": 3}
    assert (wrong.tool_name, wrong.outcome) == ("call_tool", "invalid_arguments")


@pytest.mark.parametrize("left_out", [{}, {"arguments": None}], ids=["absent", "null"])
def test_arguments_of_a_tool_without_parameters_may_be_left_out(left_out: Any) -> None:
    assert read_called({"name": "one", **left_out}) == {"name": "one", "arguments": {}}


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        pytest.param({"arguments": {}}, "name: required", id="no name"),
        pytest.param({"name": 5, "arguments": {}}, "name: must be text (got 5)", id="no text"),
        pytest.param({"name": " ", "arguments": {}}, "name: must not be blank", id="blank"),
        pytest.param(
            {"name": "one", "arguments": "{}"},
            'arguments: must be an object like {"region": "KR"} (got "{}")',
            id="no object",
        ),
        pytest.param(
            {"name": "one", "arguments": {}, "a": 1},
            "a: unknown; call_tool takes name and arguments, and the tool's own arguments belong"
            " into the latter",
            id="unknown",
        ),
        *(
            pytest.param(
                {"name": name, "arguments": {}},
                f"name: {name} is called by itself, not through call_tool",
                id=name,
            )
            for name in ("search_tools", "call_tool")
        ),
    ],
)
def test_wrong_arguments_are_told(arguments: dict[str, Any], error: str) -> None:
    with pytest.raises(ArgumentsError) as told:
        read_called(arguments)

    assert str(told.value) == f"Invalid arguments for call_tool:\n- {error}"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        pytest.param({"query": " "}, "query: must not be blank", id="blank"),
        pytest.param({}, "query: required", id="no query"),
        pytest.param({"query": "a", "limit": 0}, "limit: must be at least 1 (got 0)", id="none"),
        pytest.param(
            {"query": "a", "limit": 10_000}, "limit: must be at most 50 (got 10000)", id="too many"
        ),
    ],
)
def test_wrong_arguments_of_a_search_are_told(arguments: dict[str, Any], error: str) -> None:
    with pytest.raises(ArgumentsError) as told:
        SearchArguments()(arguments)

    assert str(told.value) == f"Invalid arguments for search_tools:\n- {error}"


@pytest.mark.django_db(transaction=True)
async def test_key_calls_only_what_it_sees(serve: Serve) -> None:
    await sync_to_async(make_tool)(name="other")
    token = await sync_to_async(make_token)(allowed_tools=["call_tool"])
    blind = await sync_to_async(make_token)(allowed_tools=["other"])
    called = {"name": "other", "arguments": {}}

    async with serve() as served:
        unseen = await call_with(served, token, called)
        proxy_unseen = await call_with(served, blind, called)

    assert unseen == "Unknown tool: 'other'"
    assert proxy_unseen == "Unknown tool: 'call_tool'"


@pytest.mark.django_db(transaction=True)
async def test_unknown_name_is_told_the_near_one(serve: Serve) -> None:
    await sync_to_async(make_tool)(name="sales_by_region")

    async with serve() as served:
        told = await call_with(served, served.token, {"name": "sales_by_regions", "arguments": {}})

    assert told == "Unknown tool: 'sales_by_regions'; did you mean sales_by_region?"


async def call_with(served: Served, token: str, arguments: dict[str, Any]) -> str:
    async with served.client(token=token) as client:
        result = await client.call_tool("call_tool", arguments, raise_on_error=False)
    return str(result.content[0].text)
