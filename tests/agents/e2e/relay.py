"""A relay of TCP connections that notes which MCP protocol versions clients speak."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

_VERSION = re.compile(rb"mcp-protocol-version: *([\d-]+)", re.IGNORECASE)


@dataclass
class Relay:
    """Between an agent and its server; `url` is what the agent is given."""

    host: str
    port: int
    url: str = ""
    versions: set[str] = field(default_factory=set)

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Pass one connection on, both ways, until either side ends it."""
        upstream, downstream = await asyncio.open_connection(self.host, self.port)
        try:
            await asyncio.gather(self._pump(reader, downstream), self._pump(upstream, writer))
        finally:
            for each in (writer, downstream):
                each.close()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await reader.read(65_536):
                self.versions |= {found.decode() for found in _VERSION.findall(data)}
                writer.write(data)
                await writer.drain()
            writer.close()


@asynccontextmanager
async def relay(url: str) -> AsyncIterator[Relay]:
    """A relay to the address on a free loopback port."""
    parts = urlsplit(url)
    passing = Relay(parts.hostname or "", parts.port or 80)
    server = await asyncio.start_server(passing.accept, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    passing.url = f"http://127.0.0.1:{port}{parts.path}"
    try:
        yield passing
    finally:
        server.close()
