"""The scripted model as a server on a free loopback port."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from tests.agents.demo_llm.server import create_app

HOST = "127.0.0.1"
START_TIMEOUT_S = 10.0
STOP_TIMEOUT_S = 5.0


@contextmanager
def demo_model() -> Iterator[str]:
    """Serve from a thread on a free port; gives the base URL, and stops at the end."""
    listener = socket.create_server((HOST, 0))
    server = uvicorn.Server(
        uvicorn.Config(
            create_app(),
            lifespan="off",
            log_level="warning",
            timeout_graceful_shutdown=1,
            # A client may live shorter than the server's patience with idle connections.
            headers=[("Connection", "close")],
        )
    )
    thread = threading.Thread(target=lambda: server.run(sockets=[listener]), daemon=True)
    thread.start()
    deadline = time.monotonic() + START_TIMEOUT_S
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise RuntimeError("the scripted demo model did not start")
        time.sleep(0.01)
    try:
        yield f"http://{HOST}:{listener.getsockname()[1]}/v1"
    finally:
        server.should_exit = server.force_exit = True
        thread.join(STOP_TIMEOUT_S)
        listener.close()
