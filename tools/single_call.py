"""One call of a tool outside the server: the same validation, caps and role, nothing kept open."""

import asyncio
from collections.abc import Mapping

from asgiref.sync import async_to_sync

from catalog.sources import SourceSettings
from core.bindings import NOBODY, CallerFacts
from core.errors import DeadlineExceededError
from core.execution import CompiledTool
from core.messages import message
from core.results import Answer
from core.toolspec import ToolSpec
from tools.checking import open_resources

# Whoever runs the query or the script speaks first of its limit.
DEADLINE_MARGIN_S = 2.0


def call_once(
    spec: ToolSpec,
    arguments: Mapping[str, object],
    sources: SourceSettings,
    facts: CallerFacts = NOBODY,
) -> Answer:
    """The answer that an agent would get. Raises ToolboxError with the text that it would be told."""
    tool = CompiledTool(spec)
    values = tool.validate(arguments, facts)
    return async_to_sync(_run)(tool, values, sources)


async def _run(tool: CompiledTool, values: Mapping[str, object], read: SourceSettings) -> Answer:
    limit_ms = tool.spec.timeout_ms
    async with open_resources(tool, read) as (sources, scripts):
        try:
            async with asyncio.timeout(limit_ms / 1_000 + DEADLINE_MARGIN_S):
                return await tool.run(values, sources, scripts)
        except TimeoutError:
            text = message(
                "tool.stopped_at_limit",
                "{name} was stopped after its limit of {limit} ms",
                name=tool.spec.name,
                limit=str(limit_ms),
            )
            raise DeadlineExceededError(text) from None
