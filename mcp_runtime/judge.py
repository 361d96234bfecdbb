"""Lets data sources parse statements before agents meet them, without holding up other tools."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import suppress

from core.errors import DataSourceError, DeadlineExceededError, DefinitionError
from core.execution import CompiledTool, QuerySources, ScriptRunner
from core.messages import Message

JUDGED_AT_ONCE = 4


class StatementJudge:
    """Asks for one tool after another; `waiting` are those without an answer yet, by tool id."""

    def __init__(self, sources: QuerySources, scripts: ScriptRunner) -> None:
        self._sources = sources
        self._scripts = scripts
        self.waiting: dict[int, CompiledTool] = {}

    async def judge(
        self, tools: Iterable[CompiledTool], timeout_s: float | None = None
    ) -> dict[int, Message]:
        """Reasons, by tool id, of the tools that their database, or the sandbox of scripts, refuses.

        A tool that is not reached in time, or whose database is away, waits and stays served.
        """
        asked = list(tools)
        self.waiting |= {tool.spec.id: tool for tool in asked}
        refused: dict[int, Message] = {}
        queue = iter(asked)
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await asyncio.gather(
                    *(self._judge_each(queue, refused) for _ in range(JUDGED_AT_ONCE))
                )
        return refused

    def forget_all_but(self, tools: Iterable[CompiledTool]) -> None:
        """No longer wait for tools that were replaced meanwhile."""
        self.waiting = {tool.spec.id: tool for tool in tools}

    async def _judge_each(self, queue: Iterator[CompiledTool], refused: dict[int, Message]) -> None:
        for tool in queue:
            try:
                await tool.check(self._sources, self._scripts)
            except (DataSourceError, DeadlineExceededError):
                continue
            except DefinitionError as error:
                refused[tool.spec.id] = error.message
            if self.waiting.get(tool.spec.id) is tool:
                del self.waiting[tool.spec.id]
