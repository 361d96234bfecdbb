"""The other MCP servers by name: follow the rows without a restart, opened with the runtime, closed with it."""

import asyncio
from collections.abc import Mapping

from access.database_thread import DatabaseThread
from catalog.mcp_servers.settings import note_reachable, note_unreachable
from core.errors import ConfigurationError
from core.messages import Message, message
from gateways.http.settings import HttpSettings
from mcp_runtime.proxied.health import Note
from mcp_runtime.proxied.link import ServerLink

# Calls that began on a replaced server may end on it.
RETIRE_AFTER_S = 30.0


class ProxiedServers:
    """A link for each server; what is found of their health is written where people see it."""

    def __init__(self, database: DatabaseThread) -> None:
        self._database = database
        self._links: dict[str, ServerLink] = {}
        self._refused: Mapping[str, Message] = {}
        self._retiring: set[asyncio.Task[None]] = set()

    def get(self, name: str) -> ServerLink:
        """The server. Raises ConfigurationError with the reason why it cannot be called."""
        if (link := self._links.get(name)) is not None:
            return link
        reason = self._refused.get(
            name, message("proxied.not_registered", "it is not registered any more")
        )
        raise ConfigurationError(
            message(
                "proxied.not_callable",
                "the MCP server {name} cannot be called: {reason}",
                name=name,
                reason=reason,
            )
        )

    def update(self, wanted: Mapping[str, HttpSettings], refused: Mapping[str, Message]) -> None:
        """Make links, which connect when first used, for new or changed settings; retire the others."""
        self._refused = refused
        for name, link in list(self._links.items()):
            if wanted.get(name) != link.settings:
                self._retire(self._links.pop(name))
        for name, settings in wanted.items():
            if name not in self._links:
                self._links[name] = ServerLink(name, settings, self._note_of(name))

    async def close(self) -> None:
        """Close every link."""
        for task in self._retiring:
            task.cancel()
        await asyncio.gather(*self._retiring, return_exceptions=True)
        for link in self._links.values():
            await link.close()
        self._links.clear()

    def _note_of(self, name: str) -> Note:
        async def note(failure: Message | None) -> None:
            if failure is None:
                await self._database.call(note_reachable, name)
            else:
                await self._database.call(note_unreachable, name, failure)

        return note

    def _retire(self, link: ServerLink) -> None:
        task = asyncio.create_task(_close_later(link))
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)


async def _close_later(link: ServerLink) -> None:
    try:
        await asyncio.sleep(RETIRE_AFTER_S)
    finally:
        await link.close()
