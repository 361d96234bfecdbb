"""What the editor shows of one column: its most frequent values, and how many tools use it."""

from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User

from catalog.browsing.columns import read_sample
from catalog.models import CatalogColumn
from catalog.sources.settings import read_sources, require_usable
from core.catalogue.sql_names import quote_name
from core.errors import ToolboxError
from toolbuilder.editing.explorer import SourceTables
from tools.definitions import ToolDocument
from tools.models import ToolType
from tools.running import run_here
from tools.uses.usage import count_tools_by_column

VALUES_SHOWN = 5
# Of a large table the first rows are counted: a look at a column must cost its database little.
ROWS_READ = 10_000
TIMEOUT_MS = 2_000
_VALUE_CHARACTERS = 80
_COUNTS = """
SELECT shown_value, count(*) AS row_count, sum(count(*)) OVER () AS all_rows
FROM (SELECT {column} AS shown_value FROM {table} LIMIT {rows}) AS first_rows
GROUP BY shown_value ORDER BY count(*) DESC LIMIT {values}
"""


@dataclass(frozen=True, slots=True)
class ValueCount:
    """A value of a column, None for NULL, and its share of the rows that were read, in percent."""

    text: str | None
    percent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnCard:
    """A column; `values` are its most frequent ones, None where it is masked or they cannot be counted.

    `sample` are the stored rows of its table, masked as in the catalogue.
    """

    column: CatalogColumn
    is_masked: bool
    values: list[ValueCount] | None
    sample: dict[str, Any]
    tool_count: int


def read_card(column: CatalogColumn, user: User) -> ColumnCard:
    """What there is to know of the column, whose table with its source is loaded and open to the user."""
    table = column.table
    is_masked = column.masks_samples(table)
    try:
        values = None if is_masked else _count_values(column, user)
    except ToolboxError:
        # Types without an order, a source that is away, or a table that takes too long.
        values = None
    return ColumnCard(
        column=column,
        is_masked=is_masked,
        values=values,
        sample=read_sample(table),
        tool_count=count_tools_by_column(table).get(column.pk, 0),
    )


def _count_values(column: CatalogColumn, user: User) -> list[ValueCount]:
    table, sources = column.table, read_sources()
    statement = _COUNTS.format(
        column=quote_name(column.name, table.dialect),
        table=SourceTables(table.source).written_name(table.pk),
        rows=ROWS_READ,
        values=VALUES_SHOWN,
    )
    document = ToolDocument(
        name="column_values",
        tool_type=ToolType.SQL,
        definition=statement,
        data_source=table.source.name if table.source else None,
        timeout_ms=TIMEOUT_MS,
        row_limit=VALUES_SHOWN,
    )
    spec = document.to_spec(sources)
    require_usable(sources, spec.logic, user.get_username())
    answer = run_here(spec, {}, sources, caller=user.get_username(), is_counted=False)
    rows = answer.result.rows if answer.result else ()
    return [
        ValueCount(
            None if value is None else str(value)[:_VALUE_CHARACTERS],
            round(100 * int(str(count)) / int(str(total))),
        )
        for value, count, total in rows
    ]
