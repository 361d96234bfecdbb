"""The served set: changed rows are read, compiled, judged and swapped in as one snapshot."""

import asyncio
import logging
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from functools import partial

from access.database_thread import DatabaseThread
from core.errors import DefinitionError, ToolboxError
from core.execution import CompiledTool
from core.limits import LimitBook
from core.messages import Message, message
from core.toolspec import HttpLogic, ToolSpec
from gateways.memory import give_back_memory
from mcp_runtime.proxied.registry import ProxiedRegistry, ProxiedTool
from mcp_runtime.snapshot import Snapshot
from tools.builtin.tool import BuiltinTool
from tools.models import RegistryRevision
from tools.registry import ServedRows, read_served_rows, store_quarantine
from tools.running import check_tools, compile_tools
from tools.sources import Sources

logger = logging.getLogger(__name__)

# How long a reload waits for data sources to judge statements; the others are judged after the swap.
JUDGE_BEFORE_SWAP_S = 1.0
# More are compiled in a thread: each takes some tenths of a millisecond.
MOST_COMPILED_AT_ONCE = 5
# At a start nothing is served yet: of more tools few would be judged in that time, so nobody waits, and
# their logic is compiled just before they are judged.
MOST_JUDGED_AT_START = 1_000


class ToolStore:
    """Holds the current snapshot; `refresh` replaces it when the registry revision moved.

    Data sources parse statements before agents meet them, without holding up other tools.
    """

    def __init__(self, database: DatabaseThread, sources: Sources) -> None:
        self.snapshot = Snapshot()
        self.proxied = ProxiedRegistry(database)
        self._database = database
        self._sources = sources
        # Tools whose database has not answered yet, by id; the event is set while there are some.
        self._unjudged: dict[int, CompiledTool] = {}
        self.waits_for_judges = asyncio.Event()
        self._fingerprints: dict[int, str] = {}
        # Without their tools, which are in the snapshot.
        self._rows: ServedRows | None = None
        self._reasons_stored: Mapping[int, Message] | None = None
        self._reasons_logged: Mapping[int, Message] = {}

    def current(self) -> Snapshot:
        """The snapshot now."""
        return self.snapshot

    def limits(self) -> LimitBook:
        """The limits that hold now."""
        return self.snapshot.limits

    def serve_builtin(self, builtin: Mapping[str, BuiltinTool]) -> None:
        """Serve these built-in tools; no other tool may have one of their names."""
        self.snapshot = replace(self.snapshot, builtin=builtin)

    @property
    def unjudged_count(self) -> int:
        """How many served tools wait for their database's word."""
        return len(self._unjudged)

    @property
    def needs_retry(self) -> bool:
        """Whether a tool is missing that may work later, such as one whose table does not exist yet."""
        return bool(self.snapshot.quarantined)

    async def refresh(self, *, force: bool = False) -> bool:
        """Take up the rows if they changed; True when agents see a difference.

        Raises whatever the database raises; the last good set is served meanwhile.
        """
        rows = await self._database.call(self._read, force)
        if rows is None:
            return False
        if not rows.is_edit:
            await self.proxied.refresh()
        self._sources.update(rows.sources)
        is_large_start = self.snapshot.revision < 0 and len(rows.specs) > MOST_JUDGED_AT_START
        work = partial(self._compile, rows.specs, waits=is_large_start)
        has_many = len(rows.specs) > MOST_COMPILED_AT_ONCE
        compiled, quarantined = await asyncio.to_thread(work) if has_many else work()
        wait_s = 0.0 if is_large_start else JUDGE_BEFORE_SWAP_S
        refused, unanswered = await self._judge(compiled, wait_s)
        quarantined |= {**rows.unreadable, **refused}
        for tool in compiled:
            self._unjudged.pop(tool.spec.id, None)
        self._unjudged |= unanswered
        if self._unjudged:
            self.waits_for_judges.set()
        before = self.snapshot
        changed = {spec.id for spec in rows.specs} | rows.unreadable.keys()
        quarantined |= {id_: why for id_, why in before.quarantined.items() if rows.leaves(id_)}
        good = [tool for tool in compiled if tool.spec.id not in quarantined]
        served = self._put_together(rows, changed, good)
        self.snapshot = Snapshot(
            *(rows.revision, served, quarantined, before.builtin, rows.toolsets),
            *(rows.limits, rows.issuers, rows.old_names),
        )
        self._rows, self._fingerprints = replace(rows, specs=()), dict(rows.fingerprints)
        for id_ in quarantined:
            self._fingerprints.pop(id_, None)
        if is_large_start:
            # What is served is no garbage: looking through it holds up the loop for long.
            await asyncio.to_thread(give_back_memory, freezes=True)
        await self._note_quarantine()
        return self.snapshot.differs_for_agents(before)

    def _read(self, force: bool) -> ServedRows | None:
        """The rows, of which only what changed was read unless it is to be all; None if nothing changed."""
        served, revision = self.snapshot.revision, RegistryRevision.current()
        if revision == served and not force:
            return None
        since = None if force or served < 0 else served
        return read_served_rows(self._fingerprints, since, self._rows, revision)

    def _put_together(
        self, rows: ServedRows, changed: AbstractSet[int], good: Sequence[CompiledTool]
    ) -> Mapping[str, CompiledTool | ProxiedTool]:
        """The tools in their order: those that did not change, and the changed ones that are good."""
        before = self.snapshot.tools
        gone = changed | (self._fingerprints.keys() - rows.fingerprints)
        replaced = {tool.spec.name: tool for tool in good}
        former = [tool for tool in map(before.get, replaced) if isinstance(tool, CompiledTool)]
        if rows.is_edit and {tool.spec.id for tool in former} == gone:
            # Most edits: thousands of others are where they were.
            return {**before, **replaced}
        reused = {
            name: tool
            for name, tool in before.items()
            if isinstance(tool, CompiledTool) and tool.spec.id not in gone
        }
        return self._with_proxied(dict(sorted({**reused, **replaced}.items())))

    async def judge_rest(self) -> bool:
        """Judge the statements that have no answer yet; True when agents see a difference."""
        # Tools that were replaced meanwhile are forgotten.
        self._unjudged = {id_: tool for id_, tool in self._unjudged.items() if self._serves(tool)}
        waiting = list(self._unjudged.values())
        unfit = await asyncio.to_thread(compile_tools, waiting)
        refused, unanswered = await self._judge([t for t in waiting if t.spec.id not in unfit])
        refused |= unfit
        for tool in waiting:
            if tool.spec.id not in unanswered and self._unjudged.get(tool.spec.id) is tool:
                del self._unjudged[tool.spec.id]
        if not self._unjudged:
            self.waits_for_judges.clear()
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

    def _compile(
        self, specs: Iterable[ToolSpec], *, waits: bool = False
    ) -> tuple[list[CompiledTool], dict[int, Message]]:
        """The tools compiled, and the reasons, by tool id, of those that cannot be."""
        compiled: list[CompiledTool] = []
        refused: dict[int, Message] = {}
        for spec in specs:
            if spec.name in self.snapshot.builtin:
                refused[spec.id] = message(
                    "tool.builtin_name",
                    "{name} is the name of a built-in tool; give this tool another name",
                    name=spec.name,
                )
                continue
            try:
                # The schema of an operation is in it.
                is_later = waits and not isinstance(spec.logic, HttpLogic)
                compiled.append(CompiledTool(spec, waits=is_later))
            except DefinitionError as error:
                refused[spec.id] = error.message
        return compiled, refused

    async def _judge(
        self, tools: list[CompiledTool], timeout_s: float | None = None
    ) -> tuple[dict[int, Message], dict[int, CompiledTool]]:
        """The reasons of tools that their database, or the sandbox of scripts, refuses, by tool id.

        And the tools that it did not reach in time, which wait and stay served.
        """
        refused: dict[int, Message] = {}
        unanswered = {tool.spec.id: tool for tool in tools}

        def note(tool: CompiledTool, error: ToolboxError | None) -> None:
            if isinstance(error, DefinitionError):
                refused[tool.spec.id] = error.message
            elif error is not None:
                return
            unanswered.pop(tool.spec.id, None)

        if timeout_s == 0:
            return refused, unanswered
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await check_tools(tools, self._sources, note)
        return refused, unanswered

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
