"""Django's ORM from the event loop: one thread with one connection that is checked before each use."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import close_old_connections, connections

P = ParamSpec("P")
T = TypeVar("T")

CALL_TIMEOUT_S = 10.0


class DatabaseThread:
    """Runs ORM functions one after another, away from the event loop."""

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def call(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `verb` returns. Raises TimeoutError after ten seconds, and whatever it raises."""

        def call() -> T:
            # Outside of requests nobody else drops a connection whose server went away.
            close_old_connections()
            return verb(*args, **kwargs)

        loop = asyncio.get_running_loop()
        async with asyncio.timeout(CALL_TIMEOUT_S):
            return await loop.run_in_executor(self._executor, call)

    async def close(self) -> None:
        """Close the thread's connection and end the thread; waits for what it is doing."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._executor, connections.close_all)
        self._executor.shutdown(wait=False)
