"""MCP clients that cost as little as a client can: one kept connection, prepared requests, a C parser."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self, cast

import orjson
from httptools import HttpResponseParser

MODERN, LEGACY = "2026-07-28", "2025-11-25"
_CLIENT = {"name": "bench", "version": "1"}
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": _CLIENT,
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer; `seconds` from the request's first byte to the answer's last."""

    status: int
    body: bytes
    seconds: float

    def message(self) -> dict[str, Any]:
        """The JSON-RPC message, whether it came as JSON or as an event; ValueError for neither."""
        body = self.body
        if not body.startswith(b"{"):
            lines = (line[5:] for line in body.splitlines() if line.startswith(b"data: {"))
            body = next(lines, body)
        message: dict[str, Any] = orjson.loads(body)
        return message

    def content(self) -> Any:
        """The structured content of a call, or the JSON of each block of text where there is none.

        RuntimeError for anything else than a good answer.
        """
        try:
            result = self.message()["result"]
            if not result.get("isError"):
                found = result.get("structuredContent")
                texts = (block["text"] for block in result["content"])
                return [orjson.loads(text) for text in texts] if found is None else found
        except (LookupError, ValueError):
            pass
        raise RuntimeError(f"HTTP {self.status}: {self.body.decode(errors='replace')[:300]}")


class Connection(asyncio.Protocol):
    """One connection, which carries one request after the other."""

    def __init__(self) -> None:
        self.is_open = False
        self.headers: dict[bytes, bytes] = {}
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[Answer] | None = None
        self._began = 0.0
        self._body: list[bytes] = []
        self._parser = HttpResponseParser(self)

    async def send(self, request: bytes) -> Answer:
        """The answer to a request, head and body; ConnectionError if the server hangs up first."""
        if self._transport is None or not self.is_open:
            raise ConnectionResetError("the server has closed the connection")
        self._answer = asyncio.get_running_loop().create_future()
        self._body, self.headers = [], {}
        self._parser = HttpResponseParser(self)
        self._began = time.perf_counter()
        self._transport.write(request)
        return await self._answer

    def close(self) -> None:
        """Hang up."""
        if self._transport is not None:
            self._transport.close()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self.is_open = cast(asyncio.Transport, transport), True

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("the server hung up"))

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.lower()] = value

    def on_body(self, body: bytes) -> None:
        self._body.append(body)

    def on_message_complete(self) -> None:
        seconds = time.perf_counter() - self._began
        if not self._parser.should_keep_alive():
            self.is_open = False
        if self._answer is not None and not self._answer.done():
            body = b"".join(self._body)
            self._answer.set_result(Answer(self._parser.get_status_code(), body, seconds))


class Client:
    """A caller of one server: connects when it first sends, and again where the server hung up.

    Use it in an `async with` block, which for 2025-11-25 opens a session and ends it.
    """

    def __init__(self, port: int, token: str, protocol: str = MODERN) -> None:
        self.token = token
        self._port = port
        self._protocol = protocol
        self._session = ""
        self._connection = Connection()

    async def __aenter__(self) -> Self:
        if self._protocol == LEGACY:
            params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": _CLIENT}
            answer = await self.send(self.prepare("initialize", params))
            if answer.status != 200:
                raise RuntimeError(f"no session: HTTP {answer.status} {answer.body[:200]!r}")
            self._session = self._connection.headers.get(b"mcp-session-id", b"").decode()
            await self.send(self.prepare("notifications/initialized", {}))
        return self

    async def __aexit__(self, *_: object) -> None:
        with suppress(OSError):
            if self._session and self._connection.is_open:
                await self.send(self._head("DELETE", []) + b"\r\n")
        self._connection.close()

    def prepare_call(self, tool: str, arguments: Mapping[str, Any]) -> bytes:
        """The request of a call, to be sent any number of times."""
        return self.prepare("tools/call", {"name": tool, "arguments": arguments}, tool)

    def prepare(self, method: str, params: Mapping[str, Any], name: str = "") -> bytes:
        """The request of any method; `name` is that of the tool that it calls."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        lines = ["Content-Type: application/json"]
        if not method.startswith("notifications/"):
            message["id"] = 1
        if self._protocol == MODERN:
            message["params"] = {**params, "_meta": _META}
            lines += [f"Mcp-Method: {method}", *([f"Mcp-Name: {name}"] if name else [])]
        content = orjson.dumps(message)
        return self._head("POST", [*lines, f"Content-Length: {len(content)}"]) + b"\r\n" + content

    async def send(self, request: bytes) -> Answer:
        """The answer, whatever it is; OSError where there is none."""
        if not self._connection.is_open:
            loop = asyncio.get_running_loop()
            _, self._connection = await loop.create_connection(Connection, "127.0.0.1", self._port)
        return await self._connection.send(request)

    async def call(self, tool: str, arguments: Mapping[str, Any]) -> Any:
        """What a call gives, as `Answer.content` has it."""
        return (await self.send(self.prepare_call(tool, arguments))).content()

    async def list_tools(self) -> int:
        """How many tools one `tools/list` shows."""
        answer = await self.send(self.prepare("tools/list", {}))
        return len(answer.message()["result"]["tools"])

    def _head(self, verb: str, lines: Sequence[str]) -> bytes:
        session = [f"Mcp-Session-Id: {self._session}"] if self._session else []
        usual = (
            f"{verb} /mcp HTTP/1.1",
            f"Host: 127.0.0.1:{self._port}",
            f"Authorization: Bearer {self.token}",
            "Accept: application/json, text/event-stream",
            f"MCP-Protocol-Version: {self._protocol}",
        )
        return "".join(f"{line}\r\n" for line in (*usual, *session, *lines)).encode()
