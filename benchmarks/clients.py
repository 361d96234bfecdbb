"""Clients that cost the server as little as a client can: one kept connection, prebuilt requests."""

import json
from collections.abc import Mapping
from typing import Any, Protocol, Self

import httpx

MODERN_VERSION, LEGACY_VERSION = "2026-07-28", "2025-11-25"
TIMEOUT_S = 120.0
_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN_VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
_ACCEPT = {
    "Accept": "application/json, text/event-stream",
    "Content-Type": "application/json",
}


class Client(Protocol):
    """Sends one prepared call again and again."""

    def prepare(self, tool: str, arguments: Mapping[str, object]) -> httpx.Request:
        """The request of a call."""

    def send(self, request: httpx.Request) -> Any:
        """The answer's structured content; RuntimeError for anything else than a good answer."""


class ModernClient:
    """2026-07-28: every request stands for itself."""

    def __init__(self, url: str, token: str) -> None:
        authorization = {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=url, headers=_ACCEPT | authorization, timeout=TIMEOUT_S)

    def prepare(self, tool: str, arguments: Mapping[str, object]) -> httpx.Request:
        return self._request("tools/call", {"name": tool, "arguments": arguments}, tool)

    def send(self, request: httpx.Request) -> Any:
        return _structured(self._http.send(request).json())

    def list_tools(self) -> int:
        """How many tools one `tools/list` shows."""
        answer = self._http.send(self._request("tools/list", {})).json()
        return len(answer["result"]["tools"])

    def _request(
        self, method: str, params: Mapping[str, object], name: str | None = None
    ) -> httpx.Request:
        headers = {"MCP-Protocol-Version": MODERN_VERSION, "Mcp-Method": method}
        if name:
            headers["Mcp-Name"] = name
        content = _message(method, {**params, "_meta": _META}, 1)
        return self._http.build_request("POST", "/mcp", headers=headers, content=content)


class LegacyClient:
    """2025-11-25: a session, whose answers are event streams."""

    def __init__(self, url: str, token: str) -> None:
        authorization = {"Authorization": f"Bearer {token}"}
        self._http = httpx.Client(base_url=url, headers=_ACCEPT | authorization, timeout=TIMEOUT_S)

    def open(self) -> Self:
        """Shake hands; the client itself."""
        params = {
            "protocolVersion": LEGACY_VERSION,
            "capabilities": {},
            "clientInfo": _META["io.modelcontextprotocol/clientInfo"],
        }
        answer = self._http.post("/mcp", content=_message("initialize", params, 0))
        answer.raise_for_status()
        self._http.headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        self._http.headers["MCP-Protocol-Version"] = LEGACY_VERSION
        self._http.post("/mcp", content=_message("notifications/initialized", {}))
        return self

    def prepare(self, tool: str, arguments: Mapping[str, object]) -> httpx.Request:
        content = _message("tools/call", {"name": tool, "arguments": arguments}, 1)
        return self._http.build_request("POST", "/mcp", content=content)

    def send(self, request: httpx.Request) -> Any:
        events = self._http.send(request).text
        data = next(line[5:] for line in events.splitlines() if line.startswith("data: {"))
        return _structured(json.loads(data))


class PlainClient:
    """A path for each tool, arguments as the body."""

    def __init__(self, url: str) -> None:
        self._http = httpx.Client(base_url=url, timeout=TIMEOUT_S)

    def prepare(self, tool: str, arguments: Mapping[str, object]) -> httpx.Request:
        return self._http.build_request("POST", f"/{tool}", json=arguments)

    def send(self, request: httpx.Request) -> Any:
        return self._http.send(request).raise_for_status().json()


def _message(method: str, params: Mapping[str, object], number: int | None = None) -> bytes:
    message: dict[str, object] = {"jsonrpc": "2.0", "method": method, "params": params}
    if number is not None:
        message["id"] = number
    return json.dumps(message).encode()


def _structured(answer: Any) -> Any:
    result = answer.get("result", {})
    if result.get("isError") or "structuredContent" not in result:
        raise RuntimeError(f"the server did not answer: {str(answer)[:500]}")
    return result["structuredContent"]
