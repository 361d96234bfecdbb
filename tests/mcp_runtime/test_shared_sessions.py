"""Sessions of earlier protocols at two runtimes, as workers or machines behind a balancer are."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from access.models import CallRecord, EndedSession
from access.tasks import SESSION_FORGOTTEN_AFTER, prune_ended_sessions
from mcp_runtime import session_news
from tests.factories import make_expression, make_token, make_tool
from tests.mcp_runtime.conftest import Serve
from tests.mcp_runtime.lane.raw import RawAnswer
from tests.mcp_runtime.lane.requests import CALL, CANCELLED, END, LIST, OLD, Case, put
from tests.mcp_runtime.lane.ways import Way
from tests.mcp_runtime.test_cancellation import LONG_MS, SLOW_SQL, has_outcome, is_active, is_idle
from tests.waiting import LIMIT_S, eventually

pytestmark = pytest.mark.django_db(transaction=True)

SLOW = Case("slow", era=OLD, message={"id": 41}, params={"name": "slow", "arguments": {}})


@dataclass
class Pair:
    """Two runtimes on the same rows; a session and a key of the first."""

    first: Way
    second: Way
    token: str

    async def ask_first(self, case: Case) -> RawAnswer:
        return await self.first.ask(case, self.token)

    async def ask_second(self, case: Case, token: str = "") -> RawAnswer:
        return await self.second.ask(case, token or self.token)


@asynccontextmanager
async def two_runtimes(serve: Serve, version: str = OLD) -> AsyncIterator[Pair]:
    async with serve() as one, serve() as other:
        first, second = Way(one), Way(other)
        for way in (first, second):
            if lane := way.served.runtime.lane:
                way.count(lane)
        await first.begin_session(version)
        second.session_id = first.session_id
        yield Pair(first, second, one.token)


def change_session(session_id: str, case: Case = CALL) -> Case:
    return replace(case, era=OLD, change=put("Mcp-Session-Id", session_id))


async def test_session_is_served_where_it_did_not_begin(serve: Serve) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with two_runtimes(serve) as pair:
        answers = [await pair.ask_second(CALL) for _ in range(3)]
        again = await pair.ask_first(CALL)

    assert [answer.status for answer in (*answers, again)] == [200] * 4
    assert answers[0].json["result"]["structuredContent"] == {"result": 6}
    # The first request is the one that makes the session known.
    assert len(pair.second.taken) == 2


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
async def test_version_of_the_handshake_holds_everywhere(serve: Serve, version: str) -> None:
    await sync_to_async(make_expression)(name="multiply")
    # Clients of the first versions do not say which they speak.
    unnamed = Case(
        "list", era=OLD, message={"method": "tools/list"}, change=put("MCP-Protocol-Version")
    )

    async with two_runtimes(serve, version) as pair:
        lists = [(await ask(unnamed)).json for ask in (pair.ask_first, pair.ask_second)]

    assert lists[0] == lists[1]


async def test_many_first_requests_at_once_are_all_served(serve: Serve) -> None:
    await sync_to_async(make_expression)(name="multiply")

    calls = [Case("call", era=OLD, message={"id": number}) for number in range(20)]

    async with two_runtimes(serve) as pair:
        answers = await asyncio.gather(*(pair.ask_second(call) for call in calls))

    assert [answer.status for answer in answers] == [200] * 20


async def test_session_outlives_its_runtime(serve: Serve) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with serve() as served:
        way, token = Way(served), served.token
        await way.begin_session()
    async with serve() as served:
        answer = await Way(served, way.session_id).ask(CALL, token)

    assert answer.status == 200


async def test_session_of_another_key_is_not_found(serve: Serve) -> None:
    other = await sync_to_async(make_token)("other")

    async with two_runtimes(serve) as pair:
        assert (await pair.ask_second(CALL, other)).status == 404
        assert (await pair.ask_second(END, other)).status == 404
        assert (await pair.ask_second(LIST)).status == 200


async def test_forged_session_is_not_found(
    serve: Serve, settings: Any, subtests: pytest.Subtests
) -> None:
    async with two_runtimes(serve) as pair:
        version, number, signature = pair.first.session_id.split(".")
        forged = {
            "another version": f"2024-11-05.{number}.{signature}",
            "another number": f"{version}.{'0' * 32}.{signature}",
            "no signature": f"{version}.{number}",
            "no text": "\xff.\xff.\xff",
        }
        for name, session_id in forged.items():
            with subtests.test(name):
                assert (await pair.ask_second(change_session(session_id))).status == 404
        settings.SECRET_KEY = "of another installation"
        assert (await pair.ask_second(CALL)).status == 404


async def test_id_of_a_request_that_is_refused_is_good_for_nothing(serve: Serve) -> None:
    async with two_runtimes(serve) as pair:
        refused = await pair.ask_first(Case("call", era=OLD, change=put("Mcp-Session-Id")))
        given = refused.headers["mcp-session-id"]

        assert refused.status == 400
        assert (await pair.ask_second(change_session(given))).status == 404


async def test_session_that_is_ended_is_ended_everywhere(serve: Serve) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with two_runtimes(serve) as pair:
        assert (await pair.ask_second(CALL)).status == 200
        assert (await pair.ask_first(END)).status == 200

        async def is_over() -> bool:
            return (await pair.ask_second(CALL)).status == 404

        await eventually(is_over)
        async with serve() as third:
            answer = await Way(third, pair.first.session_id).ask(CALL, pair.token)
    assert answer.status == 404


@pytest.fixture
def soon_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the database did not take is tried again at once."""
    monkeypatch.setattr(session_news, "RETRY_S", 0.05)


