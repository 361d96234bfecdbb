"""ToolCaller: the one path by which any tool is called. Authorise, validate, run, record."""

import asyncio
import difflib
import logging
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from msgspec import Struct

from access.call_arguments import shorten_text
from access.calls import NOWHERE, Call, CallOrigin
from access.limits.gate import LimitGate
from access.models import Outcome
from access.reader_language import to_columns
from access.request_ids import REQUEST_ID
from core.bindings import NOBODY, CallerFacts
from core.errors import (
    ArgumentsError,
    DataSourceBusyError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    DocumentServerUnavailableError,
    EmbeddingUnavailableError,
    IndexNotReadyError,
    LimitError,
    ScriptsBusyError,
    ToolboxError,
    ToolRestsError,
    UnknownToolError,
    VectorStoreUnavailableError,
)
from core.execution import CompiledTool, QuerySources
from core.limits import FoundLimit
from core.messages import message
from core.old_names import NO_OLD_NAMES, OldName, OldNames, with_notices
from core.results import Answer
from mcp_runtime.breakers import Breakers
from mcp_runtime.kept_arguments import ArgumentsKeeper
from mcp_runtime.snapshot import ServedTool, Snapshot
from tools.builtin.search_tools import ForwardingTool
from tools.builtin.tool import RefusedAnswer
from tools.running import run_tool, run_within_limits

logger = logging.getLogger(__name__)

# Of one caller: so many are remembered.
MOST_ENDPOINTS = 100
_PLAIN_NAME = re.compile(r"[\w./-]+")

_OUTCOMES: tuple[tuple[type[BaseException], Outcome], ...] = (
    (ArgumentsError, Outcome.INVALID_ARGUMENTS),
    (UnknownToolError, Outcome.UNKNOWN_TOOL),
    (LimitError, Outcome.LIMITED),
    (DeadlineExceededError, Outcome.TIMEOUT),
    (DataSourceBusyError, Outcome.BUSY),
    (ScriptsBusyError, Outcome.BUSY),
    (DataSourceUnavailableError, Outcome.UNAVAILABLE),
    (EmbeddingUnavailableError, Outcome.UNAVAILABLE),
    (DocumentServerUnavailableError, Outcome.UNAVAILABLE),
    (VectorStoreUnavailableError, Outcome.UNAVAILABLE),
    (IndexNotReadyError, Outcome.UNAVAILABLE),
    (ToolRestsError, Outcome.UNAVAILABLE),
    (ToolboxError, Outcome.TOOL_ERROR),
    (asyncio.CancelledError, Outcome.CANCELLED),
)


@dataclass(frozen=True, slots=True)
class Holder:
    """Who has an access token: a client, and for whom at which issuer."""

    client_id: str
    issuer: str
    subject: str


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls. `facts` say which tools it sees, and give values to bound parameters.

    With an access token it has a holder and no key.
    """

    key_id: str
    name: str
    facts: CallerFacts = NOBODY
    holder: Holder | None = None
    _at: dict[str, "Caller"] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def queue_name(self) -> str:
        """Whose calls wait behind each other where callers take turns."""
        return self.key_id or self.facts.owner

    def at(self, toolset: str) -> "Caller":
        """The same caller at the endpoint of a toolset; '' is that of all tools."""
        if not toolset:
            return self
        if toolset not in self._at:
            # The name is the client's.
            if len(self._at) >= MOST_ENDPOINTS:
                self._at.clear()
            self._at[toolset] = replace(self, facts=replace(self.facts, toolset=toolset))
        return self._at[toolset]


ANONYMOUS = Caller(key_id="", name="anonymous", facts=CallerFacts(name="anonymous"))


class TakesCalls(Protocol):
    """Where calls are recorded."""

    def add(self, call: Call) -> None:
        """Take a call; never blocks and never fails."""


EndsCall = Callable[[Call, Answer | None], None]


class WatchesCalls(Protocol):
    """Measures calls; must not fail."""

    def began(self, origin: CallOrigin) -> EndsCall:
        """What is to be given the record of the call, and its answer if it has one, at its end."""


@dataclass(slots=True, kw_only=True)
class ToolCaller:
    """Calls tools of the snapshot that is current when the call begins."""

    snapshot: Callable[[], Snapshot]
    sources: QuerySources
    recorder: TakesCalls
    keeper: ArgumentsKeeper
    gate: LimitGate
    breakers: Breakers
    # None where nobody measures.
    watch: WatchesCalls | None = None
    running: int = field(default=0, init=False)

    async def call(
        self,
        caller: Caller,
        name: str,
        arguments: Mapping[str, object],
        origin: CallOrigin = NOWHERE,
    ) -> Answer:
        """The tool's answer. Raises ToolboxError with a text that the agent may read; records every end.

        A call of a forwarding tool is a call of the tool that it names, and recorded as that alone; so is
        one by an old name, whose answer says what is called now.
        """
        snapshot, began = self.snapshot(), time.perf_counter()
        record = self._begin_record(caller, name, origin, snapshot.revision)
        target = _Target(name, arguments)
        self.running += 1
        end_watch, answer = self.watch.began(origin) if self.watch else None, None
        try:
            target.find(snapshot, caller, record)
            answer = await self._run(caller, target)
            record.row_count, record.truncated = answer.row_count, answer.truncated
            if isinstance(answer, RefusedAnswer):
                self._note_end(record, answer.error, target)
            return answer
        except BaseException as error:
            self._note_end(record, error, target)
            raise
        finally:
            self.running -= 1
            record.duration_ms = (time.perf_counter() - began) * 1_000
            record.arguments = self.keeper.encode(target.arguments, target.tool)
            if end_watch is not None:
                end_watch(record, answer)
            self.recorder.add(record)
            _log_call(record)

    def limits_of(self, caller: Caller, name: str) -> tuple[FoundLimit, ...]:
        """The limits of such a call; without any it waits for nobody before it runs."""
        return self.gate.concerning(caller.facts.owner, caller.key_id, name)

    async def _run(self, caller: Caller, target: "_Target") -> Answer:
        """The answer of a call that neither a limit nor the tool's breaker refuses."""
        tool = target.tool
        assert tool is not None  # noqa: S101 - narrows
        given, queue_name = (tool, target.arguments, caller.facts, self.sources), caller.queue_name
        limits = self.limits_of(caller, target.name)
        with self.breakers.enter(tool):
            if limits:
                run = partial(run_tool, *given, caller=queue_name)
                answer = await run_within_limits(self.gate, limits, run)
            else:
                answer = await run_tool(*given, caller=queue_name)
        return with_notices(answer, target.old_names) if target.old_names else answer

    def _begin_record(self, caller: Caller, name: str, origin: CallOrigin, revision: int) -> Call:
        return Call(
            at=time.time(),
            tool_name=shorten_text(name),
            key_id=caller.key_id,
            caller=caller.name,
            revision=revision,
            request_id=REQUEST_ID.get(),
            client_name=origin.client_name,
            client_version=origin.client_version,
            protocol=origin.protocol,
            session=origin.session,
            address=origin.address,
            endpoint=caller.facts.toolset,
            trace_id=origin.trace_id,
        )

    def _note_end(self, record: Call, error: BaseException, target: "_Target") -> None:
        outcome = next((found for kind, found in _OUTCOMES if isinstance(error, kind)), None)
        if outcome is None:
            logger.error("a call failed inside the server", exc_info=error)
            record.outcome, record.error = Outcome.INTERNAL_ERROR, type(error).__name__
            return
        text = str(error)
        record.outcome = outcome
        record.error = shorten_text(self.keeper.clean(text, target.arguments, target.tool))
        # Where all of the text can be stored, its values can be too.
        if isinstance(error, ToolboxError) and record.error == text:
            record.error_message = to_columns("error", error.message)["error_message"]


