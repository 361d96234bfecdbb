"""The second stage of the catalogue: all that is known of the tables asked for."""

from collections.abc import Mapping, Sequence

from core.catalogue.budgets import (
    ANSWER_TOKENS,
    LISTED_NAMES,
    LONG_CHARACTERS,
    NAME_CHARACTERS,
    RELATIONS_TOKENS,
    RESERVED_TOKENS,
    SAMPLE_TOKENS,
    count_fitting,
    weigh_json,
)
from core.catalogue.column_details import ColumnsPart, fit_columns
from core.catalogue.entries import RelationEntry, Sample, TableEntry
from core.catalogue.short_texts import cut_text
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
    that is asked for alone always fits. Raises UnknownTableError where none was found.
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
    """What an agent reads when it asked for tables that do not exist: near names, or where they are."""
    lines = [_unknown_table_text(name, near) for name, near in not_found.items()]
    rest = len(lines) - LISTED_NAMES
    more = [f"{rest} more names are unknown."] if rest > 0 else []
    return "\n".join([*lines[:LISTED_NAMES], *more])


def _unknown_table_text(name: str, near: Sequence[str]) -> str:
    if len(near) > 1 and all(full.endswith(f".{name}") for full in near):
        return f'"{_shown(name)}" means several tables; ask for {" or ".join(near)}.'
    meant = f"did you mean {' or '.join(near)}?" if near else "list_table_summaries lists them."
    return f'There is no table "{_shown(name)}" in the catalogue; {meant}'


def _table(entry: TableEntry) -> dict[str, JsonValue]:
    summary = entry.summary
    columns = fit_columns(entry)
    return {
        "name": summary.name,
        "display_name": _shown(summary.display_name or summary.name),
        "description": cut_text(summary.description, LONG_CHARACTERS),
        "datasource": entry.source_name,
        "schema": entry.table.schema,
        "tags": list(summary.tags),
        "row_count": summary.row_count,
        **columns.content,
        **_sample_part(entry, columns),
        **_relations_part(entry.relations),
        "notes": cut_text(entry.notes, LONG_CHARACTERS),
    }


def _sample_part(entry: TableEntry, columns: ColumnsPart) -> dict[str, JsonValue]:
    """`sample_data`, of the columns that are told; `sample_note` where there is something to say."""
    data = _sample_of(entry.sample, columns.names) if entry.sample else _NO_SAMPLE
    if weigh_json(data) > SAMPLE_TOKENS:
        return {"sample_data": _NO_SAMPLE, "sample_note": _SAMPLE_TOO_LARGE}
    note = {"sample_note": entry.sample_note} if entry.sample_note else {}
    return {"sample_data": data, **note}


def _sample_of(sample: Sample, names: frozenset[str]) -> dict[str, JsonValue]:
    indexes = [index for index, name in enumerate(sample.columns) if name in names]
    return {
        "columns": [sample.columns[index] for index in indexes],
        "rows": [[row[index] for index in indexes] for row in sample.rows],
    }


def _relations_part(relations: Sequence[RelationEntry]) -> dict[str, JsonValue]:
    items = [_relation(relation) for relation in relations]
    count = count_fitting(items, RELATIONS_TOKENS)
    left_out = len(items) - count
    more = {"related_tables_left_out": left_out} if left_out else {}
    return {"related_tables": items[:count], **more}


def _relation(relation: RelationEntry) -> dict[str, JsonValue]:
    join = {"join_condition": relation.join_condition} if relation.join_condition else {}
    return {
        "name": relation.name,
        "display_name": _shown(relation.display_name or relation.name),
        "relation_type": relation.relation_type.value,
        **join,
        "description": cut_text(relation.description, LONG_CHARACTERS),
    }


def _fit_tables(tables: list[dict[str, JsonValue]]) -> list[str]:
    """Shrinks `tables` to what an answer may hold; the names of those left out."""
    budget = ANSWER_TOKENS - RESERVED_TOKENS
    weights = [weigh_json(table) for table in tables]
    _leave_out_samples(tables, weights, budget)
    kept, left_out, free = [], [], float(budget)
    for table, weight in zip(tables, weights, strict=True):
        if weight <= free:
            kept.append(table)
            free -= weight
        else:
            left_out.append(table["name"])
    tables[:] = kept
    return left_out


def _leave_out_samples(
    tables: Sequence[dict[str, JsonValue]], weights: list[float], budget: float
) -> None:
    """The largest first, until the rest fits; `weights` follow."""
    sizes = [weigh_json(table["sample_data"]) for table in tables]
    for index in sorted(range(len(tables)), key=sizes.__getitem__, reverse=True):
        table = tables[index]
        if sum(weights) <= budget or not table["sample_data"]["rows"]:
            return
        table |= {"sample_data": _NO_SAMPLE, "sample_note": _SAMPLE_LEFT_OUT}
        weights[index] = weigh_json(table)


def _shown(name: str) -> str:
    return cut_text(name, NAME_CHARACTERS)
