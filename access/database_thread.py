"""Django's ORM from the event loop: one thread with one connection that is checked before each use."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

from django.db import Error as DatabaseError
from django.db import close_old_connections, connection, connections
from psycopg import RawCursor

from core.errors import ToolboxError

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

CALL_TIMEOUT_S = 10.0


class DatabaseThread:
    """Runs ORM functions one after another, away from the event loop.

    Given `explain`, an error of the database and a late answer are raised as the error that it makes.
    """

    def __init__(self, name: str, explain: Callable[[], ToolboxError] | None = None) -> None:
        self._name, self._explain = name, explain
        self._executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def call(self, verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `verb` returns. Raises TimeoutError after ten seconds, and whatever it raises."""

        def call() -> T:
            # Outside of requests nobody else drops a connection whose server went away.
            close_old_connections()
            return verb(*args, **kwargs)

        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(CALL_TIMEOUT_S):
                return await loop.run_in_executor(self._executor, call)
        except (DatabaseError, TimeoutError) as error:
            if self._explain is None:
                raise
            logger.warning("the rows of %s cannot be read: %s", self._name, type(error).__name__)
            raise self._explain() from error

    async def close(self) -> None:
        """Close the thread's connection and end the thread; waits for what it is doing."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._executor, connections.close_all)
        self._executor.shutdown(wait=False)


def execute_bound(statement: str, parameters: Sequence[object]) -> None:
    """Run a statement with $1..$n, which the server binds; Django's cursor writes them into its text.

    Raises Django's database errors.
    """
    connection.close_if_health_check_failed()
    connection.ensure_connection()
    with connection.wrap_database_errors, RawCursor(connection.connection) as cursor:
        cursor.execute(statement.encode(), parameters)
