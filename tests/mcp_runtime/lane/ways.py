"""One runtime with the direct lane and one without, on the same rows."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from mcp_runtime.lane.lane import DirectLane
from tests.mcp_runtime.conftest import Serve, Served
from tests.mcp_runtime.lane.raw import RawAnswer, make_request, send
from tests.mcp_runtime.lane.requests import OLD, Case, put
from tests.waiting import LIMIT_S


@dataclass
class Way:
    """A runtime, a session in it, and how many requests its lane has answered."""

    served: Served
    session_id: str = ""
    taken: list[object] = field(default_factory=list)

    @property
    def port(self) -> int:
        return urlsplit(self.served.url).port or 0

    async def ask(self, case: Case, token: str = "") -> RawAnswer:
        """The answer; with the key of the runtime unless another is given."""
        token = token or self.served.token
        headers = case.make_headers(f"127.0.0.1:{self.port}", token, self.session_id)
        request = make_request(case.method, case.path, headers, case.make_body())
        return await asyncio.wait_for(send(self.port, request), LIMIT_S)

    async def begin_session(self, version: str = OLD, token: str = "") -> None:
        about = {
            "protocolVersion": version,
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        }
        opening = Case(
            "",
            era=version,
            change=put("Mcp-Session-Id"),
            message={"method": "initialize", "params": about},
        )
        answer = await self.ask(opening, token)
        self.session_id = answer.headers["mcp-session-id"]
        accepted = {"method": "notifications/initialized", "params": {}}
        await self.ask(Case("", era=version, message=accepted, without=("id",)), token)

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
            way.taken.clear()
            # The key is known from here on.
            ways.append(way)
        yield ways[0], ways[1]
