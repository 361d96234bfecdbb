"""Sessions of earlier protocols in the direct lane: whose they are, how they end, and cancelled calls."""

import asyncio
import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from math import inf
from typing import Any, cast

import httpx
import pytest
from asgiref.sync import sync_to_async
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from access.models import CallRecord, EndedSession
from mcp_runtime.lane import sessions
from tests.factories import make_expression, make_token, make_tool
from tests.mcp_runtime.conftest import Serve
from tests.mcp_runtime.lane.raw import make_request
from tests.mcp_runtime.lane.requests import CALL, CANCELLED, END, LIST, OLD, Case, put
from tests.mcp_runtime.lane.ways import Way, both_ways
from tests.mcp_runtime.test_cancellation import LONG_MS, SLOW_SQL, has_outcome, is_active, is_idle
from tests.waiting import LIMIT_S, eventually

pytestmark = pytest.mark.django_db(transaction=True)

PROMPTS = Case("prompts", era=OLD, message={"method": "prompts/list"})


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
            await way.ask(END)
            assert (await way.ask(CALL)).status == 404


async def test_end_of_a_session_is_answered_alike(serve: Serve, settings: Any) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with both_ways(serve, settings) as (direct, through):
        for needs_sdk in (False, True):
            answers = []
            for way in (direct, through):
                await way.begin_session()
                if needs_sdk:
                    await way.ask(PROMPTS)
                await way.ask(CALL)
                before = len(direct.taken)
                answers.append(await way.ask(END))
                assert answers[-1].headers.pop("mcp-session-id") == way.session_id
                assert len(direct.taken) - before == (way is direct and not needs_sdk)
                assert [(await way.ask(case)).status for case in (END, CALL)] == [404, 404]
            for answer in answers:
                assert answer.headers.pop("x-request-id")
                answer.headers.pop("date")
            assert answers[0].status == answers[1].status == 200
            assert answers[0].headers == answers[1].headers


async def test_session_is_not_ended_by_another_key_nor_from_another_site(
    serve: Serve, settings: Any
) -> None:
    await sync_to_async(make_expression)(name="multiply")
    other = await sync_to_async(make_token)("other")
    site = replace(END, change=put("Origin", "https://evil.example"))

    async with both_ways(serve, settings) as ways:
        for way in ways:
            await way.ask(Case("the key is known"), other)
            assert (await way.ask(END, other)).status == 404
            assert (await way.ask(site)).status == 403
            assert (await way.ask(CALL)).status == 200


async def test_session_is_ended_by_a_client_that_leaves_at_once(
    serve: Serve, settings: Any
) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with both_ways(serve, settings) as ways:
        for way in ways:
            assert (await way.ask(CALL)).status == 200
            headers = END.make_headers(f"127.0.0.1:{way.port}", way.served.token, way.session_id)
            before = await EndedSession.objects.acount()
            _, writer = await asyncio.open_connection("127.0.0.1", way.port)
            writer.write(make_request("DELETE", END.path, headers, b""))
            writer.close()

            async def is_over(way: Way = way) -> bool:
                return (await way.ask(CALL)).status == 404

            async def is_written(before: int = before) -> bool:
                return await EndedSession.objects.acount() == before + 1

            await eventually(is_over)
            await eventually(is_written)


async def test_sessions_that_end_at_once_are_all_over(serve: Serve, settings: Any) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with both_ways(serve, settings) as ways:
        for way in ways:
            clients = [Way(way.served) for _ in range(40)]
            await asyncio.gather(*(client.begin_session() for client in clients))
            before = await EndedSession.objects.acount()
            ends = await asyncio.gather(*(client.ask(END) for client in clients))
            calls = await asyncio.gather(*(client.ask(CALL) for client in clients))

            assert {answer.status for answer in ends} == {200}
            assert {answer.status for answer in calls} == {404}
            assert await EndedSession.objects.acount() - before == len(clients)


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

    async with both_ways(serve, settings) as ways:
        for way in ways:
            # The first request with a key is FastMCP's.
            await way.ask(Case("ping", era=OLD, message={"method": "ping"}))
            calling = asyncio.create_task(way.ask(slow))
            await eventually(is_active)
            assert (await way.ask(CANCELLED)).status == 202
            answer = await calling

            error = {"code": -32800, "message": "Request cancelled"}
            assert answer.json == {"jsonrpc": "2.0", "id": 41, "error": error}
            await eventually(is_idle)
        await eventually(lambda: has_outcome("cancelled"))
        assert len(ways[0].taken) > 0


