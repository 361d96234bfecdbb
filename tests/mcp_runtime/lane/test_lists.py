"""Lists as bytes: each key sees its own tools, and an edit is seen by the next list."""

import asyncio
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from asgiref.sync import sync_to_async

from core.bindings import CallerFacts
from core.execution import CompiledTool
from core.grants import Grant
from core.toolspec import ExpressionLogic, ToolSpec
from mcp_runtime import auth
from mcp_runtime.caller import Caller
from mcp_runtime.lane.lane import LateOffer
from mcp_runtime.lane.lists import MOST_KEPT, ToolLists
from mcp_runtime.search.listing import ListingRule
from mcp_runtime.snapshot import Snapshot
from tests.factories import make_expression, make_token
from tests.mcp_runtime.conftest import Serve
from tests.mcp_runtime.lane.requests import OLD, Case
from tests.mcp_runtime.lane.ways import Way, both_ways
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

LISTS = [
    Case("list", message={"method": "tools/list"}),
    Case("handshake: list", era=OLD, message={"method": "tools/list"}),
]


async def names(way: Way, case: Case, token: str = "") -> set[str]:
    answer = await way.ask(case, token)
    return {tool["name"] for tool in answer.json["result"]["tools"]}


async def test_each_key_is_listed_what_it_may_see(serve: Serve, settings: Any) -> None:
    for name in ("first", "second"):
        await sync_to_async(make_expression)(name=name)
    limited = await sync_to_async(make_token)("limited", allowed_tools=["second"])

    async with both_ways(serve, settings) as (direct, _):
        for _ in range(3):
            assert {"first", "second"} <= await names(direct, LISTS[0])
            assert await names(direct, LISTS[0], limited) == {"second"}
        assert len(direct.taken) >= 3


async def test_edit_is_seen_by_the_next_list(
    serve: Serve, settings: Any, psql: Callable[[str], None]
) -> None:
    await sync_to_async(make_expression)(name="before")

    async with both_ways(serve, settings) as (direct, _):
        for case in LISTS:
            assert "before" in await names(direct, case)
            assert "before" in await names(direct, case)
        served = len(direct.taken)
        psql("UPDATE h_custom_tool SET name = 'after' WHERE name = 'before'")
        await eventually(lambda: "after" in direct.served.runtime.store.snapshot.tools)
        for case in LISTS:
            for _ in range(2):
                shown = await names(direct, case)
                assert "after" in shown
                assert "before" not in shown

    assert served >= len(LISTS)


async def test_list_of_a_client_whose_key_has_to_be_read_is_made_of_bytes_too(
    serve: Serve, settings: Any
) -> None:
    await sync_to_async(make_expression)(name="first")

    async with both_ways(serve, settings) as (direct, _):
        for count in (1, 2):
            direct.served.runtime.verifier.keys.forget_keys()
            assert "first" in await names(direct, LISTS[0])
            assert len(direct.taken) == count


async def test_list_of_a_client_whose_key_was_read_slowly_is_made_of_bytes_too(
    serve: Serve, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sync_to_async(make_expression)(name="first")

    async with both_ways(serve, settings) as (direct, _):
        # Every key is too old when its reading has ended, as on a machine that is too busy.
        monkeypatch.setattr(auth, "KEY_CACHE_SECONDS", 0.0)
        assert "first" in await names(direct, LISTS[0])
        assert len(direct.taken) == 1


async def test_request_whose_key_was_read_for_it_never_meets_the_application(
    serve: Serve, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sync_to_async(make_expression)(name="first")

    async def fail(*_: Any) -> None:
        raise AssertionError

    async with both_ways(serve, settings) as (direct, _):
        # A session's requests come with heads that are new, and the loop is too slow for every key.
        monkeypatch.setattr(auth, "KEY_CACHE_SECONDS", 0.0)
        monkeypatch.setattr(LateOffer, "__call__", fail)
        lists = await asyncio.gather(*(names(direct, LISTS[0]) for _ in range(30)))

    assert all("first" in shown for shown in lists)
    assert len(direct.taken) == 30


async def test_request_whose_key_was_read_meanwhile_by_others_is_made_of_bytes_too(
    serve: Serve, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sync_to_async(make_expression)(name="first")

    async with both_ways(serve, settings) as (direct, _):
        keys = direct.served.runtime.verifier.keys
        # It does not wait for its key before the application has it, and there the key is fresh.
        keys.forget_keys()
        monkeypatch.setattr(keys, "reading_of", lambda _token: None)
        check, offer = keys.check, LateOffer.__call__

        async def come_late(self: LateOffer, *asked: Any) -> None:
            await check(direct.served.token)
            await offer(self, *asked)

        monkeypatch.setattr(LateOffer, "__call__", come_late)
        assert "first" in await names(direct, LISTS[0])
        assert len(direct.taken) == 1


def test_lists_are_kept_for_few_and_of_one_snapshot() -> None:
    def caller(number: int) -> Caller:
        return Caller(str(number), "", CallerFacts(grant=Grant(tools=frozenset({f"t{number}"}))))

    tools = {f"t{number}": make_compiled(f"t{number}") for number in range(MOST_KEPT + 1)}
    first, second = Snapshot(1, tools), Snapshot(2, {**tools, "t1": make_compiled("t1", "1 + 1")})
    lists = ToolLists(ListingRule("all"))

    for number in range(MOST_KEPT + 1):
        [entry] = orjson.loads(lists.find(first, caller(number)))
        assert entry["name"] == f"t{number}"
    assert len(lists._lists) == MOST_KEPT
    assert lists.find(first, caller(3)) is lists.find(first, caller(3))
    before = lists.find(first, caller(2))
    assert lists.find(second, caller(2)) == before
    assert len(lists._lists) == 1
    assert orjson.loads(lists.find(second, caller(1)))[0]["name"] == "t1"


def make_compiled(name: str, expression: str = "1") -> CompiledTool:
    return CompiledTool(ToolSpec(id=1, name=name, logic=ExpressionLogic(expression)))
