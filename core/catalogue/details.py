"""The second stage of the catalogue: everything about the tables that an agent asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.catalogue.budgets import (
    ANSWER_TOKENS,
    COLUMNS_TOKENS,
    LISTED_NAMES,
    LONG_CHARACTERS,
    NAME_CHARACTERS,
    RELATIONS_TOKENS,
    RESERVED_TOKENS,
    SAMPLE_TOKENS,
    SHORT_CHARACTERS,
    count_fitting,
    weigh_json,
)
from core.catalogue.entries import ColumnEntry, TableEntry
from core.catalogue.short_texts import cut_text, first_sentences
from core.dialects import find_rules
from core.errors import UnknownTableError
from core.toolspec import JsonValue

_NO_SAMPLE: dict[str, JsonValue] = {"columns": [], "rows": []}
_SAMPLE_LEFT_OUT = "Left out to keep the answer within its size; ask for this table alone."
_SAMPLE_TOO_LARGE = "Left out, because its rows are larger than an answer may be."


def details_answer(
    entries: Sequence[TableEntry], not_found: Mapping[str, Sequence[str]]
) -> dict[str, JsonValue]:
    """The answer of get_table_details for `entries` in their order; `not_found` has near names by name.

    At most ANSWER_TOKENS: the largest samples, then whole tables are left out, and named; a table
    that is asked for alone always fits. Raises UnknownTableError if none was found.
    """
    if not_found and not entries:
        raise UnknownTableError(unknown_tables_text(not_found))
    tables = [_table(entry) for entry in entries]
    left_out = _fit_tables(tables)
    answer: dict[str, JsonValue] = {"tables": tables}
    if not_found:
        answer["not_found"] = [
            {"name": _shown(name), "did_you_mean": list(near)}
            for name, near in list(not_found.items())[:LISTED_NAMES]
        ]
    if left_out:
        answer["left_out_tables"] = left_out[:LISTED_NAMES]
        answer["notice"] = (
            f"{len(left_out)} of {len(entries)} tables are left out to keep the answer within its"
            " size; ask for them in another call."
        )
    return answer


def unknown_tables_text(not_found: Mapping[str, Sequence[str]]) -> str:
    """What an agent reads about tables that do not exist: near names, or which tool lists them."""
    lines: list[str] = []
    for name, near in list(not_found.items())[:LISTED_NAMES]:
        if len(near) > 1 and all(full.endswith(f".{name}") for full in near):
            lines.append(f'"{_shown(name)}" means several tables; ask for {" or ".join(near)}.')
            continue
        meant = f"did you mean {' or '.join(near)}?" if near else "list_table_summaries lists them."
        lines.append(f'There is no table "{_shown(name)}" in the catalogue; {meant}')
    if (rest := len(not_found) - LISTED_NAMES) > 0:
        lines.append(f"{rest} more names are unknown.")
    return "\n".join(lines)


def _table(entry: TableEntry) -> dict[str, JsonValue]:
    summary = entry.summary
    columns = _fit_columns(entry)
    sample = _NO_SAMPLE
    if entry.sample:
        # Of the columns that are shown.
        names = {column["name"] for column in columns["columns"]}
        places = [place for place, name in enumerate(entry.sample.columns) if name in names]
        sample = {
            "columns": [entry.sample.columns[place] for place in places],
            "rows": [[row[place] for place in places] for row in entry.sample.rows],
        }
    note = entry.sample_note
    if weigh_json(sample) > SAMPLE_TOKENS:
        sample, note = _NO_SAMPLE, _SAMPLE_TOO_LARGE
    relations: list[dict[str, JsonValue]] = [
        {
            "name": relation.name,
            "display_name": _shown(relation.display_name or relation.name),
            "relation_type": relation.relation_type.value,
            **({"join_condition": relation.join_condition} if relation.join_condition else {}),
            "description": cut_text(relation.description, LONG_CHARACTERS),
        }
        for relation in entry.relations
    ]
    count = count_fitting(relations, RELATIONS_TOKENS)
    left_out = len(relations) - count
    return {
        "name": summary.name,
        "display_name": _shown(summary.display_name or summary.name),
        "description": cut_text(summary.description, LONG_CHARACTERS),
        "datasource": entry.source_name,
        "schema": entry.table.schema,
        "tags": list(summary.tags),
        "row_count": summary.row_count,
        **columns,
        "sample_data": sample,
        **({"sample_note": note} if note else {}),
        "related_tables": relations[:count],
        **({"related_tables_left_out": left_out} if left_out else {}),
        "notes": cut_text(entry.notes, LONG_CHARACTERS),
    }


def _fit_columns(entry: TableEntry) -> dict[str, JsonValue]:
    """The table's `columns` in order, at most COLUMNS_TOKENS, and a notice if that is not all.

    Over it descriptions are shortened, and if that is not enough columns are left out from the end,
    keys last of all.
    """
    items = [_column(column) for column in entry.columns]
    if weigh_json(items) <= COLUMNS_TOKENS:
        return {"columns": items}
    short = [
        replace(
            column,
            description=first_sentences(column.description, SHORT_CHARACTERS),
            type_name=cut_text(column.type_name, SHORT_CHARACTERS),
        )
        for column in entry.columns
    ]
    items = [_column(column) for column in short]
    if weigh_json(items) <= COLUMNS_TOKENS:
        notice = "Descriptions of columns are shortened to keep the answer within its size."
        return {"columns": items, "columns_notice": notice}
    is_key = [column.is_primary_key or column.foreign_key is not None for column in short]
    keys_first = sorted(range(len(items)), key=lambda place: not is_key[place])
    count = count_fitting((items[place] for place in keys_first), COLUMNS_TOKENS)
    left_out = len(items) - count
    return {
        "columns": [items[place] for place in sorted(keys_first[:count])],
        "columns_left_out": left_out,
        "columns_notice": (
            f"{left_out} of {len(items)} columns are left out to keep the answer within its size;"
            f" {find_rules(entry.dialect).column_catalogue} in the database lists all."
        ),
    }


def _column(column: ColumnEntry) -> dict[str, JsonValue]:
    item: dict[str, JsonValue] = {
        "name": column.name,
        "type": column.type_name,
        "description": cut_text(column.description, LONG_CHARACTERS),
    }
    if column.is_primary_key:
        item["primary_key"] = True
    if column.is_masked:
        item["masked"] = True
    if column.foreign_key is not None:
        reference = column.foreign_key
        item["foreign_key"] = {"table": reference.table, "column": reference.column}
    return item | {"nullable": column.is_nullable}


def _fit_tables(tables: list[dict[str, JsonValue]]) -> list[str]:
    """Shrinks `tables` to what an answer may hold; returns the names of those left out."""
    budget = ANSWER_TOKENS - RESERVED_TOKENS
    weights = [weigh_json(table) for table in tables]
    sizes = [weigh_json(table["sample_data"]) for table in tables]
    # The largest samples go first.
    for place in sorted(range(len(tables)), key=sizes.__getitem__, reverse=True):
        if sum(weights) <= budget or not tables[place]["sample_data"]["rows"]:
            break
        tables[place] |= {"sample_data": _NO_SAMPLE, "sample_note": _SAMPLE_LEFT_OUT}
        weights[place] = weigh_json(tables[place])
    kept, left_out, free = [], [], float(budget)
    for table, weight in zip(tables, weights, strict=True):
        if weight <= free:
            kept.append(table)
            free -= weight
        else:
            left_out.append(table["name"])
    tables[:] = kept
    return left_out


def _shown(name: str) -> str:
    return cut_text(name, NAME_CHARACTERS)
