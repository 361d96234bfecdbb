"""A first tool made of a table that the catalogue knows: some columns, two filters, a limit."""

import re
from collections.abc import Iterable, Iterator, Sequence

from catalog.models import CatalogColumn, CatalogTable
from core.catalogue.entries import TableName
from core.catalogue.masking import is_sensitive
from core.catalogue.short_texts import first_sentences
from core.catalogue.sql_names import quote_name, quote_table
from core.errors import DefinitionError
from core.messages import message
from core.tool_entry import READS_ONLY
from core.toolspec import ParameterType
from gateways.engines import find_engine
from toolbuilder.beginning.naming import to_identifier
from toolbuilder.editing.drafts import choose_free_name
from tools.definitions import ParameterDocument, ToolDocument

COLUMNS_SHOWN = 8
ROWS_SHOWN = 20
MOST_ROWS = 100
_ROW_COUNT_NAME = "max_rows"
_TEXT_CHARACTERS = 160
_TEXTS = re.compile(r"text|char|clob|citext|name\b", re.IGNORECASE)
_WHOLE = re.compile(r"(small|big|tiny|medium)?int(eger|[248])?\b|(small|big)?serial", re.IGNORECASE)
_NUMBERS = re.compile(r"numeric|decimal|real|double|float", re.IGNORECASE)
_UUID = re.compile(r"uuid", re.IGNORECASE)
_LARGE = re.compile(r"bytea|blob|tsvector|geometry|geography|vector|xml", re.IGNORECASE)


def make_table_tool(table: CatalogTable) -> ToolDocument:
    """A tool that lists rows of the table, found by its key or by a part of its first text.

    Personal data, secrets and large values are left out. Raises DefinitionError for a table of which
    no column is known.
    """
    columns = list(table.columns.filter(gone_at=None))
    if not columns:
        raise DefinitionError(
            message(
                "start.no_columns", "The catalogue knows no columns of this table; scan it again."
            )
        )
    shown = [column for column in columns if not _is_left_out(table, column)] or columns[:1]
    # By condition, the parameter that it needs.
    filters = dict(_find_filters(table, shown))
    row_count = ParameterDocument(
        param_name=_ROW_COUNT_NAME,
        param_type=ParameterType.INTEGER.value,
        is_required=False,
        description="How many rows at most.",
        default=ROWS_SHOWN,
        example=ROWS_SHOWN,
        minimum="1",
        maximum=str(MOST_ROWS),
    )
    return ToolDocument(
        name=choose_free_name(f"list_{to_identifier(table.name, 'rows')}"),
        title=first_sentences(table.display_name or table.name, _TEXT_CHARACTERS),
        description_agent=_describe(table, shown[:COLUMNS_SHOWN], filters.values()),
        definition=_write(table, shown, filters),
        data_source=table.source.name if table.source else None,
        annotations=READS_ONLY,
        parameters=(*filters.values(), row_count),
    )


def _is_left_out(table: CatalogTable, column: CatalogColumn) -> bool:
    if _LARGE.search(column.type_name):
        return True
    if column.is_masked is not None:
        return column.is_masked
    return is_sensitive(column.name, column.source_comment, table.name)


def _find_filters(
    table: CatalogTable, columns: Sequence[CatalogColumn]
) -> Iterator[tuple[str, ParameterDocument]]:
    """Optional conditions, each with its parameter: on a key of one column, and on the first text."""
    keys = [column for column in columns if column.is_primary_key]
    kind = _type_of(keys[0].type_name) if len(keys) == 1 else None
    if kind is not None:
        key = keys[0]
        name = _name_parameter(key, "key")
        value = f"CAST(:{name} AS uuid)" if _UUID.search(key.type_name) else f":{name}"
        text = f"Only the row with this {key.name}; leave out for all."
        yield (
            f"{quote_name(key.name, table.dialect)} = {value}",
            _make_optional(name, kind, text, key),
        )
    texts = [column for column in columns if _TEXTS.search(column.type_name)]
    column = next((column for column in texts if column not in keys), None)
    if column is not None:
        name = _name_parameter(column, "text") + "_part"
        engine = find_engine(table.source.engine if table.source else None)
        pattern = engine.part_pattern.format(name=name)
        condition = f"{quote_name(column.name, engine.dialect)} {engine.like} {pattern}"
        text = f"Only rows with this in {column.name}, in any case; leave out for all."
        parameter = _make_optional(name, ParameterType.STRING, text, column)
        yield condition, parameter


def _type_of(type_name: str) -> ParameterType | None:
    if _WHOLE.match(type_name):
        return ParameterType.INTEGER
    if _NUMBERS.match(type_name):
        return ParameterType.NUMBER
    is_text = _TEXTS.search(type_name) or _UUID.search(type_name)
    return ParameterType.STRING if is_text else None


def _name_parameter(column: CatalogColumn, otherwise: str) -> str:
    name = to_identifier(column.name, otherwise)
    return otherwise if name == _ROW_COUNT_NAME else name


def _make_optional(
    name: str, kind: ParameterType, text: str, column: CatalogColumn
) -> ParameterDocument:
    about = first_sentences(column.shown_description, _TEXT_CHARACTERS)
    return ParameterDocument(
        param_name=name,
        param_type=kind.value,
        is_required=False,
        description=f"{text} {about}".strip(),
    )


def _write(table: CatalogTable, columns: Sequence[CatalogColumn], conditions: Iterable[str]) -> str:
    is_found = table.source is None and table.schema == "public"
    from_table = quote_table(TableName("" if is_found else table.schema, table.name), table.dialect)
    order = [column for column in columns if column.is_primary_key] or columns[:1]
    names, sorted_by = (
        ", ".join(quote_name(column.name, table.dialect) for column in listed)
        for listed in (columns[:COLUMNS_SHOWN], order)
    )
    lines = [f"  [[ AND {condition} ]]" for condition in conditions]
    where = ["WHERE TRUE", *lines] if lines else []
    return "\n".join(
        [
            f"SELECT {names}",
            f"FROM {from_table}",
            *where,
            f"ORDER BY {sorted_by}",
            f"LIMIT :{_ROW_COUNT_NAME}",
        ]
    )


def _describe(
    table: CatalogTable, columns: Sequence[CatalogColumn], filters: Iterable[ParameterDocument]
) -> str:
    description = first_sentences(table.shown_description, _TEXT_CHARACTERS)
    about = f" ({description.rstrip('.')})" if description else ""
    found_by = " or ".join(parameter.param_name for parameter in filters)
    ways = f", all of them or those found by {found_by}" if found_by else ""
    listed = ", ".join(column.name for column in columns)
    return f"Returns rows of {table}{about}{ways}: {listed}. Use it to look up what {table} holds."
