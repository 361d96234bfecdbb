"""`manage.py runmcp`: serve the tools over MCP HTTP."""

import errno
import socket
import sys
import time
from argparse import ArgumentParser
from ipaddress import ip_address
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from uvicorn.supervisors import Multiprocess

from core.errors import ConfigurationError
from gateways.http_server.limits import HttpLimits
from gateways.http_server.serving import QuietServer, server_options
from mcp_runtime.asgi import find_lane, make_runtime

GRACEFUL_STOP_S = 5
# What a worker may take to stop altogether, its databases and script processes included.
WORKER_STOP_S = 9.0
# A worker that does not say for so long that it lives is replaced; a busy machine is no reason.
WORKER_SILENCE_S = 30


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
            config = uvicorn.Config(
                "mcp_runtime.asgi:create_app",
                factory=True,
                host=host,
                port=options["port"],
                workers=workers,
                access_log=False,
                timeout_graceful_shutdown=GRACEFUL_STOP_S,
                timeout_worker_healthcheck=WORKER_SILENCE_S,
                # Each process asks its own runtime, which it makes when it has started.
                **server_options(HttpLimits.read(settings), find_lane),
            )
            if workers == 1:
                QuietServer(config).run()
                return
            # Each worker makes its own; what is wrong with the settings is said once, and here.
            make_runtime()
        except ConfigurationError as error:
            raise CommandError(str(error)) from error
        Workers(config, [config.bind_socket()]).run()


class Workers(Multiprocess):
    """uvicorn's supervisor of several processes on one socket; it replaces one that dies."""

    def run(self) -> None:
        """Serve until a signal ends it; SystemExit(1) where the workers cannot start."""
        super().run()
        if any(process.exitcode == uvicorn.config.STARTUP_FAILURE for process in self.processes):
            sys.exit(1)

    def join_all(self) -> None:
        """Wait for the workers that were told to stop, and end those that do not."""
        deadline = time.monotonic() + settings.MCP_DRAIN_S + WORKER_STOP_S
        for process in self.processes:
            process.process.join(max(0.0, deadline - time.monotonic()))
            if process.exitcode is None:
                process.kill()
                process.join()


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
