"""Searches are kept with what they found and what was called then."""

from datetime import UTC, datetime
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from access.calls import Call, CallWriter
from mcp_runtime.search.records import write_calls, write_searches
from tests.factories import make_token, make_tool
from tests.mcp_runtime.conftest import Serve
from tests.mcp_runtime.search.conftest import search
from tools.finding.learned_uses import FORGOTTEN_AFTER, forget_uses, read_priors
from tools.models import SearchUse, ToolSearch

NOW = datetime.now(UTC)


def make_search(**columns: Any) -> ToolSearch:
    return ToolSearch(**{"at": NOW, "key_id": "k", "names": ["a", "b"], **columns})


def make_call(tool_name: str = "b", seconds: float = 1, **columns: Any) -> Call:
    at = NOW.timestamp() + seconds
    return Call(**{"at": at, "tool_name": tool_name, "key_id": "k", **columns})


def called_after(made: ToolSearch) -> str | None:
    return ToolSearch.objects.get(pk=made.pk).called_tool


@pytest.mark.django_db(transaction=True)
async def test_search_is_recorded_with_who_what_and_how(serve: Serve) -> None:
    await sync_to_async(make_tool)(name="refund_order")

    async with serve() as served:
        await search(served, "refund order" + " x" * 1_000)
    record = await ToolSearch.objects.aget()

    assert record.query == ("refund order" + " x" * 1_000)[:1_000]
    assert (record.caller, record.key_id) == ("test", served.token.split("_")[1])
    assert (record.names, len(record.scores)) == (["refund_order"], 1)
    assert (record.degraded, record.called_tool) == (True, None)
    assert record.runtime_id == served.runtime.id
    assert record.duration_ms > 0


@pytest.mark.django_db(transaction=True)
async def test_query_is_not_kept_where_arguments_are_not(settings: Any, serve: Serve) -> None:
    settings.CALL_LOG_ARGUMENTS = "names"

    async with serve() as served:
        await search(served, "a secret")

    assert (await ToolSearch.objects.aget()).query == ""


@pytest.mark.django_db(transaction=True)
async def test_tool_that_the_same_key_calls_then_is_noted(serve: Serve) -> None:
    await sync_to_async(make_tool)(name="refund_order")
    other = await sync_to_async(make_token)("other")

    async with serve() as served:
        await search(served, "refund order")
        await served.call("call_tool", name="refund_order", arguments={})
        async with served.client(token=other) as client:
            await client.call_tool("search_tools", {"query": "refund order"})
    noted = {one.caller: one.called_tool async for one in ToolSearch.objects.all()}

    assert noted == {"test": "refund_order", "other": None}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("calls", "noted"),
    [
        pytest.param([make_call()], "b", id="found"),
        pytest.param([make_call("c")], None, id="not among those found"),
        pytest.param([make_call(key_id="l")], None, id="another key"),
        pytest.param([make_call(seconds=-1)], None, id="before the search"),
        pytest.param([make_call(seconds=599)], "b", id="nearly ten minutes later"),
        pytest.param([make_call(seconds=601)], None, id="more than ten minutes later"),
        pytest.param([make_call(seconds=9), make_call("a")], "a", id="the first of several"),
    ],
)
@pytest.mark.parametrize("is_call_first", [False, True], ids=["search first", "call first"])
def test_first_call_within_ten_minutes_is_noted(
    calls: list[Call], noted: str | None, is_call_first: bool
) -> None:
    made = make_search()
    if is_call_first:
        write_calls(CallWriter(), calls)

    write_searches([made])
    if not is_call_first:
        write_calls(CallWriter(), calls)

    assert called_after(made) == noted


@pytest.mark.django_db(transaction=True)
async def test_search_learns_from_the_call_of_what_it_found(settings: Any, serve: Serve) -> None:
    settings.MCP_SEARCH_LEARNING = True
    await sync_to_async(make_tool)(name="refund_order", description_agent="Refunds an order.")

    async with serve() as served:
        await search(served, "refund order")
        await served.call("call_tool", name="refund_order", arguments={})
    priors = await sync_to_async(read_priors)()

    assert priors["order"]["refund_order"] == pytest.approx(1 / 7)


@pytest.mark.django_db(transaction=True)
async def test_search_that_does_not_learn_keeps_no_concepts(serve: Serve) -> None:
    async with serve() as served:
        await search(served, "refund order")

    assert (await ToolSearch.objects.aget()).concepts == []


@pytest.mark.django_db
def test_key_speaks_once_a_day_for_a_tool_and_a_concept_and_is_forgotten(settings: Any) -> None:
    settings.MCP_SEARCH_LEARNING = True
    write_searches([make_search(concepts=["order", "user"]) for _ in range(3)])
    write_searches([make_search(concepts=["order"], key_id="l")])

    for second in (1, 2):
        write_calls(CallWriter(), [make_call(seconds=second), make_call("a", second, key_id="l")])

    uses = SearchUse.objects.values_list("key_id", "tool_name", "concept")
    assert sorted(uses) == [("k", "b", "order"), ("k", "b", "user"), ("l", "a", "order")]
    assert read_priors().keys() == {"order", "user"}
    SearchUse.objects.update(day=NOW.date() - FORGOTTEN_AFTER)
    assert read_priors() == {}
    assert forget_uses() == 3
    settings.MCP_SEARCH_LEARNING = False
    assert read_priors() == {}


@pytest.mark.django_db
def test_later_call_does_not_replace_the_first() -> None:
    made = make_search()
    write_searches([made])

    write_calls(CallWriter(), [make_call("a")])
    write_calls(CallWriter(), [make_call("b", 2)])

    assert called_after(made) == "a"


@pytest.mark.django_db
def test_writing_again_what_was_written_is_harmless() -> None:
    made = make_search()

    write_searches([made])
    write_searches([made])

    assert ToolSearch.objects.count() == 1
