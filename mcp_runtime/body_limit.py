"""How large a request may be."""

from typing import Any

from fastmcp.server.http import StreamableHTTPASGIApp
from starlette.applications import Starlette
from starlette.routing import Route

# Above the SDK's 4 MiB: a text of 5 MB then reaches validation, whose answer says what would be right.
MAX_REQUEST_BYTES = 8 * 1024 * 1024


def raise_body_limit(app: Starlette, path: str) -> None:
    """Let requests have 8 MiB; to be called while the application runs, FastMCP has no setting for it."""
    endpoint: Any = next(
        route.endpoint for route in app.routes if isinstance(route, Route) and route.path == path
    )
    while not isinstance(endpoint, StreamableHTTPASGIApp):
        endpoint = endpoint.app
    manager: Any = endpoint.session_manager
    manager.asgi_app.max_body_size = MAX_REQUEST_BYTES
