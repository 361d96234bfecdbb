"""Lets data sources parse statements before agents meet them, without holding up other tools."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress

from core.errors import DefinitionError, ToolboxError
from core.execution import CompiledTool, QuerySources
from core.messages import Message
from tools.running import check_tools


class StatementJudge:
    """Asks for one tool after another; `waiting` are those without an answer yet, by tool id."""

    def __init__(self, sources: QuerySources) -> None:
        self._sources = sources
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

        def note(tool: CompiledTool, error: ToolboxError | None) -> None:
            if isinstance(error, DefinitionError):
                refused[tool.spec.id] = error.message
            elif error is not None:
                return
            if self.waiting.get(tool.spec.id) is tool:
                del self.waiting[tool.spec.id]

        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await check_tools(asked, self._sources, note)
        return refused

    def forget_all_but(self, tools: Iterable[CompiledTool]) -> None:
        """No longer wait for tools that were replaced meanwhile."""
        self.waiting = {tool.spec.id: tool for tool in tools}
