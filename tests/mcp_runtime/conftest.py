"""A runtime over real HTTP in the test's own loop, and clients of both protocol eras."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
import uvicorn
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import connection
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from config.services.postgres import EmbeddedPostgres
from gateways.http_server.limits import HttpLimits
from gateways.http_server.serving import server_options
from mcp_runtime.server import Runtime
from tests.factories import make_token
from tests.waiting import eventually

__all__ = ["ERAS", "Serve", "Served", "listening"]

ERAS = ["legacy", "2026-07-28"]
# The addresses are http; reading the system's certificates costs each client 40 ms.
NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@dataclass(frozen=True)
class Served:
    """A runtime that listens at `url` and a token it accepts."""

    runtime: Runtime
    url: str
    token: str

    def client(
        self,
        era: str = "2026-07-28",
        token: str | None = None,
        toolset: str = "",
        **options: Any,
    ) -> Client[Any]:
        headers = {"Authorization": f"Bearer {token or self.token}"}
        url = f"{self.url}/{toolset}" if toolset else self.url
        transport = StreamableHttpTransport(url, headers=headers, verify=NO_AUTHORITIES)
        return Client(transport, mode=era, **options)

    async def call(self, name: str, /, **arguments: Any) -> Any:
        """The answer of one call, errors included."""
        async with self.client() as client:
            return await client.call_tool(name, arguments, raise_on_error=False)

    async def names(self) -> list[str]:
        """Names of the listed tools that are not built in."""
        builtin = self.runtime.store.snapshot.builtin
        async with self.client() as client:
            return [tool.name for tool in await client.list_tools() if tool.name not in builtin]


Serve = Callable[[], AbstractAsyncContextManager[Served]]


@asynccontextmanager
async def listening(runtime: Runtime) -> AsyncIterator[str]:
    """The address of `runtime`, which is served as runmcp does it, in the running loop."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        options = server_options(HttpLimits.read(settings), lambda: runtime.lane)
        config = uvicorn.Config(runtime.http_app(), access_log=False, **options)
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve([listener]))
        await eventually(lambda: server.started)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        finally:
            runtime.notifier.close()
            server.should_exit = True
            await task


@pytest.fixture
def serve(transactional_db: None, embedded_postgres: EmbeddedPostgres) -> Serve:
    """Starts a runtime on the rows that the test has written."""

    @asynccontextmanager
    async def start() -> AsyncIterator[Served]:
        token = await sync_to_async(make_token)()
        runtime = Runtime()
        async with listening(runtime) as url:
            yield Served(runtime, url, token)

    return start


def execute_elsewhere(statement: str) -> None:
    """Write to the application's database as another program would, outside of Django."""
    parameters = connection.get_connection_params()
    wanted = {name: parameters[name] for name in ("dbname", "user", "password", "host", "port")}
    with psycopg.connect(**wanted, autocommit=True) as other:
        other.execute(statement.encode())


@pytest.fixture
def psql(transactional_db: None) -> Callable[[str], None]:
    """`execute_elsewhere`, on a database that is emptied after the test."""
    return execute_elsewhere
