"""What tools run on, opened when first used and kept: databases, HTTP services, script processes."""

import asyncio
import logging
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Generic, TypeVar

from catalog.sources.settings import SourceSettings, explain_missing_service, explain_missing_source
from core.errors import DefinitionError
from gateways.engine import DatabaseSettings, OpenedSource
from gateways.engines import open_source
from gateways.fair_queue import PoolState
from gateways.http.service import HttpSource
from gateways.http.settings import HttpSettings
from gateways.scripts.workers import ScriptWorkers, ScriptWorkerSettings

logger = logging.getLogger(__name__)

# Calls that began on a replaced source may end on it.
RETIRE_AFTER_S = 30.0
# No call lasts longer than it: a source of which nobody asked for so long beside the idle time is idle.
_LONGEST_CALL_S = 60.0
_CLOSE_WITHIN_S = 5.0


_Source = TypeVar("_Source", OpenedSource, HttpSource)


@dataclass(slots=True)
class _Opened(Generic[_Source]):
    settings: DatabaseSettings | HttpSettings
    source: _Source
    used_at: float = field(default_factory=monotonic)


class Sources:
    """Opened data sources and services by name, and the script processes. Belongs to one event loop.

    `update` gives it the settings; what was opened by other ones is closed after a while.
    """

    def __init__(self, *, script_workers: int = 1, largest_pool: int | None = None) -> None:
        self._largest_pool = largest_pool
        self._read = SourceSettings()
        self._opened: dict[str | None, _Opened[OpenedSource]] = {}
        self._services: dict[str | None, _Opened[HttpSource]] = {}
        self._retiring: set[asyncio.Task[None]] = set()
        self._script_workers = script_workers
        self._scripts: ScriptWorkers | None = None
        self._scripts_used_at = 0.0

    @property
    def open_count(self) -> int:
        """How many sources and services are open."""
        return len(self._opened) + len(self._services) + len(self._retiring)

    def pool_states(self) -> Iterator[tuple[str | None, PoolState]]:
        """How the connections of each opened source and service are used, by its name; from any thread."""
        for name, database in list(self._opened.items()):
            yield name, database.source.pool_state
        for name, service in list(self._services.items()):
            yield name, service.source.pool_state

    def get(self, name: str | None) -> OpenedSource:
        """The source, which connects when it is first asked. Raises DefinitionError, naming those that exist."""
        if (opened := self._opened.get(name)) is None:
            if (reason := self._read.refused.get(name)) is not None:
                raise DefinitionError(reason)
            if (settings := self._read.usable.get(name)) is None:
                raise DefinitionError(explain_missing_source(name, self._read.usable))
            pool_size = min(settings.pool_size, self._largest_pool or settings.pool_size)
            source = open_source(replace(settings, pool_size=pool_size))
            opened = self._opened[name] = _Opened(settings, source)
        opened.used_at = monotonic()
        return opened.source

    def service(self, name: str | None) -> HttpSource:
        """The HTTP service. Raises DefinitionError, naming those that exist."""
        if (opened := self._services.get(name)) is None:
            if (settings := self._read.services.get(name)) is None:
                raise DefinitionError(explain_missing_service(self._read, name))
            opened = self._services[name] = _Opened(settings, HttpSource(settings))
        opened.used_at = monotonic()
        return opened.source

    async def script_runner(self) -> ScriptWorkers:
        """The script processes, started for the first caller and kept for the others, should that one leave."""
        self._scripts_used_at = monotonic()
        if self._scripts is None:
            self._scripts = ScriptWorkers(ScriptWorkerSettings(size=self._script_workers))
            self._scripts.begin()
        scripts = self._scripts
        await scripts.wait_for_first()
        return scripts

    def settings_of(self, name: str | None) -> DatabaseSettings | None:
        """How the source is reached; None if it cannot be used."""
        return self._read.usable.get(name)

    def update(self, read: SourceSettings) -> None:
        """Use these settings from now on, and retire what was opened by other ones."""
        self._read = read
        for name, opened in list(self._opened.items()):
            if read.usable.get(name) != opened.settings:
                self._retire(self._opened.pop(name).source)
        for name, service in list(self._services.items()):
            if read.services.get(name) != service.settings:
                self._retire(self._services.pop(name).source)

    async def close_idle(self, idle_s: float) -> None:
        """Close what was not asked for during this time."""
        longest_ago = monotonic() - idle_s - min(idle_s, _LONGEST_CALL_S)
        for kept in (self._opened, self._services):
            idle = [name for name, opened in kept.items() if opened.used_at < longest_ago]
            for name in idle:
                await _close(kept.pop(name).source.close())
        if self._scripts and self._scripts_used_at < longest_ago:
            scripts, self._scripts = self._scripts, None
            await _close(scripts.close())

    async def close(self) -> None:
        """Close everything."""
        for task in self._retiring:
            task.cancel()
        await asyncio.gather(*self._retiring, return_exceptions=True)
        for opened in self._opened.values():
            await _close(opened.source.close())
        for service in self._services.values():
            await _close(service.source.close())
        self._opened.clear()
        self._services.clear()
        if self._scripts:
            await _close(self._scripts.close())
            self._scripts = None

    def _retire(self, source: OpenedSource | HttpSource) -> None:
        async def close_later() -> None:
            try:
                await asyncio.sleep(RETIRE_AFTER_S)
            finally:
                await _close(source.close())

        task = asyncio.get_running_loop().create_task(close_later())
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)


async def _close(closing: Awaitable[None]) -> None:
    try:
        async with asyncio.timeout(_CLOSE_WITHIN_S):
            await closing
    except Exception:
        logger.exception("a source could not be closed")
