"""Keeps the stored uses of tables equal to what the tools' statements say."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field

from asgiref.sync import async_to_sync
from django.db import IntegrityError, connection, transaction

from catalog.models import CatalogColumn, CatalogTable, DataSource
from catalog.sources.settings import read_sources
from core.catalogue.entries import TableName
from core.errors import DataSourceUnavailableError, DefinitionError, ToolboxError
from core.statement import CompiledStatement, compile_statement
from core.statements.names import QueryBlock, find_used_names
from core.statements.uses import KnownTable, TableNames, find_read_tables, find_uses
from core.toolspec import Dialect, ParameterType, SqlLogic, ToolSpec
from gateways.engine import DatabaseSettings, Reads
from gateways.engines import (
    ENGINES,
    engine_of,
    find_engine,
    open_source,
)
from tools.models import ToolDefinition, ToolUse, ToolUseState
from tools.specs import build_spec

logger = logging.getLogger(__name__)

BATCH_SIZE = 500
_LOCK = 0x7001_05E5

# What a tool's uses depend on: its statement, the data source, and what scans found there. A JSON
# definition may name any data source.
_STALE = r"""
WITH sources AS (
    SELECT source.id,
        concat_ws(' ', source.name, source.engine, source.search_path, state.revision) AS version
    FROM h_data_source source
    FULL JOIN h_catalog_schema_state state ON state.source_id = source.id
), current AS (
    SELECT tool.id, md5(concat_ws(' ', tool.tool_type, sources.id, sources.version,
        CASE WHEN tool.definition ~ '^\s*{' THEN
            (SELECT string_agg(version, ' ' ORDER BY version) FROM sources)
        END, tool.definition)) AS fingerprint
    FROM h_custom_tool tool
    LEFT JOIN sources ON coalesce(sources.id, 0) = coalesce(tool.data_source_id, 0)
)
SELECT current.id, current.fingerprint FROM current
LEFT JOIN h_custom_tool_use_state known ON known.tool_id = current.id
WHERE known.fingerprint IS DISTINCT FROM current.fingerprint
"""

# Thousands of rows in one go: ten times as fast as one by one.
_INSERT = """
INSERT INTO h_custom_tool_use (tool_id, table_id, column_id)
SELECT * FROM unnest(%s::int[], %s::bigint[], %s::bigint[])
"""

# Ids of a tool, a table, and a column of it.
_Use = tuple[int, int, int | None]
# Columns that the catalogue does not know, as they are stored.
_Unknown = list[dict[str, object]]


@dataclass(frozen=True, slots=True)
class _Statement:
    """A tool's statement; `list_names` are those of its parameters that are lists."""

    tool_id: int
    text: str
    list_names: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Source:
    """What names in a statement mean on a data source."""

    id: int | None
    name: str | None
    dialect: Dialect
    search_path: tuple[str, ...]


@dataclass(slots=True)
class _Tables:
    """Tables of a data source, and the ids of their rows."""

    known: dict[TableName, KnownTable] = field(default_factory=dict)
    table_ids: dict[TableName, int] = field(default_factory=dict)
    column_ids: dict[tuple[TableName, str], int] = field(default_factory=dict)


def refresh_uses() -> int:
    """Read the statements of tools that changed, or whose tables did; how many there were.

    Where nothing changed it is one query. Any program may write tools: their rows are compared.
    """
    if not _find_stale():
        return 0
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
            # Another process may have done it while this one waited.
            stale = _find_stale()
            sources = _read_named_sources()
            ids = sorted(stale)
            for start in range(0, len(ids), BATCH_SIZE):
                batch = ids[start : start + BATCH_SIZE]
                _refresh_tools({id_: stale[id_] for id_ in batch}, sources)
            return len(stale)
    except IntegrityError:
        # A tool or table was deleted meanwhile; the next call sees the rows as they are then.
        logger.info("uses of tables are refreshed later: a row was deleted meanwhile")
        return 0


def find_tables(spec: ToolSpec) -> list[CatalogTable]:
    """Tables that the statement of a tool names, by name, whether the tool is stored or not."""
    found = CatalogTable.objects.filter(pk__in={table_id for table_id, _column in find_used(spec)})
    return list(found.order_by("schema", "name"))


def find_used(spec: ToolSpec) -> set[tuple[int, int | None]]:
    """Ids of tables and their columns that the statement of a tool uses, whether the tool is stored or not."""
    if not isinstance(spec.logic, SqlLogic):
        return set()
    source = _read_named_sources().get(spec.logic.data_source)
    if source is None:
        return set()
    lists = frozenset(parameter.name for parameter in spec.parameters if parameter.type.is_list)
    statement = _Statement(spec.id, spec.logic.statement, lists)
    [(_tool_id, used, _unknown)] = _find_uses(source, [statement])
    return {(table_id, column_id) for _tool, table_id, column_id in used}


def _read_named_sources() -> dict[str | None, _Source]:
    sources: dict[str | None, _Source] = {}
    sources[None] = _Source(None, None, Dialect.POSTGRESQL, ("public",))
    rows = DataSource.objects.filter(engine__in=ENGINES)
    for row in rows.only("id", "name", "engine", "search_path"):
        path = tuple(name.strip().strip('"') for name in row.search_path.split(","))
        sources[row.name] = _Source(row.pk, row.name, find_engine(row.engine).dialect, path)
    return sources


def _find_stale() -> dict[int, str]:
    """By tool id the fingerprints that are not the stored ones."""
    with connection.cursor() as cursor:
        cursor.execute(_STALE)
        return dict(cursor.fetchall())


