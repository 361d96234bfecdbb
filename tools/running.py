"""The one run of a tool: an agent's call, a trial in the editor and the command line are thin shells around it."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from catalog.sources.settings import SourceSettings, require_usable
from core.bindings import NOBODY, CallerFacts
from core.errors import DataSourceError, DeadlineExceededError, DefinitionError, ToolboxError
from core.execution import CompiledTool, QuerySources
from core.messages import message
from core.results import Answer
from core.toolspec import ExpressionLogic, ToolSpec
from tools.source_loop import shared_loop

# The data source ends a query at the tool's own limit; this is for everything around it.
DEADLINE_MARGIN_S = 2.0
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
        self, values: Mapping[str, object], sources: QuerySources, caller: str = ""
    ) -> Answer: ...


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
    try:
        async with asyncio.timeout(spec.timeout_ms / 1_000 + DEADLINE_MARGIN_S):
            return await tool.run(values, sources, caller)
    except TimeoutError:
        raise DeadlineExceededError(
            message(
                "tool.stopped_at_limit",
                "{name} was stopped after its limit of {limit} ms",
                name=spec.name,
                limit=str(spec.timeout_ms),
            )
        ) from None


def run_here(
    spec: ToolSpec,
    arguments: Mapping[str, object],
    read: SourceSettings,
    facts: CallerFacts = NOBODY,
    *,
    caller: str = "",
    key: str = "",
) -> Answer:
    """As `run_tool`, outside of the server; under `key` the run can be stopped."""
    tool = CompiledTool(spec)
    return shared_loop().run(
        lambda sources: run_tool(tool, arguments, facts, sources, caller=caller),
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
