"""Everything that is opened and closed with the server: pools of data sources."""

import asyncio
import logging

from catalog.sources import SourceSettings
from core.errors import DefinitionError
from gateways.sources import DatabaseSettings, OpenedSource, open_source

logger = logging.getLogger(__name__)

# Calls that began on a replaced pool may end on it.
RETIRE_AFTER_S = 30.0


class DataSources:
    """Pools by data source name; follows the rows without a restart."""

    def __init__(self) -> None:
        self._settings: dict[str | None, DatabaseSettings] = {}
        self._sources: dict[str | None, OpenedSource] = {}
        self._refused: dict[str | None, str] = {}
        self._retiring: set[asyncio.Task[None]] = set()

    def get(self, name: str | None) -> OpenedSource:
        """The source. Raises DefinitionError, naming those that exist."""
        if (source := self._sources.get(name)) is not None:
            return source
        if (reason := self._refused.get(name)) is not None:
            raise DefinitionError(reason)
        known = ", ".join(sorted(key for key in self._sources if key)) or "none yet"
        raise DefinitionError(f"there is no data source {name!r}; registered: {known}")

    def settings_of(self, name: str | None) -> DatabaseSettings | None:
        """How the source is reached, or None where there is no such source."""
        return self._settings.get(name)

    def update(self, read: SourceSettings) -> None:
        """Make pools, which connect when first used, for new or changed settings and retire those no longer wanted."""
        self._refused = dict(read.refused)
        for name in list(self._sources):
            if read.usable.get(name) != self._settings.get(name):
                self._retire(self._sources.pop(name))
        for name, wanted in read.usable.items():
            if name not in self._sources:
                self._sources[name] = open_source(wanted)
        self._settings = dict(read.usable)

    async def close(self) -> None:
        """Close every pool."""
        for task in self._retiring:
            task.cancel()
        await asyncio.gather(*self._retiring, return_exceptions=True)
        for source in self._sources.values():
            await source.close()
        self._sources.clear()

    def _retire(self, source: OpenedSource) -> None:
        task = asyncio.create_task(_close_later(source))
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)


async def _close_later(source: OpenedSource) -> None:
    try:
        await asyncio.sleep(RETIRE_AFTER_S)
    finally:
        await source.close()
