"""Messages of MCP over streamable HTTP: JSON-RPC requests, and the answers to them as JSON or events."""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

from core.errors import DataSourceError
from core.ingest.texts import clean_text
from core.messages import Message, message
from core.proxied import parse_object
from gateways.mcp_client.channel import ChannelResponse

MAX_ERROR_CHARACTERS = 500


class RpcError(DataSourceError):
    """A JSON-RPC error of the other server; `code` is its number, 0 where it gives none."""

    def __init__(self, message: Message | str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


def encode_request(number: int | None, method: str, params: Mapping[str, Any]) -> bytes:
    """A request, or a notification where `number` is None."""
    request: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        request["id"] = number
    return json.dumps(request).encode()


async def read_result(response: ChannelResponse, number: int) -> dict[str, Any]:
    """The result of the request of that number.

    Raises RpcError for an error that the server names, and DataSourceError for what is no MCP.
    """
    answer = await _read_message(response, number)
    error = answer.get("error")
    if isinstance(error, Mapping):
        code = error.get("code")
        text = clean_text(error.get("message"), MAX_ERROR_CHARACTERS) or message(
            "mcp_server.no_reason", "no reason given"
        )
        raise RpcError(
            message(
                "mcp_server.refused", "the MCP server refused the request: {reason}", reason=text
            ),
            code if isinstance(code, int) else 0,
        )
    result = answer.get("result")
    if not isinstance(result, dict):
        raise DataSourceError(NO_MCP)
    return result


async def _read_message(response: ChannelResponse, number: int) -> dict[str, Any]:
    if response.content_type == "text/event-stream":
        async for data in _events(response.chunks):
            found = parse_object(data)
            if found is not None and found.get("id") == number and "method" not in found:
                return found
        raise DataSourceError(ANSWER_ENDED)
    found = parse_object(await response.read())
    if found is None:
        raise DataSourceError(NO_MCP)
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


ANSWER_ENDED = message(
    "mcp_server.answer_ended", "the MCP server ended its answer before the result; retry later"
)
NO_MCP = message(
    "mcp_server.no_mcp",
    "the server answered with something that is no MCP; check its URL, which often ends in /mcp",
)
