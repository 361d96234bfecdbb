"""Data sources and script processes that the web side keeps open, on one event loop of their own."""

import asyncio
import atexit
import logging
import os
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cache
from threading import Lock, Thread
from time import monotonic
from typing import Any, TypeVar

from catalog.sources import SourceSettings, open_service
from core.errors import (
    DataSourceUnavailableError,
    DeadlineExceededError,
    DefinitionError,
    StoppedError,
)
from core.messages import message
from gateways.circuit import Circuit
from gateways.http.service import HttpSource
from gateways.scripts.workers import ScriptWorkers, ScriptWorkerSettings
from gateways.sources import DatabaseSettings, OpenedSource, open_source

logger = logging.getLogger(__name__)

IDLE_S = 120.0
# What an editor's session needs; the runtime has pools of its own.
POOL_SIZE = 2
# The loop's own deadline speaks first.
_MARGIN_S = 1.0
_CLOSE_WITHIN_S = 5.0
_STOPPED_TEXT = message("run.stopped", "the run was stopped")

T = TypeVar("T")


@dataclass(slots=True)
class _Kept:
    """An opened source; `users` are the runs that may be using it now."""

    settings: DatabaseSettings
    source: OpenedSource
    circuit: Circuit = field(default_factory=lambda: Circuit(DataSourceUnavailableError))
    users: int = 0
    used_at: float = field(default_factory=monotonic)


class OpenSources:
    """The sources of one run, by the settings that it read. They stay open after it."""

    def __init__(self, keeper: "SourceKeeper", read: SourceSettings) -> None:
        self._keeper = keeper
        self._read = read
        self._leased: dict[str | None, _Kept] = {}
        self._services: list[HttpSource] = []

    def get(self, name: str | None) -> OpenedSource:
        """The source. Raises DefinitionError when there is none of that name that can be used."""
        return self._lease(name).source

    async def ask(self, name: str | None, question: Callable[[OpenedSource], Awaitable[T]]) -> T:
        """The source's answer; one that is away is asked once a second, the others are told what it found."""
        kept = self._lease(name)
        async with kept.circuit.passage(kept.settings.statement_timeout_ms / 1_000):
            return await question(kept.source)

    def service(self, name: str | None) -> HttpSource:
        """The HTTP service, for this run. Raises DefinitionError when none can be called."""
        self._services.append(open_service(self._read, name))
        return self._services[-1]

    async def close_services(self) -> None:
        """Close the connections to services; keeping them is not worth it between a person's runs."""
        for service in self._services:
            await _close(service.close())

    async def scripts(self) -> ScriptWorkers:
        """The script processes, started."""
        return await self._keeper.start_scripts()

    def release(self) -> None:
        """Say that the run has ended."""
        for kept in self._leased.values():
            kept.users -= 1
            kept.used_at = monotonic()

    def _lease(self, name: str | None) -> _Kept:
        if name not in self._leased:
            self._leased[name] = self._keeper.lease(name, self._find(name))
        return self._leased[name]

    def _find(self, name: str | None) -> DatabaseSettings:
        if (reason := self._read.refused.get(name)) is not None:
            raise DefinitionError(reason)
        if name not in self._read.usable:
            raise DefinitionError(
                message("source.unknown_here", "there is no data source {name}", name=repr(name))
            )
        return self._read.usable[name]


class SourceKeeper:
    """What is open in the loop. All but its making belongs to the loop's thread."""

    def __init__(self, idle_s: float) -> None:
        self._idle_s = idle_s
        self._kept: dict[str | None, _Kept] = {}
        self._retired: list[_Kept] = []
        self._scripts: ScriptWorkers | None = None
        self._scripts_starting = asyncio.Lock()
        self._scripts_used_at = 0.0
        self.runs: set[asyncio.Task[Any]] = set()

    @property
    def open_count(self) -> int:
        """How many sources are open."""
        return len(self._kept) + len(self._retired)

    def lease(self, name: str | None, wanted: DatabaseSettings) -> _Kept:
        """The source opened by these settings, counted as used by one more run."""
        kept = self._kept.get(name)
        if kept is None or kept.settings != wanted:
            if kept is not None:
                self._retired.append(kept)
            small = replace(wanted, pool_size=min(wanted.pool_size, POOL_SIZE))
            kept = self._kept[name] = _Kept(wanted, open_source(small))
        kept.users += 1
        return kept

    async def start_scripts(self) -> ScriptWorkers:
        """The script processes; the first caller waits for them to start."""
        async with self._scripts_starting:
            if self._scripts is None:
                self._scripts = ScriptWorkers(ScriptWorkerSettings(size=1))
                await self._scripts.start()
        self._scripts_used_at = monotonic()
        return self._scripts

    async def close_idle(self) -> None:
        """Close what no run uses: at once if its settings are outdated, else after its time."""
        now = monotonic()
        unused = [kept for kept in self._retired if not kept.users]
        self._retired = [kept for kept in self._retired if kept.users]
        for name, kept in list(self._kept.items()):
            if not kept.users and now - kept.used_at >= self._idle_s:
                unused.append(self._kept.pop(name))
        for kept in unused:
            await _close(kept.source.close())
        # A script that runs longer than its processes may be idle has passed its deadline long ago.
        if self._scripts and now - self._scripts_used_at >= self._idle_s:
            scripts, self._scripts = self._scripts, None
            await _close(scripts.close())

    async def close(self) -> None:
        """Close everything, whoever uses it."""
        for kept in [*self._kept.values(), *self._retired]:
            await _close(kept.source.close())
        self._kept.clear()
        self._retired.clear()
        if self._scripts:
            await _close(self._scripts.close())
            self._scripts = None


