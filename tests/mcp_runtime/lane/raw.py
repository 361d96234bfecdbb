"""Requests as bytes, and what comes back, without a client's own ideas of what is right."""

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import httptools

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass
class RawAnswer:
    """Status, content type and body; `json` is the message in it, whether it came as JSON or as an event."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    is_complete: bool = False

    @property
    def json(self) -> Any:
        text = self.body.decode()
        if text.startswith("event: message"):
            text = text.partition("data: ")[2].strip()
        return json.loads(text) if text.startswith(("{", "[")) else text

    # Callbacks of the parser.
    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.decode().lower()] = value.decode("latin-1")

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        self.is_complete = True


async def send(port: int, request: bytes) -> RawAnswer:
    """The answer to one request on a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request)
        return await read_answer(reader)
    finally:
        writer.close()


async def read_answer(reader: asyncio.StreamReader) -> RawAnswer:
    """The next answer of a connection on which one request at a time is sent."""
    answer = RawAnswer()
    parser = httptools.HttpResponseParser(answer)
    while not answer.is_complete and (data := await reader.read(65_536)):
        parser.feed_data(data)
    answer.status = parser.get_status_code()
    return answer


def make_request(
    method: str, path: str, headers: list[tuple[str, str]], body: bytes = b""
) -> bytes:
    """The bytes of a request with these headers, in their order, and a content length where it has none."""
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    if body and not any(name.lower() == "content-length" for name, _ in headers):
        lines.append(f"content-length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