class _Target(Struct):
    """What a call is for: a tool, None until it is found, by its name, and the arguments."""

    name: str
    arguments: Mapping[str, object]
    tool: ServedTool | None = None
    old_names: Sequence[OldName] = ()

    def find(self, snapshot: Snapshot, caller: Caller, record: Call) -> None:
        """Find the tool that is meant, and what is called otherwise now. Raises UnknownToolError."""
        self.tool = _find_tool(snapshot, caller, self.name)
        if isinstance(self.tool, ForwardingTool):
            self.name, self.arguments = self.tool.read_target(self.arguments)
            record.tool_name, self.tool = shorten_text(self.name), None
            self.tool = _find_tool(snapshot, caller, self.name)
        if isinstance(self.tool, CompiledTool):
            record.tool_version = self.tool.spec.version or None
            if snapshot.old_names is not NO_OLD_NAMES:
                self._use_new_names(snapshot.old_names, self.tool.spec.name, record)

    def _use_new_names(self, names: OldNames, new_name: str, record: Call) -> None:
        if self.name != new_name:
            self.old_names, record.called_as = [names.tools[self.name]], self.name
            self.name = record.tool_name = new_name
        self.arguments, renamed = names.rename_arguments(new_name, self.arguments, record.at)
        if renamed:
            self.old_names = [*self.old_names, *renamed]
            texts = (record.called_as, *(f":{name.old}" for name in renamed))
            record.called_as = " ".join(filter(None, texts))


def _log_call(call: Call) -> None:
    if not logger.isEnabledFor(logging.INFO):
        return
    # The name of an unknown tool is the client's text, which must not look like a field or a line.
    name = call.tool_name if _PLAIN_NAME.fullmatch(call.tool_name) else ascii(call.tool_name)
    rows = "-" if call.row_count is None else call.row_count
    logger.info(
        "call tool=%s key=%s outcome=%s ms=%.1f rows=%s",
        *(name, call.key_id or "-", call.outcome, call.duration_ms, rows),
        extra={
            "tool": call.tool_name,
            "key_id": call.key_id,
            "outcome": call.outcome,
            "duration_ms": round(call.duration_ms, 1),
            "rows": call.row_count,
        },
    )


def _find_tool(snapshot: Snapshot, caller: Caller, name: str) -> ServedTool:
    """The tool. Raises UnknownToolError if the caller may not see it, naming similar ones."""
    tool = snapshot.find_answering(name)
    if tool is not None and snapshot.is_seen(caller.facts, tool.spec.name):
        return tool
    shown = repr(name[:64])
    ended = snapshot.old_names.tools.get(name)
    if ended and snapshot.find(ended.new) and snapshot.is_seen(caller.facts, ended.new):
        raise UnknownToolError(
            message(
                "tool.renamed",
                "Unknown tool: {name}; it is called {new} now",
                name=shown,
                new=ended.new,
            )
        )
    seen = snapshot.names_for(caller.facts)
    visible = [known for known, _ in snapshot.all_tools() if seen is None or known in seen]
    if near := difflib.get_close_matches(name[:64], visible[:5_000], n=3):
        raise UnknownToolError(
            message(
                "tool.unknown_near",
                "Unknown tool: {name}; did you mean {near}?",
                name=shown,
                near=", ".join(near),
            )
        )
    raise UnknownToolError(message("tool.unknown", "Unknown tool: {name}", name=shown))
