"""Tables that keys lead to and nobody has described yet: asked for by a tool, and read."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from tests.agents.demo_llm.schema import Column, Schema

TABLE_DETAILS = "get_table_details"
_MOST_TABLES = 10


def find_undescribed(schema: Schema) -> list[str]:
    """Tables that foreign keys name and of which no column is known."""
    described = {column.table for column in schema.columns.values() if column.type}
    named = (c.refers_to[0] for c in schema.columns.values() if c.refers_to)
    return [table for table in dict.fromkeys(named) if table not in described][:_MOST_TABLES]


def add_answers(schema: Schema, answers: Iterable[str]) -> None:
    """Take the tables of the tool's answers, JSON with a list `tables`, into the schema."""
    for text in answers:
        try:
            tables = list(_find_tables(json.loads(text)))
        except ValueError:
            continue
        for table in tables:
            _add_table(schema, table)


def _find_tables(value: Any) -> Iterable[Mapping[str, Any]]:
    """The tables wherever the answer's wrapping holds them."""
    if not isinstance(value, Mapping):
        return []
    tables = value.get("tables")
    if isinstance(tables, list):
        return [table for table in tables if isinstance(table, Mapping)]
    return [table for part in value.values() for table in _find_tables(part)]


def _add_table(schema: Schema, table: Mapping[str, Any]) -> None:
    name = str(table.get("name", ""))
    for column in table.get("columns") or []:
        key = column.get("foreign_key") or {}
        schema.add(
            Column(
                table=name,
                name=str(column.get("name", "")),
                type=str(column.get("type", "")).lower(),
                description=str(column.get("description") or ""),
                schema=str(table.get("schema") or ""),
                is_primary=bool(column.get("primary_key")),
                refers_to=(str(key["table"]), str(key["column"])) if key else None,
            )
        )
    schema.tables.setdefault(name, []).extend(_names(table))


def _names(table: Mapping[str, Any]) -> list[str]:
    lines = f"{table.get('display_name') or ''}\n{table.get('description') or ''}".splitlines()
    return [name.strip() for line in lines for name in line.split(" / ") if name.strip()]