Work = Callable[[OpenSources], Coroutine[Any, Any, T]]


class SourceLoop:
    """Runs questions to data sources from threads that have no event loop; starts when first used.

    One per process. Close it, or leave that to the end of the process.
    """

    def __init__(self, idle_s: float = IDLE_S) -> None:
        self._idle_s = idle_s
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None
        self._keeper: SourceKeeper | None = None
        self._running: dict[str, Future[Any]] = {}

    @property
    def open_count(self) -> int:
        """How many sources are open now."""
        return self._keeper.open_count if self._keeper else 0

    def run(self, work: Work[T], read: SourceSettings, *, timeout_s: float, key: str = "") -> T:
        """What `work` gives, from any thread; under `key` it can be stopped.

        Raises DeadlineExceededError, StoppedError, and whatever the work raises.
        """
        with self._lock:
            loop = self._loop or self._start()
        future = asyncio.run_coroutine_threadsafe(self._bounded(work, read, timeout_s), loop)
        with self._noted(key, future):
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

    def stop(self, key: str) -> bool:
        """Stop the run of that key, its query on the server too; False if there is none in this process."""
        future = self._running.get(key)
        return future is not None and future.cancel()

    def close(self) -> None:
        """End all runs, close everything and end the thread; a later run starts anew."""
        with self._lock:
            loop, thread, keeper = self._loop, self._thread, self._keeper
            self._loop = self._thread = self._keeper = None
        if loop is None or thread is None or keeper is None:
            return
        closing = asyncio.run_coroutine_threadsafe(_end(keeper), loop)
        with suppress(TimeoutError, CancelledError):
            closing.result(_CLOSE_WITHIN_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_CLOSE_WITHIN_S)

    def forget(self) -> None:
        """In the child of a fork: the thread was left behind, and its connections are not ours."""
        self._lock = Lock()
        self._loop = self._thread = self._keeper = None
        self._running = {}

    def _start(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        self._keeper = SourceKeeper(self._idle_s)
        # A daemon: the end of the process closes it, and does not wait for a query.
        self._thread = Thread(
            target=_serve, args=(loop, self._keeper, self._idle_s), name="sources", daemon=True
        )
        self._thread.start()
        self._loop = loop
        return loop

    async def _bounded(self, work: Work[T], read: SourceSettings, timeout_s: float) -> T:
        keeper = self._keeper
        if keeper is None:
            raise StoppedError(_STOPPED_TEXT)
        sources = OpenSources(keeper, read)
        with _noted_task(keeper.runs):
            try:
                async with asyncio.timeout(timeout_s):
                    return await work(sources)
            finally:
                sources.release()
                await sources.close_services()

    @contextmanager
    def _noted(self, key: str, future: "Future[Any]") -> Iterator[None]:
        if key:
            self._running[key] = future
        try:
            yield
        finally:
            if key and self._running.get(key) is future:
                del self._running[key]


@cache
def shared_loop() -> SourceLoop:
    """The loop of this process, closed when the process ends."""
    loop = SourceLoop()
    atexit.register(loop.close)
    os.register_at_fork(after_in_child=loop.forget)
    return loop


def _serve(loop: asyncio.AbstractEventLoop, keeper: SourceKeeper, idle_s: float) -> None:
    asyncio.set_event_loop(loop)
    sweeping = loop.create_task(_sweep(keeper, idle_s / 4))
    try:
        loop.run_forever()
    finally:
        sweeping.cancel()
        with suppress(asyncio.CancelledError):
            loop.run_until_complete(sweeping)
        loop.close()


async def _sweep(keeper: SourceKeeper, every_s: float) -> None:
    with _noted_task(keeper.runs):
        while True:
            await asyncio.sleep(every_s)
            await keeper.close_idle()


async def _end(keeper: SourceKeeper) -> None:
    """Cancel the runs, close what they used, and let connections that are in use end their query."""
    runs = list(keeper.runs)
    for task in runs:
        task.cancel()
    await asyncio.gather(*runs, return_exceptions=True)
    await keeper.close()
    if rest := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(rest, timeout=_CLOSE_WITHIN_S / 2)


@contextmanager
def _noted_task(tasks: set[asyncio.Task[Any]]) -> Iterator[None]:
    """Keep the current task among the `tasks` as long as it is inside."""
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 - only coroutines of the loop come here
    tasks.add(task)
    try:
        yield
    finally:
        tasks.discard(task)


async def _close(closing: Awaitable[None]) -> None:
    try:
        async with asyncio.timeout(_CLOSE_WITHIN_S):
            await closing
    except Exception:
        logger.exception("something that the web side kept open could not be closed")
