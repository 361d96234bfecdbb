"""Conditions that join two tables, as SQL."""

from collections.abc import Sequence

from core.catalogue.entries import TableName
from core.catalogue.sql_names import quote_name, quote_table


def join_condition(
    table: TableName, columns: Sequence[str], target: TableName, target_columns: Sequence[str]
) -> str:
    """The equality of the columns, paired by position; '' where there are none.

    Tables by bare name, as in `sales.store_id = stores.id`, unless both have the same one.
    """
    left, right = _call(table, target), _call(target, table)
    pairs = zip(columns, target_columns, strict=False)
    return " AND ".join(
        f"{left}.{quote_name(one)} = {right}.{quote_name(other)}" for one, other in pairs
    )


def _call(table: TableName, other: TableName) -> str:
    is_clear = table.name != other.name or table == other or not table.schema
    return quote_name(table.name) if is_clear else quote_table(table)
