"""What SQLite says of its tables: read in the thread of an open file, where structure may be read."""

import sqlite3
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from core.catalogue.entries import ColumnShape, ForeignKey, TableKind, TableName, TableShape
from core.catalogue.sql_names import quote_exactly
from core.toolspec import Dialect
from gateways.sqlite.errors import blames_statement

_TABLES = """
SELECT name, type, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_master
WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
ORDER BY name COLLATE BINARY"""
# Tables in which the modules of virtual tables keep their own data, by what follows the table's name.
_SHADOW_ENDS = """
_data _idx _content _docsize _config _segments _segdir _stat _node _rowid _parent
"""
_STATISTICS = """
SELECT tbl, max(CAST(stat AS INTEGER)) FROM sqlite_stat1 WHERE stat IS NOT NULL GROUP BY tbl"""
_HIDDEN_OF_VIRTUAL = 1


class _Found(NamedTuple):
    """A row of the schema."""

    name: str
    kind: TableKind


class _Column(NamedTuple):
    """A row of PRAGMA table_xinfo, without its number; `key_position` counts from 1, or is 0."""

    name: str
    type_name: str
    is_not_null: int
    key_position: int

    def numbers_rows(self, key_count: int) -> bool:
        """Whether it is the number of the row, which is never NULL; other keys may be."""
        return self.type_name.lower() == "integer" and key_count == 1 and bool(self.key_position)


class _Reference(NamedTuple):
    """A row of PRAGMA foreign_key_list; `target_column` is None for the primary key."""

    number: int
    position: int
    table: str
    column: str
    target_column: str | None


def list_tables(connection: sqlite3.Connection) -> list[TableName]:
    """Tables and views by name, without those that SQLite and its modules keep for themselves."""
    return [TableName("", found.name) for found in _find_tables(connection)]


def read_tables(connection: sqlite3.Connection, names: Sequence[TableName]) -> list[TableShape]:
    """The shapes of the tables that there are; row estimates only where ANALYZE left one.

    A view that fails has no columns, since SQLite does not know them either.
    """
    structure = _Structure(connection)
    return [
        structure.read(structure.tables[name.name.lower()])
        for name in names
        if name.name.lower() in structure.tables
    ]


class _Structure:
    """The tables of one file, by their names in lower case: SQLite does not tell A from a."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.tables = {found.name.lower(): found for found in _find_tables(connection)}
        self._connection = connection
        self._columns: dict[str, list[_Column]] = {}
        # Row counts by table in lower case, of the time when ANALYZE was last run.
        self._estimates: dict[str, int] = {}
        if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_stat1'").fetchone():
            rows = connection.execute(_STATISTICS).fetchall()
            self._estimates = {table.lower(): count for table, count in rows}

    def read(self, found: _Found) -> TableShape:
        columns = self._read_columns(found.name)
        key_count = sum(1 for column in columns if column.key_position)
        is_view = found.kind is TableKind.VIEW
        return TableShape(
            name=TableName("", found.name),
            kind=found.kind,
            row_estimate=None if is_view else self._estimates.get(found.name.lower()),
            columns=tuple(
                ColumnShape(
                    name=column.name,
                    type_name=column.type_name.lower() or "any",
                    is_nullable=not column.is_not_null and not column.numbers_rows(key_count),
                    is_primary_key=bool(column.key_position),
                )
                for column in columns
            ),
            foreign_keys=() if is_view else tuple(self._read_keys(found.name)),
        )

    def _read_columns(self, table: str) -> list[_Column]:
        if table not in self._columns:
            rows = self._ask("table_xinfo", table)
            self._columns[table] = [
                _Column(name, type_name, is_not_null, key_position)
                for _, name, type_name, is_not_null, _, key_position, hidden in rows
                if hidden != _HIDDEN_OF_VIRTUAL
            ]
        return self._columns[table]

    def _read_keys(self, table: str) -> Iterator[ForeignKey]:
        """Without keys to the primary key of a table that is not there."""
        references = sorted(_Reference(*row[:5]) for row in self._ask("foreign_key_list", table))
        for _, group in groupby(references, lambda reference: reference.number):
            parts = list(group)
            target = self.tables.get(parts[0].table.lower())
            target_name = target.name if target else parts[0].table
            keys = self._find_target_columns(target_name, parts) if target else _written(parts)
            if len(keys) != len(parts):
                continue
            columns = tuple(part.column for part in parts)
            yield ForeignKey(
                # SQLite forgets the names of constraints; this one is PostgreSQL's for the same key.
                constraint_name="_".join((table, *columns, "fkey")),
                columns=columns,
                target=TableName("", target_name),
                target_columns=keys,
            )

    def _find_target_columns(self, target: str, parts: list[_Reference]) -> tuple[str, ...]:
        columns = self._read_columns(target)
        if parts[0].target_column is None:
            keys = sorted(
                (column for column in columns if column.key_position),
                key=lambda column: column.key_position,
            )
            return tuple(column.name for column in keys)
        names = {column.name.lower(): column.name for column in columns}
        return tuple(names.get(name.lower(), name) for name in _written(parts))

    def _ask(self, pragma: str, table: str) -> list[tuple[Any, ...]]:
        try:
            return self._connection.execute(
                f"PRAGMA {pragma}({quote_exactly(table, Dialect.SQLITE)})"
            ).fetchall()
        except sqlite3.Error as error:
            if not blames_statement(error):
                raise
            return []


def _written(parts: list[_Reference]) -> tuple[str, ...]:
    return tuple(part.target_column for part in parts if part.target_column is not None)


def _find_tables(connection: sqlite3.Connection) -> list[_Found]:
    rows = connection.execute(_TABLES).fetchall()
    shadows = {
        f"{name}{end}".lower()
        for name, _, is_virtual in rows
        if is_virtual
        for end in _SHADOW_ENDS.split()
    }
    return [
        _Found(name, TableKind.VIEW if kind == "view" else TableKind.TABLE)
        for name, kind, _ in rows
        if name.lower() not in shadows
    ]
