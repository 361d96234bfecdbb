"""What DuckDB says of its own tables and views."""

from dataclasses import dataclass, field
from typing import Any

import duckdb

_TABLES = """
SELECT schema_name, table_name, comment, estimated_size, FALSE FROM duckdb_tables()
WHERE NOT internal AND NOT temporary AND database_name = current_database()
UNION ALL SELECT schema_name, view_name, comment, NULL, TRUE FROM duckdb_views()
WHERE NOT internal AND NOT temporary AND database_name = current_database()
ORDER BY 1, 2"""
_COLUMNS = """
SELECT schema_name, table_name, column_name, data_type, is_nullable, comment
FROM duckdb_columns() WHERE NOT internal AND database_name = current_database()
ORDER BY 1, 2, column_index"""
_KEYS = """
SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table,
    referenced_column_names, coalesce(constraint_name, '')
FROM duckdb_constraints()
WHERE database_name = current_database() AND constraint_type IN ('PRIMARY KEY', 'FOREIGN KEY')
ORDER BY 1, 2, constraint_index"""
_MACROS = "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE NOT internal"


@dataclass(slots=True)
class FoundTable:
    """A table or view; columns are (name, type, is nullable, comment), keys as DuckDB lists them."""

    schema: str
    name: str
    comment: str
    row_estimate: int | None
    is_view: bool
    columns: list[tuple[str, str, bool, str]] = field(default_factory=list)
    primary_key: list[str] = field(default_factory=list)
    foreign_keys: list[tuple[str, list[str], str, list[str]]] = field(default_factory=list)


def find_names(connection: duckdb.DuckDBPyConnection) -> tuple[frozenset[str], frozenset[str]]:
    """Its own tables and views, and its own functions, in small letters."""
    tables = connection.execute(_TABLES).fetchall()
    macros = connection.execute(_MACROS).fetchall()
    return frozenset(row[1].lower() for row in tables), frozenset(name for (name,) in macros)


def read_structure(connection: duckdb.DuckDBPyConnection) -> list[FoundTable]:
    """Its tables and views by schema and name; those of the schema `main` are without one."""
    found = {
        (schema, name): FoundTable(
            "" if schema == "main" else schema, name, comment or "", estimate, is_view
        )
        for schema, name, comment, estimate, is_view in _rows(connection, _TABLES)
    }
    for schema, table, name, kind, is_nullable, comment in _rows(connection, _COLUMNS):
        if owner := found.get((schema, table)):
            owner.columns.append((name, kind, is_nullable, comment or ""))
    for schema, table, kind, columns, target, targets, name in _rows(connection, _KEYS):
        if (owner := found.get((schema, table))) is None:
            continue
        if kind == "PRIMARY KEY":
            owner.primary_key = list(columns)
        else:
            owner.foreign_keys.append((name, list(columns), target, list(targets)))
    return list(found.values())


def _rows(connection: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql).fetchall()
