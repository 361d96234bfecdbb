"""Everything that is opened and closed with the server: pools of data sources, connections to services."""

import asyncio
import logging

from catalog.sources import SourceSettings, explain_missing_service, explain_missing_source
from core.errors import DefinitionError
from core.messages import Message
from gateways.http.service import HttpSource
from gateways.sources import DatabaseSettings, OpenedSource, open_source

logger = logging.getLogger(__name__)

# Calls that began on a replaced pool may end on it.
RETIRE_AFTER_S = 30.0


class DataSources:
    """Pools by data source name; follows the rows without a restart."""

    def __init__(self) -> None:
        self._settings: dict[str | None, DatabaseSettings] = {}
        self._sources: dict[str | None, OpenedSource] = {}
        self._refused: dict[str | None, Message] = {}
        self._services: dict[str | None, HttpSource] = {}
        self._read = SourceSettings()
        self._retiring: set[asyncio.Task[None]] = set()

    def get(self, name: str | None) -> OpenedSource:
        """The source. Raises DefinitionError, naming those that exist."""
        if (source := self._sources.get(name)) is not None:
            return source
        if (reason := self._refused.get(name)) is not None:
            raise DefinitionError(reason)
        raise DefinitionError(explain_missing_source(name, self._sources))

    def service(self, name: str | None) -> HttpSource:
        """The HTTP service. Raises DefinitionError, naming those that exist."""
        if (service := self._services.get(name)) is not None:
            return service
        raise DefinitionError(explain_missing_service(self._read, name))

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
        self._update_services(read)

    def _update_services(self, read: SourceSettings) -> None:
        for name, service in list(self._services.items()):
            if read.services.get(name) != service.settings:
                self._retire(self._services.pop(name))
        for name, wanted in read.services.items():
            if name not in self._services:
                self._services[name] = HttpSource(wanted)
        self._read = read

    async def close(self) -> None:
        """Close every pool."""
        for task in self._retiring:
            task.cancel()
        await asyncio.gather(*self._retiring, return_exceptions=True)
        for source in (*self._sources.values(), *self._services.values()):
            await source.close()
        self._sources.clear()
        self._services.clear()

    def _retire(self, source: OpenedSource | HttpSource) -> None:
        task = asyncio.create_task(_close_later(source))
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)


async def _close_later(source: OpenedSource | HttpSource) -> None:
    try:
        await asyncio.sleep(RETIRE_AFTER_S)
    finally:
        await source.close()
