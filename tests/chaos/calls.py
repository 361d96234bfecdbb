"""Agents that call without a pause, and what became of every one of their calls."""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import Any, Protocol, Self

import httpx
import orjson

DEADLINE_S = 45.0
PAUSE_S, PAUSE_AFTER_CUT_S = 0.005, 0.1
_VERSION = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": _VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "chaos", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
# Every call of a run has a number of its own, its argument, by which its record is found.
_numbers = count(1)


class Called(Protocol):
    """A tool, and how its right answers are known."""

    @property
    def name(self) -> str:
        """What agents call."""

    def matches(self, n: int, content: Mapping[str, Any]) -> bool:
        """Whether this is the answer to `n`, whole and of nothing else."""


class Ending(StrEnum):
    """What became of a call; WRONG and LOST must never be."""

    RIGHT = "right"
    REFUSED = "refused"
    CUT = "cut"
    WRONG = "wrong"
    LOST = "lost"


@dataclass(frozen=True)
class Sent:
    """One call. `detail` is what was said instead of the right answer."""

    number: int
    tool: str
    ending: Ending
    seconds: float
    detail: str = ""
    ended_at: float = field(default_factory=time.monotonic)


@dataclass
class Tally:
    """The calls of one scenario and the figures of its row in the summary."""

    scenario: str
    calls: list[Sent] = field(default_factory=list)
    recorded: int | None = None
    note: str = ""

    @property
    def sent(self) -> int:
        return len(self.calls)

    def of(self, *endings: Ending) -> list[Sent]:
        """The calls that ended so."""
        return [call for call in self.calls if call.ending in endings]

    def count(self, *endings: Ending) -> int:
        return len(self.of(*endings))

    def named(self, *tools: str) -> list[Sent]:
        """The calls of these tools."""
        return [call for call in self.calls if call.tool in tools]

    def slowest_s(self) -> float:
        return max((call.seconds for call in self.calls), default=0.0)


@dataclass
class Agents:
    """Calls of one scenario. `refusals` is the form of the errors that are expected in it.

    A call that is cut off is expected only where `may_cut`; any other error counts as wrong.
    """

    url: str
    token: str
    tally: Tally
    refusals: str = r"(?!)"
    may_cut: bool = False
    _http: httpx.AsyncClient = field(init=False)

    async def __aenter__(self) -> Self:
        accept = "application/json, text/event-stream"
        headers = {"Accept": accept, "Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {self.token}", "MCP-Protocol-Version": _VERSION}
        headers |= {"Mcp-Method": "tools/call"}
        # A kept connection may be closed by the server just as it is used again: no fault of a call.
        limits = httpx.Limits(max_keepalive_connections=0)
        self._http = httpx.AsyncClient(headers=headers, timeout=DEADLINE_S, limits=limits)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def call(self, tool: Called, leave_after_s: float | None = None) -> Sent:
        """One call to its end, or until the client goes away."""
        number, began = next(_numbers), time.perf_counter()
        ending, detail = await self._judge(tool, number, leave_after_s)
        sent = Sent(number, tool.name, ending, time.perf_counter() - began, detail)
        self.tally.calls.append(sent)
        return sent

    async def _judge(
        self, tool: Called, number: int, leave_after_s: float | None
    ) -> tuple[Ending, str]:
        try:
            async with asyncio.timeout(leave_after_s or DEADLINE_S):
                content = await self._post(tool.name, number)
        except (TimeoutError, httpx.TimeoutException):
            return (Ending.CUT, "left") if leave_after_s else (Ending.LOST, "no answer")
        except (httpx.TransportError, OSError) as error:
            return (Ending.CUT if self.may_cut else Ending.WRONG), repr(error)
        text = content if isinstance(content, str) else ""
        if text:
            return (Ending.REFUSED if re.search(self.refusals, text) else Ending.WRONG), text
        if isinstance(content, dict) and tool.matches(number, content):
            return Ending.RIGHT, ""
        return Ending.WRONG, f"{number}: {str(content)[:300]}"

    async def _post(self, tool: str, number: int) -> Any:
        """The structured content, or the text of an error."""
        params = {"name": tool, "arguments": {"n": number}, "_meta": _META}
        body = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        headers = {"Mcp-Name": tool}
        response = await self._http.post(self.url, content=orjson.dumps(body), headers=headers)
        # The first call of a session comes as an event.
        text = response.content.partition(b"data: ")[2] or response.content
        is_read = response.status_code == 200 and text
        answer = orjson.loads(text) if is_read else {}
        if response.status_code != 200 or answer.get("id") != number or "result" not in answer:
            return f"HTTP {response.status_code}: {response.text[:300]}"
        result = answer["result"]
        return (
            str(result["content"][0]["text"])
            if result.get("isError")
            else result.get("structuredContent")
        )

    @asynccontextmanager
    async def traffic(
        self, choose: Callable[[], Called], *, callers: int = 6, at_least: int = 200
    ) -> AsyncIterator[None]:
        """Meanwhile so many callers call without a pause; ends when the block and the count have."""
        first, is_over = self.tally.sent, asyncio.Event()

        async def call_on() -> None:
            while not is_over.is_set() or self.tally.sent - first < at_least:
                sent = await self.call(choose())
                await asyncio.sleep(PAUSE_AFTER_CUT_S if sent.ending is Ending.CUT else PAUSE_S)

        tasks = [asyncio.create_task(call_on()) for _ in range(callers)]
        try:
            yield
        except BaseException:
            for task in tasks:
                task.cancel()
            raise
        finally:
            is_over.set()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(*tasks)
