"""Whether a tool could be served, judged by the same code and the same database as serving."""

from asgiref.sync import async_to_sync

from catalog.sources import SourceSettings, read_sources
from core.errors import DefinitionError
from core.execution import CompiledTool
from core.toolspec import ToolSpec
from gateways.postgres import PostgresSource


def check_tool(spec: ToolSpec) -> None:
    """Raise DefinitionError when the tool cannot be served, DataSourceError when its database is away."""
    tool = CompiledTool(spec)
    if tool.statement is not None:
        async_to_sync(_check_statement)(tool, read_sources())


async def _check_statement(tool: CompiledTool, read: SourceSettings) -> None:
    sources = _ShortLivedSources(read)
    try:
        await tool.check(sources)
    finally:
        await sources.close()


class _ShortLivedSources:
    """Opens the source that one check asks for, and closes it after."""

    def __init__(self, read: SourceSettings) -> None:
        self._read = read
        self._opened: list[PostgresSource] = []

    def get(self, name: str | None) -> PostgresSource:
        if name not in self._read.usable:
            reason = self._read.refused.get(name)
            raise DefinitionError(reason or f"there is no data source {name!r}")
        source = PostgresSource(self._read.usable[name])
        self._opened.append(source)
        return source

    async def close(self) -> None:
        for source in self._opened:
            await source.close()