def transports_of(way: Way) -> dict[str, Any]:
    """The sessions that the SDK knows."""
    lane = way.served.runtime.lane
    assert lane is not None
    assert lane.sessions.manager is not None
    return cast("dict[str, Any]", lane.sessions.manager._server_instances)


async def test_session_that_only_the_lane_serves_does_not_become_idle(
    serve: Serve, settings: Any
) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with both_ways(serve, settings) as (direct, _):
        await direct.ask(PROMPTS)
        transport = transports_of(direct)[direct.session_id]
        # It has none while a request is served.
        await eventually(lambda: transport.idle_scope.deadline < inf)
        began = transport.idle_scope.deadline = transport.idle_scope.deadline - 61
        await direct.ask(CALL)
        await direct.ask(CALL)

        assert transport.idle_scope.deadline > began
        assert len(direct.taken) > 0


async def test_sdk_knows_no_session_before_a_request_needs_it(serve: Serve, settings: Any) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with both_ways(serve, settings) as (direct, through):
        for case in (CALL, LIST, CANCELLED):
            await direct.ask(case)
        assert not transports_of(direct)
        assert direct.served.runtime.session_count == 1

        answers = [await way.ask(PROMPTS) for way in (direct, through)]
        assert answers[0].json == answers[1].json
        assert list(transports_of(direct)) == [direct.session_id]
        assert direct.served.runtime.session_count == 1
        await direct.ask(replace(CALL, params={"name": "nothing"}))
        assert (await direct.ask(CALL)).status == 200
    assert {"raw"} == {
        client async for client in CallRecord.objects.values_list("client_name", flat=True)
    }


async def test_session_that_was_forgotten_is_served_still(
    serve: Serve, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await sync_to_async(make_expression)(name="multiply")
    monkeypatch.setattr(sessions, "MOST_SESSIONS", 2)

    async with both_ways(serve, settings) as (direct, _):
        first = direct.session_id
        for _ in range(2):
            await direct.begin_session()
        assert direct.served.runtime.session_count == 2

        direct.session_id = first
        assert (await direct.ask(CALL)).status == 200


async def test_stream_of_a_session_tells_of_changes_and_ends_with_it(
    serve: Serve, settings: Any, psql: Callable[[str], None]
) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with both_ways(serve, settings) as ways, httpx.AsyncClient(timeout=LIMIT_S) as http:
        for way in ways:
            async with listen(http, way) as stream:
                async with listen(http, way) as second:
                    assert second.status_code == 409
                    assert json.loads(await second.aread())["error"]["message"].startswith(
                        "Conflict"
                    )
                lines = stream.aiter_lines()
                psql("UPDATE h_custom_tool SET definition = definition || ' + 0'")
                async with asyncio.timeout(LIMIT_S):
                    while "notifications/tools/list_changed" not in await anext(lines):
                        pass
                    assert (await way.ask(END)).status == 200
                    assert [line async for line in lines if line.startswith("data")] == []
        assert not transports_of(ways[0])


async def test_stream_that_its_client_left_can_be_opened_again(serve: Serve, settings: Any) -> None:
    async with (
        both_ways(serve, settings) as (direct, _),
        httpx.AsyncClient(timeout=LIMIT_S) as http,
    ):

        async def is_open() -> bool:
            async with listen(http, direct) as stream:
                return stream.status_code == 200

        for _ in range(2):
            await eventually(is_open)
        await direct.ask(END)
        async with listen(http, direct) as stream:
            assert stream.status_code == 404


def listen(http: httpx.AsyncClient, way: Way) -> AbstractAsyncContextManager[httpx.Response]:
    headers = {
        "Accept": "text/event-stream",
        "Authorization": f"Bearer {way.served.token}",
        "MCP-Protocol-Version": OLD,
        "Mcp-Session-Id": way.session_id,
    }
    return http.stream("GET", way.served.url, headers=headers)
