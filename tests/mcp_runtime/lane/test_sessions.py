"""Sessions of earlier protocols in the direct lane: whose they are, how they end, and cancelled calls."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from tests.factories import make_expression, make_token, make_tool
from tests.mcp_runtime.conftest import Serve
from tests.mcp_runtime.lane.requests import OLD, Case, put
from tests.mcp_runtime.lane.ways import both_ways
from tests.mcp_runtime.test_cancellation import LONG_MS, SLOW_SQL, has_outcome, is_active, is_idle
from tests.waiting import eventually

pytestmark = pytest.mark.django_db(transaction=True)

CALL = Case("call", era=OLD)
LIST = Case("list", era=OLD, message={"method": "tools/list"})


async def test_session_is_served_to_its_own_key_alone(serve: Serve, settings: Any) -> None:
    await sync_to_async(make_expression)(name="multiply")
    other = await sync_to_async(make_token)("other")

    async with both_ways(serve, settings) as ways:
        for way in ways:
            await way.ask(Case("the key is known"), other)
            assert (await way.ask(CALL, other)).status == 404
            assert (await way.ask(CALL)).status == 200


async def test_session_that_its_client_has_ended_is_not_found(serve: Serve, settings: Any) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with both_ways(serve, settings) as ways:
        for way in ways:
            assert (await way.ask(CALL)).status == 200
            await way.ask(Case("end", era=OLD, method="DELETE", body=b""))
            assert (await way.ask(CALL)).status == 404


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
async def test_every_version_is_answered_alike(serve: Serve, settings: Any, version: str) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with both_ways(serve, settings) as (direct, through):
        for way in (direct, through):
            await way.begin_session(version)
            await way.ask(replace(LIST, era=version))
        before = len(direct.taken)
        for case in (CALL, replace(CALL, params={"arguments": {}}), LIST):
            answers = [await way.ask(replace(case, era=version)) for way in (direct, through)]
            assert answers[0].json == answers[1].json
        assert len(direct.taken) == before + 3


async def test_session_without_a_handshake_is_refused_alike(serve: Serve, settings: Any) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with both_ways(serve, settings) as ways:
        answers = [await way.ask(replace(CALL, change=put("Mcp-Session-Id"))) for way in ways]

    assert [answer.status for answer in answers] == [400, 400]
    assert answers[0].json == answers[1].json


async def test_cancelled_call_ends_with_its_query(serve: Serve, settings: Any) -> None:
    await sync_to_async(make_tool)(SLOW_SQL, name="slow", timeout_ms=LONG_MS)
    slow = Case("slow", era=OLD, message={"id": 41}, params={"name": "slow", "arguments": {}})
    cancelled = Case(
        "cancelled",
        era=OLD,
        message={"method": "notifications/cancelled"},
        params={"requestId": 41},
        without=("id",),
    )

    async with both_ways(serve, settings) as ways:
        for way in ways:
            # The first request with a key is FastMCP's.
            await way.ask(Case("ping", era=OLD, message={"method": "ping"}))
            calling = asyncio.create_task(way.ask(slow))
            await eventually(is_active)
            assert (await way.ask(cancelled)).status == 202
            answer = await calling

            error = {"code": -32800, "message": "Request cancelled"}
            assert answer.json == {"jsonrpc": "2.0", "id": 41, "error": error}
            await eventually(is_idle)
        await eventually(lambda: has_outcome("cancelled"))
        assert len(ways[0].taken) > 0


async def test_session_that_only_the_lane_serves_does_not_become_idle(
    serve: Serve, settings: Any
) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with both_ways(serve, settings) as (direct, _):
        lane = direct.served.runtime.lane
        assert lane is not None
        assert lane.sessions.manager is not None
        transport: Any = lane.sessions.manager._server_instances[direct.session_id]
        began = transport.idle_scope.deadline = transport.idle_scope.deadline - 61
        await direct.ask(CALL)
        await direct.ask(CALL)

        assert transport.idle_scope.deadline > began
        assert len(direct.taken) > 0
