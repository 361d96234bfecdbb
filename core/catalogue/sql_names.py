"""Names of tables and columns as SQL identifiers that their engine takes, and joins."""

import re
from collections.abc import Sequence

from core.catalogue.entries import TableName
from core.dialects import find_rules
from core.toolspec import Dialect

_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_]*")
# What either of the two refuses as a table's name without quotes.
_RESERVED_WORDS = """
    add all alter analyse analyze and any array as asc asymmetric authorization autoincrement
    between binary both case cast check collate collation column commit concurrently constraint
    create cross current_catalog current_date current_role current_schema current_time
    current_timestamp current_user default deferrable delete desc distinct do drop else end escape
    except exists false fetch for foreign freeze from full grant group having ilike in index
    initially inner insert intersect into is isnull join lateral leading left like limit localtime
    localtimestamp natural not nothing notnull null offset on only or order outer overlaps placing
    primary references returning right select session_user set similar some symmetric system_user
    table tablesample then to trailing transaction true union unique update user using values
    variadic verbose when where window with
"""
_RESERVED = frozenset(_RESERVED_WORDS.split())


def quote_exactly(name: str, dialect: Dialect) -> str:
    """The name as an identifier in quotes, in which nothing is read as SQL."""
    mark = find_rules(dialect).name_mark
    return mark + name.replace(mark, mark * 2) + mark


def quote_name(name: str, dialect: Dialect = Dialect.POSTGRESQL) -> str:
    """The name as an SQL identifier, in quotes only where it needs them."""
    is_plain = _PLAIN_NAME.fullmatch(name) and name not in _RESERVED
    if is_plain and name not in find_rules(dialect).reserved_words:
        return name
    return quote_exactly(name, dialect)


def quote_path(names: Sequence[str], dialect: Dialect = Dialect.POSTGRESQL) -> str:
    """The names with dots between them."""
    return ".".join(quote_name(name, dialect) for name in names)


def quote_table(table: TableName, dialect: Dialect = Dialect.POSTGRESQL) -> str:
    """The table as SQL names it: schema.name, or the name alone if the engine has no schemas."""
    return quote_path([part for part in (table.schema, table.name) if part], dialect)


def join_condition(
    table: TableName,
    columns: Sequence[str],
    target: TableName,
    target_columns: Sequence[str],
    *,
    dialect: Dialect = Dialect.POSTGRESQL,
) -> str:
    """The equality of the columns, paired by position; '' if there are none.

    Tables by bare name, as in `sales.store_id = stores.id`, unless both have the same one.
    """
    is_clear = table.name != target.name or table == target
    left, right = (
        quote_name(side.name, dialect)
        if is_clear or not side.schema
        else quote_table(side, dialect)
        for side in (table, target)
    )
    pairs = zip(columns, target_columns, strict=False)
    return " AND ".join(
        f"{left}.{quote_name(column, dialect)} = {right}.{quote_name(other, dialect)}"
        for column, other in pairs
    )