@pytest.mark.usefixtures("soon_again")
@pytest.mark.parametrize("is_direct", [True, False], ids=["lane", "FastMCP"])
async def test_sessions_whose_end_cannot_be_written_are_over_all_the_same(
    serve: Serve, settings: Any, psql: Callable[[str], None], is_direct: bool
) -> None:
    settings.MCP_DIRECT_LANE = is_direct
    async with two_runtimes(serve) as pair:
        ids = []
        for _ in range(3):
            await pair.first.begin_session(OLD)
            ids.append(pair.first.session_id)
        psql("ALTER TABLE h_ended_session RENAME TO away")
        try:
            ends = [change_session(session_id, END) for session_id in ids]
            told = [await pair.ask_first(ends[0])]
            told += await asyncio.gather(*map(pair.ask_first, ends[1:]))
            here = [await pair.ask_first(change_session(each)) for each in ids]
        finally:
            psql("ALTER TABLE away RENAME TO h_ended_session")

        async def are_over() -> bool:
            answers = [await pair.ask_second(change_session(each)) for each in ids]
            return [answer.status for answer in answers] == [404] * 3

        await eventually(are_over)
        assert await EndedSession.objects.acount() == 3
    assert [answer.status for answer in told] == [200] * 3
    assert [answer.status for answer in here] == [404] * 3


async def test_session_can_be_ended_where_it_did_not_begin(serve: Serve) -> None:
    async with two_runtimes(serve) as pair:
        assert (await pair.ask_second(END)).status == 200
        assert (await pair.ask_second(LIST)).status == 404

        async def is_over() -> bool:
            return (await pair.ask_first(LIST)).status == 404

        await eventually(is_over)


@pytest.mark.parametrize("is_direct", [True, False], ids=["lane", "FastMCP"])
async def test_call_is_cancelled_from_another_runtime(
    serve: Serve, settings: Any, is_direct: bool
) -> None:
    settings.MCP_DIRECT_LANE = is_direct
    await sync_to_async(make_tool)(SLOW_SQL, name="slow", timeout_ms=LONG_MS)

    async with two_runtimes(serve) as pair:
        await pair.ask_first(LIST)
        calling = asyncio.create_task(pair.ask_first(SLOW))
        await eventually(is_active)
        assert (await pair.ask_second(CANCELLED)).status == 202
        answer = await calling

        assert answer.json["error"] == {"code": -32800, "message": "Request cancelled"}
        await eventually(is_idle)
        await eventually(lambda: has_outcome("cancelled"))


async def test_call_that_comes_as_news_is_not_made(
    serve: Serve, psql: Callable[[str], None]
) -> None:
    """Whoever may notify in the database knows the ids of sessions, and no key."""
    await sync_to_async(make_expression)(name="multiply")

    async with two_runtimes(serve) as pair:
        await pair.ask_first(LIST)
        session_id = pair.first.session_id
        call = {"name": "multiply", "arguments": {"a": 2, "b": 3}}
        made = json.dumps({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": call})
        news = {"sender": str(uuid4()), "session_id": session_id, "message": made}
        psql(f"NOTIFY toolbuilder_sessions, '{json.dumps(news)}'")
        # What is told after it is heard after it.
        await sync_to_async(make_expression)(name="divide")
        runtime = pair.first.served.runtime
        await eventually(lambda: "divide" in runtime.store.snapshot.tools)
        await pair.ask_first(LIST)

    assert not await CallRecord.objects.filter(tool_name="multiply").aexists()


async def test_stream_is_told_of_changes_where_the_session_did_not_begin(
    serve: Serve, psql: Callable[[str], None]
) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with two_runtimes(serve) as pair, httpx.AsyncClient(timeout=LIMIT_S) as http:
        headers = {
            "Accept": "text/event-stream",
            "Authorization": f"Bearer {pair.token}",
            "MCP-Protocol-Version": OLD,
            "Mcp-Session-Id": pair.first.session_id,
        }
        async with http.stream("GET", pair.second.served.url, headers=headers) as stream:
            assert stream.status_code == 200
            psql("UPDATE h_custom_tool SET definition = 'a + b' WHERE name = 'multiply'")
            lines = stream.aiter_lines()
            async with asyncio.timeout(LIMIT_S):
                while "notifications/tools/list_changed" not in await anext(lines):
                    pass


async def test_news_that_are_none_are_left_aside(serve: Serve, psql: Callable[[str], None]) -> None:
    async with two_runtimes(serve) as pair:
        psql("NOTIFY toolbuilder_sessions, 'nothing of ours'")
        await sync_to_async(make_expression)(name="multiply")

        await eventually(lambda: "multiply" in pair.second.served.runtime.store.snapshot.tools)


def test_sessions_that_ended_a_month_ago_are_forgotten() -> None:
    now = timezone.now()
    EndedSession.objects.create(number="0" * 32, at=now - SESSION_FORGOTTEN_AFTER)
    EndedSession.objects.create(number="1" * 32, at=now)

    assert prune_ended_sessions() == 1
    assert EndedSession.objects.get().number.hex == "1" * 32
