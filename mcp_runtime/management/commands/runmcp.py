"""`manage.py runmcp`: serve the tools over MCP HTTP."""

import errno
import gc
import socket
from argparse import ArgumentParser
from ipaddress import ip_address
from types import FrameType
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from core.errors import ConfigurationError
from gateways.http_server.limits import HttpLimits
from gateways.http_server.serving import QuietServer, server_options
from mcp_runtime.asgi import find_lane, make_runtime
from mcp_runtime.server import Runtime

GRACEFUL_STOP_S = 5


class Command(BaseCommand):
    help = "Serve the published tools over MCP HTTP."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=settings.MCP_PORT)
        parser.add_argument("--workers", type=int, default=1, help="processes (default: 1)")

    def handle(self, *_args: Any, **options: Any) -> None:
        host, workers = options["host"], options["workers"]
        try:
            is_loopback = ip_address(host).is_loopback
        except ValueError:
            is_loopback = host == "localhost"
        if settings.MCP_AUTH == "none" and not is_loopback:
            raise CommandError("MCP_AUTH=none is allowed on a loopback address only")
        if workers < 1:
            raise CommandError("--workers must be 1 or more")
        _check_port(host, options["port"])
        try:
            common: dict[str, Any] = {
                "host": host,
                "port": options["port"],
                "access_log": False,
                "timeout_graceful_shutdown": GRACEFUL_STOP_S,
                # Each process asks its own runtime, which it makes when it has started.
                **server_options(HttpLimits.read(settings), find_lane),
            }
            if workers > 1:
                uvicorn.run("mcp_runtime.asgi:create_app", factory=True, workers=workers, **common)
                return
            runtime = make_runtime()
        except ConfigurationError as error:
            raise CommandError(str(error)) from error
        # Thousands of long-lived tools make each full collection slow: measured 2 to 4 times on tools/list.
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)
        RuntimeServer(runtime, uvicorn.Config(runtime.http_app(), **common)).run()


class RuntimeServer(QuietServer):
    """Ends listen streams first, so that a stop does not wait for clients to leave."""

    def __init__(self, runtime: Runtime, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._runtime = runtime

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self._runtime.notifier.close()
        super().handle_exit(sig, frame)


def _check_port(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandError(
                f"port {port} is already in use; choose another with --port"
            ) from error
        raise CommandError(f"cannot listen on {host}:{port}: {error.strerror}") from error
