"""Keeps the stored uses of tables equal to what the tools' statements say."""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field

from django.db import IntegrityError, connection, transaction

from catalog.models import CatalogColumn, CatalogTable, DataSource
from catalog.sources.settings import read_sources
from core.catalogue.entries import TableName
from core.errors import DefinitionError
from core.statement import CompiledStatement
from core.statements.names import QueryBlock, find_used_names
from core.statements.uses import KnownTable, TableNames, Uses, find_read_tables, find_uses
from core.toolspec import Dialect, SqlLogic
from gateways.engine import Reads
from gateways.engines import ENGINES
from tools.models import ToolDefinition, ToolUse, ToolUseState
from tools.specs import build_spec
from tools.uses.exact_reads import compile_for_reads, read_exactly

logger = logging.getLogger(__name__)

TOOLS_TOGETHER = 500
_LOCK = 0x7001_05E5
_DEFAULT_SEARCH_PATH = "public"

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


@dataclass(frozen=True, slots=True)
class _Source:
    """What names in a statement mean on a data source."""

    id: int | None
    name: str | None
    dialect: Dialect
    search_path: tuple[str, ...]


@dataclass(slots=True)
class _Statement:
    """A tool's statement: the names in it, and of an SQLite one what to ask the file about."""

    tool_id: int
    blocks: list[QueryBlock]
    compiled: CompiledStatement | None


@dataclass(slots=True)
class _Tables:
    """Tables of a data source, and the ids of their rows."""

    known: dict[TableName, KnownTable] = field(default_factory=dict)
    table_ids: dict[TableName, int] = field(default_factory=dict)
    column_ids: dict[tuple[TableName, str], int] = field(default_factory=dict)


def refresh_uses() -> int:
    """Read the statements of tools that changed, or whose tables did; how many there were.

    Where nothing changed it is one query. Whoever wrote the tools: their rows are compared.
    """
    if not _find_stale():
        return 0
    try:
        with transaction.atomic():
            return _refresh()
    except IntegrityError:
        # A tool or table was deleted meanwhile; the next call sees the rows as they are then.
        logger.info("uses of tables are refreshed later: a row was deleted meanwhile")
        return 0


def _refresh() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
    # Another process may have done it while this one waited.
    stale = _find_stale()
    ids, sources = sorted(stale), _read_sources()
    for start in range(0, len(ids), TOOLS_TOGETHER):
        together = {id_: stale[id_] for id_ in ids[start : start + TOOLS_TOGETHER]}
        _refresh_tools(together, sources)
    return len(stale)


def _find_stale() -> dict[int, str]:
    """By tool id the fingerprints that are not the stored ones."""
    with connection.cursor() as cursor:
        cursor.execute(_STALE)
        return dict(cursor.fetchall())


def _read_sources() -> dict[str | None, _Source]:
    sources: dict[str | None, _Source] = {}
    sources[None] = _Source(None, None, Dialect.POSTGRESQL, (_DEFAULT_SEARCH_PATH,))
    rows = DataSource.objects.filter(engine__in=list(Dialect))
    for row in rows.only("id", "name", "engine", "search_path"):
        sources[row.name] = _Source(
            row.pk, row.name, Dialect(row.engine), _split_names(row.search_path)
        )
    return sources


def _split_names(search_path: str) -> tuple[str, ...]:
    return tuple(name.strip().strip('"') for name in search_path.split(","))


def _refresh_tools(fingerprints: Mapping[int, str], sources: Mapping[str | None, _Source]) -> None:
    tools = ToolDefinition.objects.filter(id__in=fingerprints).select_related("data_source")
    tools = tools.prefetch_related("parameters")
    by_source = _read_statements(tools, sources)
    uses: set[_Use] = set()
    unknown: dict[int, list[dict[str, object]]] = {}
    for source, statements in by_source.items():
        tables = _read_tables(source, [block for one in statements for block in one.blocks])
        for one, found in _find_uses(source, statements, tables):
            uses.update(_make_rows(one.tool_id, found, tables))
            unknown[one.tool_id] = _tell_unknown(found, tables)
    _write_uses(fingerprints, uses)
    _write_states(fingerprints, unknown)


