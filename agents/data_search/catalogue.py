"""The catalogue's answers as lines of a prompt, and the tables that documents speak of."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.data_search.constants import CATALOGUE_CHARACTER_LIMIT, CATALOGUE_TABLE_LIMIT
from agents.data_search.replies import StandardColumn

_DOCUMENT_TABLE = re.compile(r"^table: (?P<table>[^,]+)")
_BLANKS = re.compile(r"\s+")

Table = Mapping[str, Any]


def one_line(value: object) -> str:
    """The text without line breaks and bars, which separate the parts of a line."""
    return _BLANKS.sub(" ", str(value or "")).replace("|", "/").strip()


def find_tables(documents: Iterable[str]) -> list[str]:
    """Names of the tables that reference documents are about, most often named first.

    A document is a line such as `table: users, column: ...`, or the same as JSON.
    """
    counts: dict[str, int] = {}
    for document in documents:
        if match := _DOCUMENT_TABLE.match(document):
            name = match["table"].strip()
        else:
            try:
                fields = json.loads(document)
            except ValueError:
                continue
            name = str(fields.get("table", "")) if isinstance(fields, dict) else ""
        if name:
            counts[name] = counts.get(name, 0) + 1
    return sorted(counts, key=lambda name: -counts[name])[:CATALOGUE_TABLE_LIMIT]


def full_name(table: Table) -> str:
    """The table's name for SQL, with its schema."""
    name, schema = str(table.get("name", "")), str(table.get("schema") or "")
    return name if "." in name or not schema else f"{schema}.{name}"


def find_referred_tables(tables: Sequence[Table]) -> list[str]:
    """Names of the other tables that the tables' foreign keys lead to, in their order."""
    known = {name for table in tables for name in (str(table.get("name", "")), full_name(table))}
    keys = (column.get("foreign_key") for table in tables for column in table.get("columns", ()))
    names = (str(key["table"]) for key in keys if isinstance(key, dict) and key.get("table"))
    return [name for name in dict.fromkeys(names) if name not in known]


def describe_columns(tables: Iterable[Table]) -> str:
    """One column a line, `schema.table.column | type | description | keys`; whole lines, within a limit."""
    lines: list[str] = []
    left = CATALOGUE_CHARACTER_LIMIT
    for table in tables:
        for column in table.get("columns", ()):
            keys = ["PK"] if column.get("primary_key") else []
            if column.get("masked"):
                keys.append("MASKED")
            foreign = column.get("foreign_key")
            if isinstance(foreign, Mapping):
                keys.append(f"FK {foreign.get('table')}.{foreign.get('column')}")
            parts = (column.get("type"), column.get("description"), ", ".join(keys))
            name = f"{full_name(table)}.{column.get('name')}"
            line = " | ".join([name, *map(one_line, parts)])
            left -= len(line) + 1
            if left < 0:
                return "\n".join(lines)
            lines.append(line)
    return "\n".join(lines)


def describe_notes(tables: Iterable[Table]) -> str:
    """What the catalogue says of whole tables: descriptions, notes, joins; one thing a line."""
    lines: list[str] = []
    for table in tables:
        name = full_name(table)
        names = f"{table.get('display_name') or ''} {table.get('description') or ''}"
        if described := one_line(names):
            lines.append(f"{name}: {described}")
        if notes := one_line(table.get("notes")):
            lines.append(f"{name}, notes: {notes}")
        joins = (
            one_line(related.get("join_condition")) for related in table.get("related_tables", ())
        )
        lines += [f"{name}, join: {join}" for join in joins if join]
    return "\n".join(lines)[:CATALOGUE_CHARACTER_LIMIT]


def check_columns(
    columns: Sequence[StandardColumn], tables: Sequence[Table]
) -> tuple[list[StandardColumn], list[str]]:
    """The columns under their catalogue names, and a fault for each that the tables do not have."""
    checked: list[StandardColumn] = []
    faults: list[str] = []
    for column in columns:
        plain = column.table.replace('"', "").casefold()
        table = next(
            (
                table
                for table in tables
                if plain in {full_name(table).casefold(), str(table.get("name", "")).casefold()}
                or full_name(table).casefold().endswith(f".{plain}")
            ),
            None,
        )
        if table is None:
            faults.append(f"table {one_line(column.table)} is not in the catalogue")
            continue
        names = [str(entry.get("name")) for entry in table.get("columns", ())]
        bare = column.column.rpartition(".")[2].strip('"')
        exact = [name for name in names if name == bare]
        if found := exact or [name for name in names if name.casefold() == bare.casefold()]:
            checked.append(
                StandardColumn(keyword=column.keyword, table=full_name(table), column=found[0])
            )
        else:
            shown = ", ".join(names[:60])
            faults.append(
                f"{full_name(table)} has no column {one_line(bare)}; its columns are {shown}"
            )
    return checked, faults
