"""A small real HTTP server that answers as a test says, and its OpenAPI document."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

Reply = Callable[["Received", asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Received:
    """One request as it came over the wire; headers by names in small letters."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass
class LocalService:
    """Listens on 127.0.0.1; `received` are the requests, `lost` counts connections that ended early."""

    reply: Reply
    port: int = 0
    scheme: str = "http"
    received: list[Received] = field(default_factory=list)
    connections: int = 0
    lost: int = 0
    tasks: set["asyncio.Task[None]"] = field(default_factory=set)
    writers: set[asyncio.StreamWriter] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}/v1"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.add(writer)
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            while request := await _read(reader):
                self.received.append(request)
                await self.reply(request, writer)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            self.lost += 1
        finally:
            writer.close()


@asynccontextmanager
async def running(reply: Reply, tls: ssl.SSLContext | None = None) -> AsyncIterator[LocalService]:
    """The service, listening in the test's own loop."""
    service = LocalService(reply, scheme="https" if tls else "http")
    server = await asyncio.start_server(service.serve, "127.0.0.1", 0, ssl=tls)
    service.port = server.sockets[0].getsockname()[1]
    try:
        yield service
    finally:
        server.close()
        for writer in service.writers:
            writer.transport.abort()
        for task in service.tasks:
            task.cancel()
        await asyncio.gather(*service.tasks, return_exceptions=True)


def answering(body: bytes, content_type: str = "application/json", **given: Any) -> Reply:
    """Replies to everything with this body; `status` and more `headers` may be given."""
    status, headers = given.get("status", "200 OK"), given.get("headers", {})

    async def reply(_request: Received, writer: asyncio.StreamWriter) -> None:
        lines = {"Content-Type": content_type, "Content-Length": str(len(body)), **headers}
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        writer.write(f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body)

    return reply


async def _read(reader: asyncio.StreamReader) -> Received | None:
    head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
    if not head:
        return None
    first, *lines = head.decode("latin-1").strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (e.partition(":") for e in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    method, target, _version = first.split(" ")
    return Received(method, target, headers, body)


DOCUMENT: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "servers": [{"url": "https://pets.example.com/v1"}],
    "tags": [{"name": "pets"}],
    "paths": {
        "/pets": {
            "get": {
                "operationId": "list_pets",
                "summary": "List pets",
                "tags": ["pets"],
                "parameters": [
                    {
                        "name": "limit",
                        "in": "query",
                        "description": "How many at most",
                        "schema": {"type": "integer", "minimum": 1, "maximum": 50},
                    },
                    {
                        "name": "kind",
                        "in": "query",
                        "schema": {"type": "string", "enum": ["cat", "dog"]},
                    },
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                ],
            },
            "post": {
                "operationId": "add_pet",
                "summary": "Add a pet",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "name": {"type": "string", "minLength": 2},
                                    "owner": {
                                        "type": "object",
                                        "required": ["mail"],
                                        "properties": {
                                            "mail": {"type": "string", "pattern": "@"},
                                            "age": {"type": "integer", "minimum": 0},
                                        },
                                    },
                                },
                            }
                        }
                    },
                },
            },
        },
        "/pets/{id}": {
            "get": {
                "operationId": "get_pet",
                "summary": "One pet",
                "tags": ["one"],
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
                ],
            }
        },
    },
}
