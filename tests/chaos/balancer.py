"""HAProxy before several runtimes, as docs/operation.md has it."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from config.services.ports import choose_free_port
from config.services.processes import Command, Keeper, start
from tests.chaos.calls import Agents
from tests.chaos.stage import PROJECT, Runtime, last_words
from tests.debian import find_program
from tests.waiting import eventually

PAGE = PROJECT / "docs/operation.md"
VERSION = "2025-11-25"


class SessionAgents(Agents):
    """Agents that share one session of an earlier protocol."""

    async def begin(self) -> str:
        """The id of the session."""
        about = {"name": "chaos", "version": "1"}
        opening = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": about}
        body = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening}
        self._http.headers["MCP-Protocol-Version"] = VERSION
        answer = await self._http.post(self.url, json=body)
        self._http.headers["Mcp-Session-Id"] = answer.headers["mcp-session-id"]
        return answer.headers["mcp-session-id"]


@asynccontextmanager
async def balancing(
    directory: Path, keeper: Keeper, runtimes: Sequence[Runtime]
) -> AsyncIterator[str]:
    """The address at which HAProxy serves the runtimes."""
    program, environment = await asyncio.to_thread(find_program, "haproxy")
    port, log = choose_free_port(), directory / "haproxy.log"
    file = directory / "haproxy.cfg"
    file.write_text(_read_page(port, runtimes))
    process = start(Command((program, "-db", "-f", str(file)), environment, log), keeper)
    url = f"http://127.0.0.1:{port}"

    async def is_healthy() -> bool:
        assert process.poll() is None, last_words(log)
        async with httpx.AsyncClient() as http:
            try:
                return (await http.get(f"{url}/healthz")).status_code == 200
            except httpx.TransportError:
                return False

    try:
        await eventually(is_healthy)
        yield f"{url}/mcp"
    finally:
        process.kill()
        process.wait()
        keeper.forget(process.pid)


def _read_page(port: int, runtimes: Sequence[Runtime]) -> str:
    """The configuration of the page, with our addresses and without its certificate."""
    block = PAGE.read_text().partition("```haproxy\n")[2].partition("```")[0]
    text = re.sub(r"bind .*", f"bind 127.0.0.1:{port}", block)
    for runtime in runtimes:
        text = re.sub(r"10\.0\.0\.\d:3003", f"127.0.0.1:{runtime.port}", text, count=1)
    assert "10.0.0" not in text, text
    return text
