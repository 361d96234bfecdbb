"""Whether a tool could be served, judged by the same code, database and sandbox as serving."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from asgiref.sync import async_to_sync

from catalog.sources import SourceSettings, open_service
from core.execution import CompiledTool, QuerySources, ScriptRunner
from core.toolspec import ExpressionLogic, ScriptLogic, ToolSpec
from gateways.http.service import HttpSource
from gateways.scripts.workers import ScriptWorkers, ScriptWorkerSettings
from gateways.sources import OpenedSource, open_source
from tools.registry import require_source


def check_tool(spec: ToolSpec, sources: SourceSettings, author: str) -> None:
    """Raise DefinitionError when a tool of that user cannot be served.

    Raises DataSourceError when its database is away.
    """
    tool = CompiledTool(spec)
    require_source(spec, sources, author)
    if not isinstance(spec.logic, ExpressionLogic):
        async_to_sync(_check_outside)(tool, sources)


async def _check_outside(tool: CompiledTool, read: SourceSettings) -> None:
    async with open_resources(tool, read) as (sources, scripts):
        await tool.check(sources, scripts)


@asynccontextmanager
async def open_resources(
    tool: CompiledTool, read: SourceSettings
) -> AsyncIterator[tuple[QuerySources, ScriptRunner]]:
    """What one check or one run of the tool needs; closed at the end."""
    sources, scripts = _ShortLivedSources(read), ScriptWorkers(ScriptWorkerSettings(size=1))
    try:
        if isinstance(tool.spec.logic, ScriptLogic):
            await scripts.start()
        yield sources, scripts
    finally:
        await sources.close()
        await scripts.close()


class _ShortLivedSources:
    """Opens the source that one check asks for, and closes it after."""

    def __init__(self, read: SourceSettings) -> None:
        self._read = read
        self._opened: list[OpenedSource | HttpSource] = []

    def get(self, name: str | None) -> OpenedSource:
        source = open_source(self._read.usable[name])
        self._opened.append(source)
        return source

    def service(self, name: str | None) -> HttpSource:
        service = open_service(self._read, name)
        self._opened.append(service)
        return service

    async def close(self) -> None:
        for source in self._opened:
            await source.close()
