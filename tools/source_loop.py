"""Data sources and script processes that the web side keeps open, on one event loop of their own."""

import asyncio
import atexit
import os
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from functools import cache
from threading import Lock, Thread
from typing import Any, TypeVar
from uuid import uuid4

from access.database_thread import DatabaseThread
from access.limits.counting import open_counters
from access.limits.gate import LimitGate
from catalog.sources.settings import SourceSettings
from core.errors import DeadlineExceededError, StoppedError
from core.limits import LimitBook
from core.messages import message
from tools.sources import Sources

IDLE_S = 120.0
# What an editor's session needs; the runtime has pools of its own.
POOL_SIZE = 2
# The loop's own deadline speaks first.
_MARGIN_S = 1.0
_CLOSE_WITHIN_S = 5.0
_STOPPED_TEXT = message("run.stopped", "the run was stopped")

T = TypeVar("T")


Work = Callable[[Sources], Coroutine[Any, Any, T]]
Runs = set[asyncio.Task[Any]]


class SourceLoop:
    """Runs questions to data sources from threads that have no event loop; starts when first used.

    One per process. Close it, or leave that to the end of the process.
    """

    def __init__(self, idle_s: float = IDLE_S) -> None:
        self._idle_s = idle_s
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._sources: Sources | None = None
        # Of this loop alone: one that was closed may still be ending its own.
        self._runs: Runs = set()
        self._waited_for: set[Future[Any]] = set()
        self._running: dict[str, Future[Any]] = {}
        self._book = LimitBook()
        self._gate: LimitGate | None = None

    @property
    def open_count(self) -> int:
        """How many sources are open now."""
        return self._sources.open_count if self._sources else 0

    def run(
        self, work: Work[T], read: SourceSettings | None, *, timeout_s: float, key: str = ""
    ) -> T:
        """What `work` gives, from any thread; under `key` it can be stopped.

        Raises DeadlineExceededError, StoppedError, and whatever the work raises.
        """
        with self._lock:
            if (loop := self._loop) is None:
                loop = asyncio.new_event_loop()
                self._sources, self._runs = Sources(largest_pool=POOL_SIZE), set()
                thread = DatabaseThread("limits")
                self._gate = LimitGate(lambda: self._book, thread, open_counters(), uuid4())
                jobs = (self._sweep(self._sources), _count(self._gate, thread))
                serving = (loop, self._runs, *jobs)
                # A daemon: the end of the process closes it, and does not wait for a query.
                self._thread = Thread(target=_serve, args=serving, name="sources", daemon=True)
                self._thread.start()
                self._loop = loop
            bounded = self._bounded(work, read, timeout_s, self._runs)
            future = asyncio.run_coroutine_threadsafe(bounded, loop)
            self._waited_for.add(future)
        if key:
            self._running[key] = future
        try:
            return future.result(timeout_s + _MARGIN_S)
        except CancelledError:
            raise StoppedError(_STOPPED_TEXT) from None
        except TimeoutError:
            raise DeadlineExceededError(
                message(
                    "run.no_answer",
                    "no answer within {seconds} seconds",
                    seconds=f"{timeout_s:g}",
                )
            ) from None
        finally:
            future.cancel()
            self._waited_for.discard(future)
            if key and self._running.get(key) is future:
                del self._running[key]

    def gate(self, book: LimitBook) -> LimitGate:
        """What lets runs through, from now on by these limits; of a loop that runs."""
        if (gate := self._gate) is None:
            raise StoppedError(_STOPPED_TEXT)
        self._book = book
        return gate

    def stop(self, key: str) -> bool:
        """Stop the run of that key, its query on the server too; False if there is none in this process."""
        future = self._running.get(key)
        return future is not None and future.cancel()

    def close(self) -> None:
        """End all runs, close everything and end the thread; a later run starts it again."""
        with self._lock:
            loop, thread, sources, runs = self._loop, self._thread, self._sources, self._runs
            self._loop = self._thread = self._sources = self._gate = None
            waited_for, self._waited_for = self._waited_for, set()
        if loop is None or thread is None or sources is None:
            return
        closing = asyncio.run_coroutine_threadsafe(_end(runs, sources), loop)
        with suppress(TimeoutError, CancelledError):
            closing.result(_CLOSE_WITHIN_S)
        # Who waits for a run that did not end would wait for its whole deadline.
        for future in list(waited_for):
            future.cancel()
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_CLOSE_WITHIN_S)

    def forget(self) -> None:
        """In the child of a fork: the thread was left behind, and its connections are not ours."""
        self._lock = Lock()
        self._loop = self._thread = self._sources = self._gate = None
        self._running, self._runs, self._waited_for = {}, set(), set()

    async def _bounded(
        self, work: Work[T], read: SourceSettings | None, timeout_s: float, runs: Runs
    ) -> T:
        # It was closed before this began.
        if (sources := self._sources) is None or runs is not self._runs:
            raise StoppedError(_STOPPED_TEXT)
        if read is not None:
            sources.update(read)
        with _noted_task(runs):
            async with asyncio.timeout(timeout_s):
                return await work(sources)

    async def _sweep(self, sources: Sources) -> None:
        while True:
            await asyncio.sleep(self._idle_s / 4)
            await sources.close_idle(self._idle_s)


@cache
def shared_loop() -> SourceLoop:
    """The loop of this process, closed when the process ends."""
    loop = SourceLoop()
    atexit.register(loop.close)
    os.register_at_fork(after_in_child=loop.forget)
    return loop


async def _count(gate: LimitGate, thread: DatabaseThread) -> None:
    try:
        await gate.run()
    finally:
        await thread.close()


def _serve(loop: asyncio.AbstractEventLoop, runs: Runs, *jobs: Coroutine[Any, Any, None]) -> None:
    asyncio.set_event_loop(loop)
    tasks = [loop.create_task(job) for job in jobs]
    runs.update(tasks)
    try:
        loop.run_forever()
    finally:
        for task in tasks:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        loop.close()


async def _end(running: Runs, sources: Sources) -> None:
    """Cancel the runs, close what they used, and let connections that are in use end their query."""
    runs = list(running)
    for task in runs:
        task.cancel()
    await asyncio.gather(*runs, return_exceptions=True)
    await sources.close()
    if rest := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(rest, timeout=_CLOSE_WITHIN_S / 2)


@contextmanager
def _noted_task(tasks: Runs) -> Iterator[None]:
    """Keep the current task among the `tasks` as long as it is inside."""
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - only coroutines of the loop come here
    tasks.add(task)
    try:
        yield
    finally:
        tasks.discard(task)
