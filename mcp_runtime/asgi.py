"""The served side of this process: an ASGI factory, and what answers before the application."""

import asyncio
import gc
import os
import signal
from collections.abc import Callable
from multiprocessing import parent_process
from types import FrameType
from typing import TYPE_CHECKING

import django
from django.apps import apps
from starlette.applications import Starlette

from gateways.http_server.direct import DirectApplication

if TYPE_CHECKING:
    from mcp_runtime.server import Runtime

_lane: DirectApplication | None = None


def make_runtime() -> "Runtime":
    """The runtime of this process. Raises ConfigurationError for settings that do not fit."""
    global _lane  # noqa: PLW0603 - uvicorn makes connections and applications apart from each other
    # Not before setup(): the runtime imports models.
    from django.conf import settings  # noqa: PLC0415

    from mcp_runtime.server import Runtime  # noqa: PLC0415

    runtime = Runtime(auth_required=settings.MCP_AUTH == "required")
    _lane = runtime.lane
    return runtime


def find_lane() -> DirectApplication | None:
    """The direct lane of this process's runtime."""
    return _lane


def create_app() -> Starlette:
    """The application of this process, which uvicorn asks for in the loop that it serves in."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    if not apps.ready:
        django.setup()
    from django.conf import settings  # noqa: PLC0415 - as in make_runtime

    runtime = make_runtime()
    app = runtime.http_app()
    # Thousands of long-lived tools make each full collection slow: measured 2 to 4 times on tools/list.
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    _stop_in_order(runtime, settings.MCP_DRAIN_S)
    _stop_with_parent()
    return app


def _stop_in_order(runtime: "Runtime", drain_s: int) -> None:
    """End listen streams before uvicorn stops, which would wait for their clients to leave.

    SIGTERM is obeyed after `drain_s`, in which balancers learn of it, however often it comes: of several
    processes each may hear it from systemd and from the first. Ctrl-C is obeyed at once.
    """
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        of_server = signal.getsignal(number)

        def stop(number: int, frame: FrameType | None, of_server: object = of_server) -> None:
            runtime.notifier.close()
            if callable(of_server):
                of_server(number, frame)

        def drain(number: int, _frame: FrameType | None, stop: Callable[..., None] = stop) -> None:
            if not runtime.is_draining:
                runtime.is_draining = True
                loop.call_soon_threadsafe(loop.call_later, drain_s, stop, number, None)

        signal.signal(number, drain if number == signal.SIGTERM and drain_s > 0 else stop)


def _stop_with_parent() -> None:
    """One of several processes does not outlive the one that started it, even after `kill -9`."""
    parent = parent_process()
    if parent is None:
        return
    loop, end = asyncio.get_running_loop(), parent.sentinel

    def stop() -> None:
        loop.remove_reader(end)
        signal.raise_signal(signal.SIGTERM)

    loop.add_reader(end, stop)
