"""The served set: changed rows are read, compiled, judged and swapped in as one snapshot."""

import asyncio
import logging
from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

from access.database_thread import DatabaseThread
from core.errors import DefinitionError
from core.execution import CompiledTool
from core.messages import Message, message
from core.toolspec import ToolSpec
from mcp_runtime.judge import StatementJudge
from mcp_runtime.proxied.registry import ProxiedRegistry
from mcp_runtime.proxied.tool import ProxiedTool
from mcp_runtime.snapshot import Snapshot
from tools.builtin.tool import BuiltinTool
from tools.registry import ServedRows, read_revision, read_served_rows, store_quarantine
from tools.sources import Sources

logger = logging.getLogger(__name__)

# How long a reload waits for data sources to judge statements; the others are judged after the swap.
JUDGE_BEFORE_SWAP_S = 1.0


class ToolStore:
    """Holds the current snapshot; `refresh` replaces it when the registry revision moved."""

    def __init__(
        self,
        database: DatabaseThread,
        sources: Sources,
        builtin: Mapping[str, BuiltinTool] = MappingProxyType({}),
    ) -> None:
        self.snapshot = Snapshot(builtin=builtin)
        self.proxied = ProxiedRegistry(database)
        self._database = database
        self._sources = sources
        self._judge = StatementJudge(sources)
        self._fingerprints: dict[int, str] = {}
        self._reasons_stored: Mapping[int, Message] | None = None
        self._reasons_logged: Mapping[int, Message] = {}

    def current(self) -> Snapshot:
        """The snapshot now."""
        return self.snapshot

    @property
    def has_unjudged(self) -> bool:
        """Whether a served statement waits for its database's word."""
        return bool(self._judge.waiting)

    @property
    def needs_retry(self) -> bool:
        """Whether a tool is missing that may work later, such as one whose table does not exist yet."""
        return bool(self.snapshot.quarantined)

    async def refresh(self, *, force: bool = False) -> bool:
        """Take up the rows if they changed; True when agents see a difference.

        Raises whatever the database raises; the last good set is served meanwhile.
        """
        revision = await self._database.call(read_revision)
        if revision == self.snapshot.revision and not force:
            return False
        rows = await self._database.call(read_served_rows, self._fingerprints)
        await self.proxied.refresh()
        self._sources.update(rows.sources)
        before, self.snapshot = self.snapshot, await self._build(rows)
        served = {tool.spec.id for tool in self.snapshot.defined}
        self._fingerprints = {id_: rows.fingerprints[id_] for id_ in served}
        await self._note_quarantine()
        return self.snapshot.differs_for_agents(before)

    async def judge_rest(self) -> bool:
        """Judge the statements that have no answer yet; True when agents see a difference."""
        waiting = [tool for tool in self._judge.waiting.values() if self._serves(tool)]
        self._judge.forget_all_but(waiting)
        refused = await self._judge.judge(waiting)
        # A tool may have been changed while it was judged.
        gone = {tool.spec.id for tool in waiting if tool.spec.id in refused and self._serves(tool)}
        if not gone:
            return False
        before = self.snapshot
        kept = {tool.spec.name: tool for tool in before.defined if tool.spec.id not in gone}
        reasons = {**before.quarantined, **{id_: refused[id_] for id_ in gone}}
        self.snapshot = replace(before, tools=self._with_proxied(kept), quarantined=reasons)
        for id_ in gone:
            self._fingerprints.pop(id_, None)
        await self._note_quarantine()
        return True

    def _serves(self, tool: CompiledTool) -> bool:
        return self.snapshot.tools.get(tool.spec.name) is tool

    async def _build(self, rows: ServedRows) -> Snapshot:
        builtin = self.snapshot.builtin
        compiled, quarantined = await asyncio.to_thread(_compile, rows, builtin)
        quarantined |= await self._judge.judge(compiled, JUDGE_BEFORE_SWAP_S)
        changed = {spec.id for spec in rows.specs} | rows.unreadable.keys()
        reused = [
            tool
            for tool in self.snapshot.defined
            if tool.spec.id in rows.fingerprints and tool.spec.id not in changed
        ]
        good = (tool for tool in compiled if tool.spec.id not in quarantined)
        tools = {tool.spec.name: tool for tool in (*reused, *good)}
        return Snapshot(
            rows.revision, self._with_proxied(dict(sorted(tools.items()))), quarantined, builtin
        )

    def _with_proxied(
        self, defined: Mapping[str, CompiledTool]
    ) -> dict[str, CompiledTool | ProxiedTool]:
        taken = {*defined, *self.snapshot.builtin}
        return {**defined, **self.proxied.tools(taken)}

    async def _note_quarantine(self) -> None:
        reasons = self.snapshot.quarantined
        if reasons == self._reasons_stored:
            return
        for tool_id, reason in reasons.items():
            if self._reasons_logged.get(tool_id) != reason:
                logger.warning("tool %s is quarantined: %s", tool_id, reason)
        self._reasons_logged = reasons
        await self._database.call(store_quarantine, reasons)
        self._reasons_stored = reasons


def _compile(
    rows: ServedRows, taken_names: Collection[str]
) -> tuple[list[CompiledTool], dict[int, Message]]:
    """The changed tools compiled, and the reasons, by tool id, of those that cannot be."""
    quarantined = dict(rows.unreadable)
    compiled: list[CompiledTool] = []
    for spec in rows.specs:
        try:
            compiled.append(_compile_served(spec, taken_names))
        except DefinitionError as error:
            quarantined[spec.id] = error.message
    return compiled, quarantined


def _compile_served(spec: ToolSpec, taken_names: Collection[str]) -> CompiledTool:
    if spec.name in taken_names:
        raise DefinitionError(
            message(
                "tool.builtin_name",
                "{name} is the name of a built-in tool; give this tool another name",
                name=spec.name,
            )
        )
    tool = CompiledTool(spec)
    _ = tool.input_schema
    return tool
