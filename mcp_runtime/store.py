"""The served set: rows are read, compiled, checked and swapped in as one snapshot."""

import asyncio
import logging
from collections.abc import Iterable, Mapping

from catalog.sources import SourceSettings, read_sources
from core.errors import DataSourceError, DeadlineExceededError, DefinitionError
from core.execution import CompiledTool
from core.toolspec import ToolSpec
from mcp_runtime.connections import DatabaseThread
from mcp_runtime.resources import DataSources
from mcp_runtime.snapshot import Snapshot
from toolbuilder.registry import ServedRows, read_revision, read_served_rows, store_quarantine

logger = logging.getLogger(__name__)

# How long a reload waits for data sources to judge changed statements; what is left is judged after the swap.
CHECK_BEFORE_SWAP_S = 1.0
CHECKS_AT_ONCE = 4


class ToolStore:
    """Holds the current snapshot; `refresh` replaces it when the registry revision moved."""

    def __init__(self, database: DatabaseThread, sources: DataSources) -> None:
        self.snapshot = Snapshot()
        self._database = database
        self._sources = sources
        self._unchecked: dict[str, CompiledTool] = {}
        self._reasons_stored: Mapping[int, str] | None = None

    def current(self) -> Snapshot:
        """The snapshot now."""
        return self.snapshot

    async def refresh(self, *, force: bool = False) -> bool:
        """Take up the rows if they changed; True when agents see a difference.

        Raises whatever the database raises; the last good set is served meanwhile.
        """
        revision = await self._database.call(read_revision)
        if revision == self.snapshot.revision and not force:
            return False
        rows, settings = await self._database.call(_read_all)
        self._sources.update(settings)
        before, self.snapshot = self.snapshot, await self._build(rows)
        await self._note_quarantine()
        return self.snapshot.differs_for_agents(before)

    async def check_rest(self) -> bool:
        """Judge the statements that the last refresh had no time for; True when agents see a difference."""
        if not self._unchecked:
            return False
        refused = await self._check(list(self._unchecked.values()), timeout_s=None)
        if not refused:
            return False
        before = self.snapshot
        kept = {name: tool for name, tool in before.tools.items() if tool.spec.id not in refused}
        self.snapshot = Snapshot(before.revision, kept, {**before.quarantined, **refused})
        await self._note_quarantine()
        return True

    @property
    def needs_retry(self) -> bool:
        """Whether a tool is missing that may work later, such as one whose table does not exist yet."""
        return bool(self.snapshot.quarantined)

    async def _build(self, rows: ServedRows) -> Snapshot:
        reused, compiled, quarantined = await asyncio.to_thread(self._compile, rows)
        quarantined |= await self._check(compiled, timeout_s=CHECK_BEFORE_SWAP_S)
        tools = {
            tool.spec.name: tool for tool in (*reused, *compiled) if tool.spec.id not in quarantined
        }
        return Snapshot(rows.revision, tools, quarantined)

    def _compile(
        self, rows: ServedRows
    ) -> tuple[list[CompiledTool], list[CompiledTool], dict[int, str]]:
        """Unchanged tools, changed ones compiled anew, and the reasons of those that cannot be."""
        quarantined = dict(rows.unreadable)
        reused: list[CompiledTool] = []
        compiled: list[CompiledTool] = []
        for spec in rows.specs:
            known = self.snapshot.tools.get(spec.name)
            try:
                if known is not None and known.spec == spec:
                    reused.append(known)
                else:
                    compiled.append(_compile_served(spec))
            except DefinitionError as error:
                quarantined[spec.id] = str(error)
        return reused, compiled, quarantined

    async def _check(
        self, tools: Iterable[CompiledTool], timeout_s: float | None
    ) -> dict[int, str]:
        """Reasons, by tool id, of tools that their database refuses; fills the list of unjudged ones."""
        self._unchecked = {tool.spec.name: tool for tool in tools}
        refused: dict[int, str] = {}
        waiting = iter(list(self._unchecked.values()))
        try:
            async with asyncio.timeout(timeout_s):
                workers = (self._check_each(waiting, refused) for _ in range(CHECKS_AT_ONCE))
                await asyncio.gather(*workers)
        except TimeoutError:
            logger.info("%d tools are checked after the swap", len(self._unchecked))
        return refused

    async def _check_each(self, waiting: Iterable[CompiledTool], refused: dict[int, str]) -> None:
        for tool in waiting:
            try:
                await tool.check(self._sources)
            except (DataSourceError, DeadlineExceededError):
                # The source is away: the tool stays, and says so when it is called.
                logger.warning("tool %s cannot be checked now", tool.spec.name)
            except DefinitionError as error:
                refused[tool.spec.id] = str(error)
            self._unchecked.pop(tool.spec.name, None)

    async def _note_quarantine(self) -> None:
        reasons = self.snapshot.quarantined
        if reasons == self._reasons_stored:
            return
        for tool_id, reason in reasons.items():
            logger.warning("tool %s is quarantined: %s", tool_id, reason)
        await self._database.call(store_quarantine, reasons)
        self._reasons_stored = reasons


def _read_all() -> tuple[ServedRows, SourceSettings]:
    return read_served_rows(), read_sources()


def _compile_served(spec: ToolSpec) -> CompiledTool:
    tool = CompiledTool(spec)
    _ = tool.input_schema
    return tool
