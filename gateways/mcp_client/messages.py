"""Messages of MCP over streamable HTTP: JSON-RPC requests, and the answers to them as JSON or events."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from core.errors import DataSourceError
from core.ingest.texts import clean_text
from core.proxied import parse_object
from gateways.mcp_client.channel import ChannelResponse

MAX_ERROR_CHARACTERS = 500
METHOD_NOT_FOUND = -32601


class RpcError(DataSourceError):
    """A JSON-RPC error of the other server; `code` is its number, 0 where it gives none."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


def encode_request(number: int | None, method: str, params: Mapping[str, Any]) -> bytes:
    """A request, or a notification where `number` is None."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    return json.dumps(message).encode()


async def read_result(response: ChannelResponse, number: int) -> dict[str, Any]:
    """The result of the request of that number.

    Raises RpcError for an error that the server names, and DataSourceError for what is no MCP.
    """
    message = await _read_message(response, number)
    error = message.get("error")
    if isinstance(error, Mapping):
        code = error.get("code")
        text = clean_text(error.get("message"), MAX_ERROR_CHARACTERS) or "no reason given"
        raise RpcError(
            f"the MCP server refused the request: {text}", code if isinstance(code, int) else 0
        )
    result = message.get("result")
    if not isinstance(result, dict):
        raise DataSourceError(_NO_MCP)
    return result


async def _read_message(response: ChannelResponse, number: int) -> dict[str, Any]:
    if response.content_type == "text/event-stream":
        async for data in _events(response.chunks):
            found = parse_object(data)
            if found is not None and found.get("id") == number and "method" not in found:
                return found
        raise DataSourceError("the MCP server ended its answer before the result; retry later")
    found = parse_object(await response.read())
    if found is None:
        raise DataSourceError(_NO_MCP)
    return found


async def _events(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """The data of each event, by the rules of HTML's server-sent events, of which MCP uses `data`."""
    data: list[bytes] = []
    async for chunk in chunks:
        for line in chunk.splitlines():
            if line.startswith(b"data:"):
                data.append(line[5:].removeprefix(b" "))
            elif not line and data:
                yield b"\n".join(data)
                data = []
    if data:
        yield b"\n".join(data)


_NO_MCP = (
    "the server answered with something that is no MCP; check its URL, which often ends in /mcp"
)
