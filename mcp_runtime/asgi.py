"""The served side as an ASGI factory, for processes that uvicorn starts."""

import os

import django
from django.apps import apps
from starlette.applications import Starlette


def create_app() -> Starlette:
    """A runtime of this process, without sessions: several processes cannot share them."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if not apps.ready:
        django.setup()
    # Not before setup(): the runtime imports models.
    from django.conf import settings  # noqa: PLC0415

    from mcp_runtime.server import Runtime  # noqa: PLC0415

    return Runtime(stateless=True, auth_required=settings.MCP_AUTH == "required").http_app()
