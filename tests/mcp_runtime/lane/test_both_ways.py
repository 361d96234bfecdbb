"""Each request goes through the direct lane and through FastMCP alone; the answers are the same."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from asgiref.sync import sync_to_async

from mcp_runtime.lane.lane import DirectLane
from tests.factories import make_expression
from tests.mcp_runtime.conftest import Serve, Served
from tests.mcp_runtime.lane.raw import RawAnswer, make_request, send
from tests.mcp_runtime.lane.requests import CASES, OLD, Case, put

pytestmark = pytest.mark.django_db(transaction=True)


@dataclass
class Way:
    """A runtime, a session in it, and how many requests its lane has answered."""

    served: Served
    session_id: str = ""
    taken: list[object] = field(default_factory=list)

    @property
    def port(self) -> int:
        return urlsplit(self.served.url).port or 0

    async def ask(self, case: Case) -> RawAnswer:
        headers = case.make_headers(f"127.0.0.1:{self.port}", self.served.token, self.session_id)
        request = make_request(case.method, case.path, headers, case.make_body())
        return await asyncio.wait_for(send(self.port, request), 120)

    async def begin_session(self) -> None:
        about = {
            "protocolVersion": OLD,
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        }
        opening = Case(
            "",
            era=OLD,
            change=put("Mcp-Session-Id"),
            message={"method": "initialize", "params": about},
        )
        answer = await self.ask(opening)
        self.session_id = answer.headers["mcp-session-id"]
        accepted = {"method": "notifications/initialized", "params": {}}
        await self.ask(Case("", era=OLD, message=accepted, without=("id",)))

    def count(self, lane: DirectLane) -> None:
        begin = lane.begin

        def note(request: Any) -> Any:
            begun = begin(request)
            if begun is not None:
                self.taken.append(request)
            return begun

        lane.begin = note  # type: ignore[method-assign]


@asynccontextmanager
async def both_ways(serve: Serve, settings: Any) -> AsyncIterator[tuple[Way, Way]]:
    """The direct way, then FastMCP's."""
    async with AsyncExitStack() as stack:
        ways = []
        for is_direct in (True, False):
            settings.MCP_DIRECT_LANE = is_direct
            way = Way(await stack.enter_async_context(serve()))
            if lane := way.served.runtime.lane:
                way.count(lane)
            await way.begin_session()
            # The key is known from here on.
            ways.append(way)
        yield ways[0], ways[1]


def shown(answer: RawAnswer) -> object:
    """What a client can tell, but for the time it took."""
    body = answer.json
    structured = (
        body.get("result", {}).get("structuredContent", {}) if isinstance(body, dict) else {}
    )
    structured.pop("elapsed_ms", None)
    return answer.status, body


async def test_every_request_is_answered_alike(serve: Serve, settings: Any, subtests: Any) -> None:
    await sync_to_async(make_expression)(name="multiply")

    async with both_ways(serve, settings) as (direct, through):
        for case in CASES:
            with subtests.test(case.name):
                for way in (direct, through):
                    # Known for two seconds; and lists are made by FastMCP once.
                    await way.ask(Case("plain"))
                    if (
                        case.is_direct and b"list" in case.make_body()
                    ) or b"discover" in case.make_body():
                        await way.ask(case)
                before = len(direct.taken)
                answers = [await way.ask(case) for way in (direct, through)]

                assert shown(answers[0]) == shown(answers[1])
                assert (len(direct.taken) > before) == case.is_direct
                if case.era != OLD:
                    kinds = [answer.headers.get("content-type") for answer in answers]
                    assert kinds[0] == kinds[1]
