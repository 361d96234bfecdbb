"""The served side of this process: an ASGI factory, and what answers before the application."""

import os
from typing import TYPE_CHECKING

import django
from django.apps import apps
from starlette.applications import Starlette

from gateways.http_server.direct import DirectApplication

if TYPE_CHECKING:
    from mcp_runtime.server import Runtime

_lane: DirectApplication | None = None


def make_runtime(*, stateless: bool = False) -> "Runtime":
    """The runtime of this process."""
    global _lane  # noqa: PLW0603 - uvicorn makes connections and applications apart from each other
    # Not before setup(): the runtime imports models.
    from django.conf import settings  # noqa: PLC0415

    from mcp_runtime.server import Runtime  # noqa: PLC0415

    runtime = Runtime(stateless=stateless, auth_required=settings.MCP_AUTH == "required")
    _lane = runtime.lane
    return runtime


def find_lane() -> DirectApplication | None:
    """The direct lane of this process's runtime."""
    return _lane


def create_app() -> Starlette:
    """A runtime of this process, without sessions: several processes cannot share them."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if not apps.ready:
        django.setup()
    return make_runtime(stateless=True).http_app()
