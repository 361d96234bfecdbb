"""The columns of a table as details tell of them, within their part of the answer."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.catalogue.budgets import (
    COLUMNS_TOKENS,
    LONG_CHARACTERS,
    SHORT_CHARACTERS,
    count_fitting,
    weigh_json,
)
from core.catalogue.entries import ColumnEntry, TableEntry
from core.catalogue.short_texts import cut_text, first_sentences
from core.toolspec import Dialect, JsonValue

_OTHER_WAYS = {
    Dialect.POSTGRESQL: "information_schema.columns",
    Dialect.SQLITE: "pragma_table_info",
}


@dataclass(frozen=True, slots=True)
class ColumnsPart:
    """`columns` and, where not all is told, how many are left out and a notice; and who is told of."""

    content: dict[str, JsonValue]
    names: frozenset[str]


def fit_columns(entry: TableEntry) -> ColumnsPart:
    """The table's columns in order, at most COLUMNS_TOKENS.

    Over it descriptions are shortened, and if that is not enough columns are left out from the end,
    keys last of all.
    """
    items = [_column(column) for column in entry.columns]
    if _fits(items):
        return _part(items, {})
    short = [_column(_shortened(column)) for column in entry.columns]
    if _fits(short):
        notice = "Descriptions of columns are shortened to keep the answer within its size."
        return _part(short, {"columns_notice": notice})
    shown = _choose(entry.columns, short)
    left_out = len(short) - len(shown)
    notice = (
        f"{left_out} of {len(short)} columns are left out to keep the answer within its size;"
        f" {_OTHER_WAYS[entry.dialect]} in the database lists all."
    )
    return _part(shown, {"columns_left_out": left_out, "columns_notice": notice})


def _part(items: list[dict[str, JsonValue]], more: dict[str, JsonValue]) -> ColumnsPart:
    return ColumnsPart({"columns": items, **more}, frozenset(item["name"] for item in items))


def _fits(items: Sequence[dict[str, JsonValue]]) -> bool:
    return weigh_json(items) <= COLUMNS_TOKENS


def _choose(
    columns: Sequence[ColumnEntry], items: Sequence[dict[str, JsonValue]]
) -> list[dict[str, JsonValue]]:
    """The items that fit, keys before others, in the table's order."""
    keys_first = sorted(range(len(columns)), key=lambda index: not _is_key(columns[index]))
    count = count_fitting((items[index] for index in keys_first), COLUMNS_TOKENS)
    return [items[index] for index in sorted(keys_first[:count])]


def _is_key(column: ColumnEntry) -> bool:
    return column.is_primary_key or column.foreign_key is not None


def _shortened(column: ColumnEntry) -> ColumnEntry:
    return replace(
        column,
        description=first_sentences(column.description, SHORT_CHARACTERS),
        type_name=cut_text(column.type_name, SHORT_CHARACTERS),
    )


def _column(column: ColumnEntry) -> dict[str, JsonValue]:
    item: dict[str, JsonValue] = {
        "name": column.name,
        "type": column.type_name,
        "description": cut_text(column.description, LONG_CHARACTERS),
    }
    if column.is_primary_key:
        item["primary_key"] = True
    if column.foreign_key is not None:
        reference = column.foreign_key
        item["foreign_key"] = {"table": reference.table, "column": reference.column}
    return item | {"nullable": column.is_nullable}
