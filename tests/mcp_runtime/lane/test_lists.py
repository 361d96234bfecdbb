"""Kept lists: each key sees its own tools, and an edit is seen by the next list."""

from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from mcp_runtime.lane.lists import MOST_KEPT, KeptAnswers
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


def test_what_is_kept_is_bounded_and_of_one_snapshot() -> None:
    kept, first, second = KeptAnswers(), Snapshot(1), Snapshot(2)
    keys = [("tools/list", "2026-07-28", frozenset({str(n)})) for n in range(MOST_KEPT + 1)]

    for key in keys:
        kept.keep(first, key, b'{"result":{"tools":[]}}')

    assert kept.find(first, keys[0]) is None
    assert kept.find(first, keys[-1]) == b'{"tools":[]}'
    assert kept.find(second, keys[-1]) is None
    kept.keep(second, keys[0], b'event: message\r\ndata: {"result": {}}\r\n\r\n')
    assert kept.find(second, keys[0]) == b"{}"
    assert kept.find(first, keys[-1]) is None
    kept.keep(second, keys[1], b'{"error": {}}')
    assert kept.find(second, keys[1]) is None
