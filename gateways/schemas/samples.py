"""The SQL that reads the first rows of a table, masked columns left in the database."""

from collections.abc import Collection
from dataclasses import dataclass

from core.catalogue.entries import ColumnShape, TableKind, TableShape
from core.catalogue.masking import MASK
from core.toolspec import Dialect
from gateways.schemas.limits import SAMPLE_COLUMN_LIMIT

_ALIAS = "toolbuilder_sampled"
_STORED = frozenset({TableKind.TABLE, TableKind.MATERIALIZED_VIEW})


@dataclass(frozen=True, slots=True)
class SampleStatement:
    """SQL and the columns that it gives; of a table without columns, one that means nothing."""

    dialect: Dialect
    sql: str
    columns: tuple[str, ...]
    row_limit: int


def sample_statement(
    table: TableShape, masked: Collection[str], row_limit: int, dialect: Dialect
) -> SampleStatement:
    """A query for the first rows, with MASK for what the `masked` columns hold."""
    # Alone, the name of a column that is gone is a text to SQLite; behind a dot, any name may be that
    # of a function to PostgreSQL, and its guard refuses some.
    prefix = f"{_ALIAS}." if dialect is Dialect.SQLITE else ""
    columns = tuple(column.name for column in table.columns[:SAMPLE_COLUMN_LIMIT])
    cells = ", ".join(_cell(column, prefix, column in masked) for column in columns) or "1"
    name = ".".join(quote(part) for part in (table.name.schema, table.name.name) if part)
    order = _order(table, prefix, masked)
    # The names are quoted, so nothing in them is read as SQL.
    sql = f"SELECT {cells} FROM {name} AS {_ALIAS}{order} LIMIT {row_limit:d}"  # noqa: S608
    return SampleStatement(dialect, sql, columns, row_limit)


def quote(name: str) -> str:
    """The name as an identifier, exactly, in SQL of either dialect."""
    return '"' + name.replace('"', '""') + '"'


def _cell(name: str, prefix: str, is_masked: bool) -> str:
    quoted = quote(name)
    if not is_masked:
        return f"{prefix}{quoted}"
    return f"CASE WHEN {prefix}{quoted} IS NOT NULL THEN '{MASK}' END AS {quoted}"


def _order(table: TableShape, prefix: str, masked: Collection[str]) -> str:
    """By the primary key where an index surely gives that order at once.

    The columns of a longer key may be indexed in another order than they stand in the table; and
    masked values have none.
    """
    keys = _keys(table.columns)
    if table.kind not in _STORED or len(keys) != 1 or keys[0] in masked:
        return ""
    return f" ORDER BY {prefix}{quote(keys[0])}"


def _keys(columns: tuple[ColumnShape, ...]) -> list[str]:
    return [column.name for column in columns if column.is_primary_key]
