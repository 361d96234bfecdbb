"""What statements read, by the database itself where its engine can tell: exact, below views too."""

from collections.abc import Iterable

from asgiref.sync import async_to_sync

from core.errors import DataSourceUnavailableError, DefinitionError, ToolboxError
from core.statement import CompiledStatement, compile_statement
from core.toolspec import ParameterType, SqlLogic
from gateways.engine import Reads
from gateways.engines import ENGINES, DatabaseSettings, engine_of, open_source
from tools.models import ToolDefinition


def compile_for_reads(tool: ToolDefinition, logic: SqlLogic) -> CompiledStatement | None:
    """The statement with all its optional clauses; None where it is none, or its engine cannot tell."""
    if ENGINES[logic.dialect].find_reads is None:
        return None
    rows = tool.parameters.all()
    list_types = {kind.value for kind in ParameterType if kind.is_list}
    lists = [row.param_name for row in rows if row.param_type.strip().upper() in list_types]
    try:
        return compile_statement(logic.statement, dialect=logic.dialect, list_names=lists)
    except DefinitionError:
        return None


def read_exactly(
    settings: DatabaseSettings, statements: Iterable[tuple[int, CompiledStatement]]
) -> dict[int, Reads]:
    """By tool what its statement reads, without tools that the database refuses or cannot tell of."""
    return async_to_sync(_read)(settings, list(statements))


async def _read(
    settings: DatabaseSettings, statements: list[tuple[int, CompiledStatement]]
) -> dict[int, Reads]:
    found: dict[int, Reads] = {}
    if (find_reads := engine_of(settings).find_reads) is None:
        return found
    source = open_source(settings)
    try:
        for tool_id, statement in statements:
            try:
                found[tool_id] = await find_reads(source, statement)
            except DataSourceUnavailableError:
                break
            except ToolboxError:
                continue
    finally:
        await source.close()
    return found
