"""The one run of a tool: an agent's call, a trial in the editor and the command line are thin shells around it."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from functools import partial
from typing import Any, Protocol

from access.limits.gate import LimitGate
from access.limits.models import read_limits
from access.limits.usage import limit_zone
from catalog.sources.settings import SourceSettings, require_usable
from core.bindings import NOBODY, CallerFacts
from core.errors import DataSourceError, DeadlineExceededError, DefinitionError, ToolboxError
from core.execution import CompiledTool, QuerySources
from core.limits import FoundLimit, LimitBook
from core.messages import Message, message
from core.results import Answer
from core.toolspec import ExpressionLogic, ToolSpec
from tools.pictures import add_picture
from tools.source_loop import shared_loop

# The data source ends a query at the tool's own limit; this is for everything around it.
DEADLINE_MARGIN_S = 2.0
# How late a run may be stopped.
SWEEP_INTERVAL_S = 0.1
CHECKED_AT_ONCE = 4
_CHECK_WITHIN_S = 60.0


class _Spec(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def timeout_ms(self) -> int: ...


class RunnableTool(Protocol):
    """A tool of any kind."""

    @property
    def spec(self) -> _Spec: ...

    @property
    def validate(self) -> Callable[[Mapping[str, object], CallerFacts], Mapping[str, object]]: ...

    async def run(
        self,
        values: Mapping[str, object],
        sources: QuerySources,
        caller: str = "",
        facts: CallerFacts = NOBODY,
    ) -> Answer: ...


class RunDeadline:
    """Cancels the task that makes it when its seconds are over, unless lifted before.

    As asyncio.timeout, but one timer sweeps over all deadlines of an event loop: a timer for each
    costs more than a small call.
    """

    __slots__ = ("_at", "_cancelled_before", "_is_over", "_running", "_task")

    def __init__(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task(loop)
        assert task is not None  # noqa: S101 - only tasks can be cancelled
        self._task, self._at, self._is_over = task, loop.time() + seconds, False
        self._cancelled_before = task.cancelling()
        if _sweeper.loop is not loop:
            _sweeper.begin(loop)
        self._running = _sweeper.running
        self._running.add(self)

    @property
    def is_the_reason(self) -> bool:
        """Whether a CancelledError in the task is the deadline's alone."""
        return self._is_over and self._task.cancelling() - 1 <= self._cancelled_before

    def enforce(self, now: float) -> None:
        """Cancel the task, once, if the time is over; `now` is the loop's."""
        if now >= self._at and not self._is_over:
            self._is_over = True
            self._task.cancel()

    def lift(self) -> None:
        """The run has ended, however."""
        self._running.discard(self)
        if self._is_over:
            self._task.uncancel()


class _Sweeper(threading.local):
    """Of each thread: the deadlines of its event loop, while there are any."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self.running: set[RunDeadline] = set()

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Sweep in this loop until nothing runs there."""
        self.loop, self.running = loop, set()
        loop.call_later(SWEEP_INTERVAL_S, self._sweep, loop)

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        for deadline in tuple(self.running):
            deadline.enforce(now)
        if self.running:
            loop.call_later(SWEEP_INTERVAL_S, self._sweep, loop)
        else:
            # An idle loop has no timer.
            self.loop = None


_sweeper = _Sweeper()


async def run_tool(
    tool: RunnableTool,
    arguments: Mapping[str, object],
    facts: CallerFacts,
    sources: QuerySources,
    *,
    caller: str = "",
) -> Answer:
    """The answer. Raises ToolboxError with a text that the agent may read.

    Callers that wait for the same data source take turns by the text `caller`.
    """
    values, spec = tool.validate(arguments, facts), tool.spec
    if isinstance(tool, CompiledTool) and tool.is_immediate:
        return await tool.run(values, sources, caller)
    deadline = RunDeadline(spec.timeout_ms / 1_000 + DEADLINE_MARGIN_S)
    try:
        answer = await tool.run(values, sources, caller, facts)
    except (TimeoutError, asyncio.CancelledError) as error:
        if isinstance(error, asyncio.CancelledError) and not deadline.is_the_reason:
            raise
        raise DeadlineExceededError(
            message(
                "tool.stopped_at_limit",
                "{name} was stopped after its limit of {limit} ms",
                name=spec.name,
                limit=str(spec.timeout_ms),
            )
        ) from None
    finally:
        deadline.lift()
    if isinstance(tool, CompiledTool) and tool.spec.chart is not None:
        return await add_picture(answer, tool.spec.chart)
    return answer


