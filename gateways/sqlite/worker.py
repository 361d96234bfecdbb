"""A thread that works on one SQLite file, as the event loop sees it: one job at a time."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from gateways.sqlite.session import SqliteSession, Watch
from gateways.sqlite.settings import SqliteSettings

_T = TypeVar("_T")


class SqliteWorker:
    """Holds its own session. After a cancelled `call` see `is_settled`."""

    def __init__(self, settings: SqliteSettings) -> None:
        self.is_settled = True
        self._session = SqliteSession(settings)
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._waiting: asyncio.Future[None] | None = None
        # A query that hangs in the file system must not keep the process from ending.
        Thread(target=self._serve, name="sqlite", daemon=True).start()

    @property
    def is_broken(self) -> bool:
        """Whether the file could not be opened the last time."""
        return self.is_settled and not self._session.is_open

    async def call(self, watch: Watch, work: Callable[[SqliteSession, Watch], _T]) -> _T:
        """What `work` gives in the thread. A cancelled call returns at once and stops the work."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[_T] = loop.create_future()
        self.is_settled = False
        self._jobs.put(lambda: self._work(loop, answer, lambda: work(self._session, watch)))
        try:
            return await answer
        except asyncio.CancelledError:
            watch.stop()
            self._session.interrupt()
            raise

    async def settle(self) -> None:
        """Return when the thread is free again; some steps of SQLite cannot be interrupted."""
        if not self.is_settled:
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting

    def close(self) -> None:
        """Close the file and end the thread, after what it works on."""
        self._jobs.put(None)

    def _serve(self) -> None:
        while job := self._jobs.get():
            job()
            # An idle thread would keep the last answer in memory.
            del job
        self._session.close()

    def _work(
        self,
        loop: asyncio.AbstractEventLoop,
        answer: "asyncio.Future[Any]",
        work: Callable[[], Any],
    ) -> None:
        try:
            finish = _giver(answer.set_result, work())
        except BaseException as error:  # noqa: BLE001 - handed on to the caller
            finish = _giver(answer.set_exception, error)
        # The loop may have been closed meanwhile, and nobody waits.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(self._finish, answer, finish)

    def _finish(self, answer: "asyncio.Future[Any]", finish: Callable[[], None]) -> None:
        self.is_settled = True
        if not answer.done():
            finish()
        if self._waiting and not self._waiting.done():
            self._waiting.set_result(None)


def _giver(give: Callable[[Any], None], value: object) -> Callable[[], None]:
    return lambda: give(value)
