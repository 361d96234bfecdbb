"""The catalogue's answers as lines of a prompt, and the tables that documents speak of."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.data_search.constants import CATALOGUE_CHARACTER_LIMIT, CATALOGUE_TABLE_LIMIT
from agents.data_search.replies import StandardColumn

_DOCUMENT_TABLE = re.compile(r"^table: (?P<table>[^,]+)")
_BLANKS = re.compile(r"\s+")

Told = Mapping[str, Any]


def one_line(value: object) -> str:
    """The text without line breaks and bars, which separate the parts of a line."""
    return _BLANKS.sub(" ", str(value or "")).replace("|", "/").strip()


def find_tables(documents: Iterable[str]) -> list[str]:
    """Names of the tables that reference documents are about, most often named first."""
    counts: dict[str, int] = {}
    for document in documents:
        if name := _table_of(document):
            counts[name] = counts.get(name, 0) + 1
    return sorted(counts, key=lambda name: -counts[name])[:CATALOGUE_TABLE_LIMIT]


def full_name(table: Told) -> str:
    """The table's name for SQL, with its schema."""
    name, schema = str(table.get("name", "")), str(table.get("schema") or "")
    return name if "." in name or not schema else f"{schema}.{name}"


def find_referred_tables(tables: Sequence[Told]) -> list[str]:
    """Names of the other tables that the tables' foreign keys lead to, in their order."""
    known = {name for table in tables for name in (str(table.get("name", "")), full_name(table))}
    keys = (column.get("foreign_key") for table in tables for column in table.get("columns", ()))
    names = (str(key["table"]) for key in keys if isinstance(key, dict) and key.get("table"))
    return [name for name in dict.fromkeys(names) if name not in known]


def describe_columns(tables: Iterable[Told]) -> str:
    """One column a line, `schema.table.column | type | description | keys`; whole lines, within a limit."""
    lines: list[str] = []
    left = CATALOGUE_CHARACTER_LIMIT
    for table in tables:
        for column in table.get("columns", ()):
            line = _describe_column(full_name(table), column)
            left -= len(line) + 1
            if left < 0:
                return "\n".join(lines)
            lines.append(line)
    return "\n".join(lines)


def describe_notes(tables: Iterable[Told]) -> str:
    """What the catalogue says of the tables as wholes: descriptions, notes, joins; one thing a line."""
    return "\n".join(line for table in tables for line in _describe_table(table))[
        :CATALOGUE_CHARACTER_LIMIT
    ]


def check_columns(
    columns: Sequence[StandardColumn], tables: Sequence[Told]
) -> tuple[list[StandardColumn], list[str]]:
    """The columns under their catalogue names, and a fault for each that the tables do not have."""
    checked: list[StandardColumn] = []
    faults: list[str] = []
    for column in columns:
        found = _find_column(column, tables)
        if isinstance(found, str):
            faults.append(found)
        else:
            checked.append(found)
    return checked, faults


def _table_of(document: str) -> str:
    """The table of `table: users, column: ...`, or of the same as JSON; "" where there is none."""
    if match := _DOCUMENT_TABLE.match(document):
        return match["table"].strip()
    try:
        read = json.loads(document)
    except ValueError:
        return ""
    return str(read.get("table", "")) if isinstance(read, dict) else ""


def _describe_column(table: str, column: Told) -> str:
    keys = ["PK"] if column.get("primary_key") else []
    foreign = column.get("foreign_key")
    if isinstance(foreign, Mapping):
        keys.append(f"FK {foreign.get('table')}.{foreign.get('column')}")
    parts = (column.get("type"), column.get("description"), ", ".join(keys))
    return " | ".join([f"{table}.{column.get('name')}", *map(one_line, parts)])


def _describe_table(table: Told) -> Iterable[str]:
    name = full_name(table)
    described = one_line(f"{table.get('display_name') or ''} {table.get('description') or ''}")
    if described:
        yield f"{name}: {described}"
    if notes := one_line(table.get("notes")):
        yield f"{name}, notes: {notes}"
    for related in table.get("related_tables", ()):
        if join := one_line(related.get("join_condition")):
            yield f"{name}, join: {join}"


def _find_column(column: StandardColumn, tables: Sequence[Told]) -> StandardColumn | str:
    """The column as the catalogue writes it, or the fault."""
    table = next((table for table in tables if _is_named(table, column.table)), None)
    if table is None:
        return f"table {one_line(column.table)} is not in the catalogue"
    names = [str(each.get("name")) for each in table.get("columns", ())]
    wanted = column.column.rpartition(".")[2].strip('"')
    exact = [name for name in names if name == wanted]
    found = exact or [name for name in names if name.casefold() == wanted.casefold()]
    if not found:
        shown = ", ".join(names[:60])
        return f"{full_name(table)} has no column {one_line(wanted)}; its columns are {shown}"
    return StandardColumn(keyword=column.keyword, table=full_name(table), column=found[0])


def _is_named(table: Told, name: str) -> bool:
    plain = name.replace('"', "").casefold()
    full = full_name(table).casefold()
    return plain in {full, str(table.get("name", "")).casefold()} or full.endswith(f".{plain}")
