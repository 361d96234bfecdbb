"""The proxied tools of the served set: changed rows are read, the rest is kept."""

import logging
from collections.abc import Collection, Mapping

from access.database_thread import DatabaseThread
from core.errors import DefinitionError
from mcp_runtime.proxied.servers import ProxiedServers
from mcp_runtime.proxied.tool import ProxiedTool
from tools.proxied_rows import ProxiedRows, read_proxied_rows

logger = logging.getLogger(__name__)


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
        changed = self._make_tools(rows)
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

    def _make_tools(self, rows: ProxiedRows) -> dict[int, ProxiedTool]:
        found: dict[int, ProxiedTool] = {}
        for spec in rows.specs:
            try:
                found[spec.id] = ProxiedTool(spec, self.servers)
            except DefinitionError as error:
                logger.warning("a tool of %s is not proxied: %s", spec.server, error)
        return found
