"""What statements on an SQLite file read, by SQLite itself: exact, and below views too."""

from collections.abc import Iterable

from asgiref.sync import async_to_sync

from core.errors import DataSourceUnavailableError, DefinitionError, ToolboxError
from core.statement import CompiledStatement, compile_statement
from core.toolspec import Dialect, ParameterType, SqlLogic
from gateways.sqlite.settings import SqliteSettings
from gateways.sqlite.source import SqliteSource
from tools.models import ToolDefinition

# Pairs of a table and a column, '' where no column of it is named.
Reads = frozenset[tuple[str, str]]


def compile_for_reads(tool: ToolDefinition, logic: SqlLogic) -> CompiledStatement | None:
    """The statement with all its optional clauses; None where it is none, or not SQLite's."""
    if logic.dialect is not Dialect.SQLITE:
        return None
    rows = tool.parameters.all()
    list_types = {kind.value for kind in ParameterType if kind.is_list}
    lists = [row.param_name for row in rows if row.param_type.strip().upper() in list_types]
    try:
        return compile_statement(logic.statement, dialect=logic.dialect, list_names=lists)
    except DefinitionError:
        return None


def read_exactly(
    settings: SqliteSettings, statements: Iterable[tuple[int, CompiledStatement]]
) -> dict[int, Reads]:
    """By tool what its statement reads; tools that SQLite refuses are left out, or all without a file."""
    return async_to_sync(_read)(settings, list(statements))


async def _read(
    settings: SqliteSettings, statements: list[tuple[int, CompiledStatement]]
) -> dict[int, Reads]:
    found: dict[int, Reads] = {}
    async with SqliteSource(settings) as source:
        for tool_id, statement in statements:
            try:
                found[tool_id] = await source.describe_reads(statement)
            except DataSourceUnavailableError:
                break
            except ToolboxError:
                continue
    return found