def _read_statements(
    tools: Iterable[ToolDefinition], sources: Mapping[str | None, _Source]
) -> dict[_Source, list[_Statement]]:
    dialects = {name: source.dialect for name, source in sources.items()}
    found: dict[_Source, list[_Statement]] = defaultdict(list)
    for tool in tools:
        try:
            logic = build_spec(tool, (), dialects).logic
        except DefinitionError:
            continue
        if isinstance(logic, SqlLogic) and (source := sources.get(logic.data_source)):
            blocks = find_used_names(logic.statement, source.dialect)
            compiled = compile_for_reads(tool, logic)
            found[source].append(_Statement(tool.pk, blocks, compiled))
    return found


def _read_tables(source: _Source, blocks: Iterable[QueryBlock]) -> _Tables:
    """The tables that are named; all where their names mean the same in any case."""
    rows = CatalogTable.objects.filter(source_id=source.id)
    if not ENGINES[source.dialect].folds_names:
        rows = rows.filter(
            name__in={mention.path[-1] for block in blocks for mention in block.tables}
        )
    tables = _Tables()
    listed = list(rows.values_list("id", "schema", "name", "gone_at"))
    columns = _read_columns([id_ for id_, *_ in listed])
    for id_, schema, name, gone_at in listed:
        table = TableName(schema, name)
        present, gone = columns[id_]
        tables.known[table] = KnownTable(present.keys(), gone.keys(), gone_at is not None)
        tables.table_ids[table] = id_
        for column, column_id in (present | gone).items():
            tables.column_ids[table, column] = column_id
    return tables


def _find_uses(
    source: _Source, statements: Iterable[_Statement], tables: _Tables
) -> Iterator[tuple[_Statement, Uses]]:
    names = TableNames(tables.known, source.dialect, source.search_path)
    exact = _read_exactly(source, statements)
    for one in statements:
        if (reads := exact.get(one.tool_id)) is None:
            yield one, find_uses(one.blocks, names)
        else:
            yield one, find_read_tables(reads, names)


def _read_exactly(source: _Source, statements: Iterable[_Statement]) -> Mapping[int, Reads]:
    """Nothing where the file cannot be asked: then the text alone tells."""
    compiled = [(one.tool_id, one.compiled) for one in statements if one.compiled]
    settings = read_sources().usable.get(source.name) if compiled else None
    return read_exactly(settings, compiled) if settings else {}


def _read_columns(
    table_ids: Collection[int],
) -> dict[int, tuple[dict[str, int], dict[str, int]]]:
    """By table the ids of its columns by name: those that are there, and those that are gone."""
    found: dict[int, tuple[dict[str, int], dict[str, int]]] = defaultdict(lambda: ({}, {}))
    rows = CatalogColumn.objects.filter(table_id__in=table_ids).order_by()
    for id_, table_id, name, gone_at in rows.values_list("id", "table_id", "name", "gone_at"):
        found[table_id][gone_at is not None][name] = id_
    return found


def _make_rows(tool_id: int, uses: Uses, tables: _Tables) -> Iterator[_Use]:
    for table, columns in uses.columns.items():
        table_id = tables.table_ids[table]
        if not columns:
            yield tool_id, table_id, None
        for column in columns:
            yield tool_id, table_id, tables.column_ids[table, column]


def _tell_unknown(uses: Uses, tables: _Tables) -> list[dict[str, object]]:
    return [
        {"table_id": tables.table_ids[table], "column": column}
        for table, columns in uses.unknown.items()
        for column in sorted(columns)
    ]


def _write_uses(tool_ids: Collection[int], uses: Set[_Use]) -> None:
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


def _write_states(
    fingerprints: Mapping[int, str], unknown: Mapping[int, list[dict[str, object]]]
) -> None:
    states = [
        ToolUseState(
            tool_id=tool_id, fingerprint=fingerprint, unknown_columns=unknown.get(tool_id, [])
        )
        for tool_id, fingerprint in fingerprints.items()
    ]
    ToolUseState.objects.bulk_create(
        states,
        update_conflicts=True,
        unique_fields=["tool"],
        update_fields=["fingerprint", "unknown_columns"],
    )
