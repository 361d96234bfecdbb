"""Other MCP servers and their tools in the served set: changed rows are read, the rest is kept."""

import asyncio
import logging
from collections.abc import Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from access.database_thread import DatabaseThread
from catalog.mcp_servers.settings import note_reachable, note_unreachable
from core.bindings import NOBODY, CallerFacts
from core.errors import ConfigurationError, DefinitionError
from core.execution import QuerySources
from core.messages import Message, message
from core.proxied import ProxiedAnswer, ProxiedChecks, ProxiedSpec
from gateways.http.settings import HttpSettings
from tools.proxied_rows import read_proxied_rows

if TYPE_CHECKING:
    from mcp_runtime.proxied.link import ServerLink

logger = logging.getLogger(__name__)

# Calls that began on a replaced server may end on it.
RETIRE_AFTER_S = 30.0


class ProxiedServers:
    """A link for each server; what is found of their health is written where people see it."""

    def __init__(self, database: DatabaseThread) -> None:
        self._database = database
        self._links: dict[str, ServerLink] = {}
        self._refused: Mapping[str, Message] = {}
        self._retiring: set[asyncio.Task[None]] = set()

    def get(self, name: str) -> "ServerLink":
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

    def update(self, servers: Mapping[str, HttpSettings], refused: Mapping[str, Message]) -> None:
        """Make links, which connect when first used, for new or changed settings; retire the others."""

        async def close_later(link: "ServerLink") -> None:
            try:
                await asyncio.sleep(RETIRE_AFTER_S)
            finally:
                await link.close()

        async def note(name: str, failure: Message | None) -> None:
            if failure is None:
                await self._database.call(note_reachable, name)
            else:
                await self._database.call(note_unreachable, name, failure)

        self._refused = refused
        for name, link in list(self._links.items()):
            if servers.get(name) != link.settings:
                task = asyncio.create_task(close_later(self._links.pop(name)))
                self._retiring.add(task)
                task.add_done_callback(self._retiring.discard)
        if servers:
            # FastMCP's client is a seventh of the modules of a runtime; most have no other server.
            from mcp_runtime.proxied.link import ServerLink  # noqa: PLC0415
        for name, settings in servers.items():
            if name not in self._links:
                self._links[name] = ServerLink(name, settings, partial(note, name))

    async def close(self) -> None:
        """Close every link."""
        for task in self._retiring:
            task.cancel()
        await asyncio.gather(*self._retiring, return_exceptions=True)
        for link in self._links.values():
            await link.close()
        self._links.clear()


class ProxiedTool:
    """One accepted tool of another server."""

    __slots__ = ("_checks", "_servers", "spec")

    def __init__(self, spec: ProxiedSpec, servers: ProxiedServers) -> None:
        """Raises DefinitionError for a tool that could not be served."""
        self.spec = spec
        self._checks = ProxiedChecks(spec)
        self._servers = servers

    @property
    def input_schema(self) -> dict[str, Any]:
        """As it was accepted."""
        return self.spec.accepted.input_schema

    @property
    def output_schema(self) -> dict[str, Any] | None:
        """As it was accepted; None where the tool promises no structured content."""
        return self.spec.accepted.output_schema

    def validate(
        self, arguments: Mapping[str, object], _facts: CallerFacts = NOBODY
    ) -> Mapping[str, object]:
        """The arguments, unchanged. Raises ArgumentsError."""
        return self._checks.check_arguments(arguments)

    async def run(
        self,
        values: Mapping[str, object],
        _sources: QuerySources,
        caller: str = "",
        _facts: CallerFacts = NOBODY,
    ) -> ProxiedAnswer:
        """The server's answer. Raises ToolboxError with a text for the agent."""
        link = self._servers.get(self.spec.server)
        return self._checks.read_answer(await link.call(self.spec, values, caller))


class ProxiedRegistry:
    """Accepted tools of other servers by their row's id; `refresh` takes up what changed."""

    def __init__(self, database: DatabaseThread) -> None:
        self.servers = ProxiedServers(database)
        self._database = database
        self._tools: dict[int, ProxiedTool] = {}
        self._fingerprints: Mapping[int, str] = {}

    async def refresh(self) -> None:
        """Read the rows. Raises whatever the database raises; then what was read before stays."""
        rows = await self._database.call(read_proxied_rows, self._fingerprints)
        self.servers.update(rows.servers, rows.refused)
        changed: dict[int, ProxiedTool] = {}
        for spec in rows.specs:
            try:
                changed[spec.id] = ProxiedTool(spec, self.servers)
            except DefinitionError as error:
                logger.warning("a tool of %s is not proxied: %s", spec.server, error)
        kept = {id_: tool for id_, tool in self._tools.items() if id_ in rows.fingerprints}
        self._tools = {**kept, **changed}
        # A row that could not be read is tried again with the next change.
        self._fingerprints = {id_: rows.fingerprints[id_] for id_ in self._tools}

    def tools(self, taken_names: Collection[str]) -> dict[str, ProxiedTool]:
        """The tools by name, in its order; names of other tools win, and the older of two the same."""
        found: dict[str, ProxiedTool] = {}
        for _, tool in sorted(self._tools.items()):
            if tool.spec.name in taken_names or tool.spec.name in found:
                logger.warning("%s is not proxied: another tool has its name", tool.spec.name)
            else:
                found[tool.spec.name] = tool
        return dict(sorted(found.items()))
