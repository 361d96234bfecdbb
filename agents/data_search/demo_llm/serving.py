"""The scripted model as a server on a loopback port: for a while, or for the process's life."""

import functools
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from agents.data_search.demo_llm.server import create_app
from agents.data_search.demo_llm.variants import MODEL_NAME, NOTICE

__all__ = ["MODEL_NAME", "NOTICE", "demo_model", "open_port", "start_in_thread"]

HOST = "127.0.0.1"
START_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 5.0


@contextmanager
def demo_model() -> Iterator[str]:
    """Serve from a thread on a free port; gives the base URL, and stops at the end."""
    listener = open_port(0)
    server, thread = _start(listener)
    try:
        yield base_url(listener)
    finally:
        server.should_exit = server.force_exit = True
        thread.join(STOP_TIMEOUT_S)
        listener.close()


@functools.cache
def start_in_thread() -> str:
    """The base URL of this process's own server, which ends with the process."""
    listener = open_port(0)
    _start(listener)
    return base_url(listener)


def serve(listener: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM."""
    _server().run(sockets=[listener])


def open_port(port: int) -> socket.socket:
    """A loopback socket; 0 takes a free port. Raises OSError for one that is taken."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((HOST, port))
    return listener


def base_url(listener: socket.socket) -> str:
    """What LLM_BASE_URL has to be."""
    return f"http://{HOST}:{listener.getsockname()[1]}/v1"


def _server() -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(
            create_app(),
            lifespan="off",
            log_level="warning",
            timeout_graceful_shutdown=1,
            # A client may live shorter than the server's patience with idle connections.
            headers=[("Connection", "close")],
        )
    )


def _start(listener: socket.socket) -> tuple[uvicorn.Server, threading.Thread]:
    server = _server()
    run = functools.partial(server.run, sockets=[listener])
    thread = threading.Thread(target=run, name="demo-model", daemon=True)
    thread.start()
    deadline = time.monotonic() + START_TIMEOUT_S
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise RuntimeError("the scripted demo model did not start")
        time.sleep(0.01)
    return server, thread