def _refresh_tools(fingerprints: Mapping[int, str], sources: Mapping[str | None, _Source]) -> None:
    dialects = {name: source.dialect for name, source in sources.items()}
    by_source: dict[_Source, list[_Statement]] = defaultdict(list)
    list_types = {kind.value for kind in ParameterType if kind.is_list}
    tools = ToolDefinition.objects.filter(id__in=fingerprints).select_related("data_source")
    for tool in tools.prefetch_related("parameters"):
        with suppress(DefinitionError):
            logic = build_spec(tool, (), dialects).logic
            if isinstance(logic, SqlLogic) and (source := sources.get(logic.data_source)):
                rows = tool.parameters.all()
                lists = (
                    row.param_name for row in rows if row.param_type.strip().upper() in list_types
                )
                statement = _Statement(tool.pk, logic.statement, frozenset(lists))
                by_source[source].append(statement)
    uses: set[_Use] = set()
    unknown: dict[int, _Unknown] = {}
    for source, statements in by_source.items():
        for tool_id, used, unknown_columns in _find_uses(source, statements):
            uses |= used
            unknown[tool_id] = unknown_columns
    _write_uses(fingerprints.keys(), uses)
    ToolUseState.objects.bulk_create(
        [
            ToolUseState(
                tool_id=tool_id, fingerprint=fingerprint, unknown_columns=unknown.get(tool_id, [])
            )
            for tool_id, fingerprint in fingerprints.items()
        ],
        update_conflicts=True,
        unique_fields=["tool"],
        update_fields=["fingerprint", "unknown_columns"],
    )


def _find_uses(
    source: _Source, statements: Sequence[_Statement]
) -> Iterator[tuple[int, set[_Use], _Unknown]]:
    """Of each tool its id, what its statement uses, and columns that are not there."""
    blocks = {
        statement.tool_id: find_used_names(statement.text, source.dialect)
        for statement in statements
    }
    tables = _read_tables(source, [block for found in blocks.values() for block in found])
    names = TableNames(tables.known, source.dialect, source.search_path)
    exact = _read_exactly(source, statements)
    for tool_id, mentioned in blocks.items():
        reads = exact.get(tool_id)
        uses = find_uses(mentioned, names) if reads is None else find_read_tables(reads, names)
        used: set[_Use] = set()
        for table, columns in uses.columns.items():
            ids: list[int | None] = [tables.column_ids[table, column] for column in columns]
            used |= {(tool_id, tables.table_ids[table], id_) for id_ in ids or [None]}
        unknown: _Unknown = [
            {"table_id": tables.table_ids[table], "column": column}
            for table, columns in uses.unknown.items()
            for column in sorted(columns)
        ]
        yield tool_id, used, unknown


def _read_tables(source: _Source, blocks: Iterable[QueryBlock]) -> _Tables:
    """The tables that are named; all where their names mean the same in any case."""
    rows = CatalogTable.objects.filter(source_id=source.id)
    if not ENGINES[source.dialect].folds_names:
        rows = rows.filter(
            name__in={mention.path[-1] for block in blocks for mention in block.tables}
        )
    listed = list(rows.values_list("id", "schema", "name", "gone_at"))
    # By table the ids of its columns by name: those that are there, and those that are gone.
    columns: dict[int, tuple[dict[str, int], dict[str, int]]] = defaultdict(lambda: ({}, {}))
    found = CatalogColumn.objects.filter(table_id__in=[id_ for id_, *_ in listed]).order_by()
    for id_, table_id, name, gone_at in found.values_list("id", "table_id", "name", "gone_at"):
        columns[table_id][gone_at is not None][name] = id_
    tables = _Tables()
    for id_, schema, name, gone_at in listed:
        table = TableName(schema, name)
        present, gone = columns[id_]
        tables.known[table] = KnownTable(present.keys(), gone.keys(), gone_at is not None)
        tables.table_ids[table] = id_
        for column, column_id in (present | gone).items():
            tables.column_ids[table, column] = column_id
    return tables


def _read_exactly(source: _Source, statements: Sequence[_Statement]) -> dict[int, Reads]:
    """By tool what its database itself says is read, below views too.

    Left out are tools that it refuses, and all of them where it cannot tell or be asked.
    """
    if ENGINES[source.dialect].find_reads is None:
        return {}
    compiled: dict[int, CompiledStatement] = {}
    for statement in statements:
        with suppress(DefinitionError):
            compiled[statement.tool_id] = compile_statement(
                statement.text, dialect=source.dialect, list_names=statement.list_names
            )
    settings = read_sources().usable.get(source.name) if compiled else None
    return async_to_sync(_ask_for_reads)(settings, compiled) if settings else {}


async def _ask_for_reads(
    settings: DatabaseSettings, compiled: Mapping[int, CompiledStatement]
) -> dict[int, Reads]:
    found: dict[int, Reads] = {}
    if (find_reads := engine_of(settings).find_reads) is None:
        return found
    source = open_source(settings)
    try:
        for tool_id, statement in compiled.items():
            try:
                found[tool_id] = await find_reads(source, statement)
            except DataSourceUnavailableError:
                break
            except ToolboxError:
                continue
    finally:
        await source.close()
    return found


def _write_uses(tool_ids: Set[int], uses: Set[_Use]) -> None:
    """Make the rows of these tools equal to `uses`; most stay as they are."""
    rows = ToolUse.objects.filter(tool_id__in=tool_ids)
    stored = {
        (tool_id, table_id, column_id): id_
        for id_, tool_id, table_id, column_id in rows.values_list(
            "id", "tool_id", "table_id", "column_id"
        )
    }
    ToolUse.objects.filter(pk__in=[stored[use] for use in stored.keys() - uses]).delete()
    if new := sorted(uses - stored.keys(), key=str):
        with connection.cursor() as cursor:
            cursor.execute(_INSERT, [list(ids) for ids in zip(*new, strict=True)])