async def run_within_limits(
    gate: LimitGate, limits: Iterable[FoundLimit], run: Callable[[], Awaitable[Answer]]
) -> Answer:
    """The answer of a run that these limits concern. Raises LimitError, and what the run raises."""
    passage = await gate.enter(limits)
    began, answer = time.perf_counter(), None
    try:
        answer = await run()
        return answer
    finally:
        took_s = time.perf_counter() - began
        rows = answer.row_count or 0 if answer else 0
        size = sum(map(len, (*answer.texts, *answer.images))) if answer else 0
        gate.leave(passage, rows, size, took_s)


def run_here(
    spec: ToolSpec,
    arguments: Mapping[str, object],
    read: SourceSettings,
    facts: CallerFacts = NOBODY,
    *,
    caller: str = "",
    key: str = "",
    is_counted: bool = True,
    watch: Callable[[QuerySources], QuerySources] = lambda sources: sources,
) -> Answer:
    """As `run_tool`, outside of the server; under `key` the run can be stopped.

    It is counted as a call of the user `caller`, or of the owner in the facts, unless it is only
    the repetition of one. The run is on what `watch` makes of the sources.
    """
    tool, loop = CompiledTool(spec), shared_loop()
    book = LimitBook(read_limits() if is_counted else (), limit_zone())
    limits = book.concerning(caller or facts.owner, "", spec.name)

    def run(sources: QuerySources) -> Coroutine[Any, Any, Answer]:
        run_once = partial(run_tool, tool, arguments, facts, watch(sources), caller=caller)
        return run_within_limits(loop.gate(book), limits, run_once) if limits else run_once()

    return loop.run(
        run,
        read,
        # The run's own deadline comes first.
        timeout_s=spec.timeout_ms / 1_000 + 2 * DEADLINE_MARGIN_S,
        key=key,
    )


def check_tool(spec: ToolSpec, read: SourceSettings, author: str) -> None:
    """Raise DefinitionError when a tool of that user cannot be served: its database or sandbox is asked.

    Raises DataSourceError when its database is away.
    """
    tool = CompiledTool(spec)
    require_usable(read, spec.logic, author)
    if not isinstance(spec.logic, ExpressionLogic):
        shared_loop().run(tool.check, read, timeout_s=_CHECK_WITHIN_S)


def compile_tools(tools: Iterable[CompiledTool]) -> dict[int, Message]:
    """Make their logic ready; the reasons, by tool id, of those whose logic cannot be compiled."""
    refused: dict[int, Message] = {}
    for tool in tools:
        try:
            tool.compile()
        except DefinitionError as error:
            refused[tool.spec.id] = error.message
    return refused


async def check_tools(
    tools: Iterable[CompiledTool],
    sources: QuerySources,
    note: Callable[[CompiledTool, ToolboxError | None], None],
) -> None:
    """Have each tool's database or sandbox judge it, four at once.

    `note` gets None for a good tool, DefinitionError for a bad one, and DataSourceError or
    DeadlineExceededError where nobody could say.
    """
    queue = iter(tools)

    async def check_queue() -> None:
        for tool in queue:
            try:
                await tool.check(sources)
            except (DataSourceError, DeadlineExceededError, DefinitionError) as error:
                note(tool, error)
            else:
                note(tool, None)

    await asyncio.gather(*(check_queue() for _ in range(CHECKED_AT_ONCE)))
