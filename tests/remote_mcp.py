"""Another MCP server: a real FastMCP one in a thread of its own, which can be stopped, started again and changed."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from fastmcp import FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.tools.base import ToolResult
from mcp_types import ImageContent, TextContent
from starlette.responses import JSONResponse

PIXEL = "iVBORw0KGgo="


def make_remote() -> FastMCP:
    """A server with one tool of each kind that matters to whoever passes its calls on."""
    mcp = FastMCP("Weather", version="3")

    @mcp.tool(annotations={"readOnlyHint": True}, title="Forecast")
    def forecast(city: str, days: int = 1) -> dict[str, Any]:
        """The weather of the next days."""
        return {"city": city, "days": days, "sun": True}

    @mcp.tool
    def draw(city: str) -> ToolResult:
        """A picture of the sky, without structured content."""
        picture = ImageContent(type="image", data=PIXEL, mimeType="image/png")
        return ToolResult(content=[TextContent(type="text", text=city), picture])

    @mcp.tool
    def refuse() -> str:
        """Says no."""
        raise ToolError("there is no weather here")

    @mcp.tool
    def flood(size: int) -> str:
        """As many letters as one asks for."""
        return "x" * size

    @mcp.tool
    async def wait(seconds: float) -> str:
        """Takes its time."""
        await asyncio.sleep(seconds)
        return "done"

    return mcp


class RemoteServer:
    """Listens on one port of 127.0.0.1 for as long as it is started; `token`, if set, is asked for.

    Whoever asks at /token is given it, for an hour.
    """

    def __init__(self, mcp: FastMCP) -> None:
        self.mcp = mcp
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.token = ""
        # In which header, or in the query, and in what text.
        self.token_seen = ("authorization", "Bearer {}")
        self.seen_headers: list[dict[str, str]] = []
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def start(self) -> None:
        """Listen; returns when it does."""
        app = self.mcp.http_app(path="/mcp")
        config = uvicorn.Config(
            self._guarding(app), port=self.port, log_config=None, lifespan="on", http="h11"
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), "the remote server did not start"
            self._thread.join(0.02)

    def stop(self) -> None:
        """End at once, with every connection."""
        if self._server is None or self._thread is None:
            return
        self._server.force_exit = self._server.should_exit = True
        self._thread.join(20)
        self._server = self._thread = None

    def _guarding(self, app: Any) -> Any:
        async def guarded(scope: Any, receive: Any, send: Any) -> None:
            if scope.get("path") == "/token":
                given = {"access_token": self.token, "expires_in": 3600}
                await JSONResponse(given)(scope, receive, send)
            elif scope["type"] == "http" and not self._admits(scope):
                await send({"type": "http.response.start", "status": 401, "headers": []})
                await send({"type": "http.response.body", "body": b""})
            else:
                await app(scope, receive, send)

        return guarded

    def _admits(self, scope: Any) -> bool:
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.seen_headers.append(headers)
        said = {**headers, "query": scope["query_string"].decode()}
        place, form = self.token_seen
        return not self.token or said.get(place) == form.format(self.token)


@contextmanager
def remote_server() -> Iterator[RemoteServer]:
    """A started server of `make_remote`."""
    server = RemoteServer(make_remote())
    server.start()
    try:
        yield server
    finally:
        server.stop()
