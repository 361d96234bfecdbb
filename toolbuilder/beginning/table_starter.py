"""A first tool made of a table that the catalogue knows: some columns, two filters, a limit."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from catalog.models import CatalogColumn, CatalogTable
from core.catalogue.entries import TableName
from core.catalogue.masking import is_sensitive
from core.catalogue.short_texts import first_sentences
from core.catalogue.sql_names import quote_name, quote_table
from core.errors import DefinitionError
from core.messages import message
from core.toolspec import ParameterType
from gateways.engine import Engine
from gateways.engines import find_engine
from toolbuilder.beginning.naming import choose_free_name, to_identifier
from toolbuilder.beginning.starters import READS_ONLY
from tools.definitions import ParameterDocument, ToolDocument

COLUMNS_SHOWN = 8
ROWS_SHOWN = 20
MOST_ROWS = 100
_DEFAULT_SCHEMA = "public"
_ROW_COUNT_NAME = "max_rows"
_TEXT_CHARACTERS = 160
_TEXTS = re.compile(r"text|char|clob|citext|name\b", re.IGNORECASE)
_WHOLE = re.compile(r"(small|big|tiny|medium)?int(eger|[248])?\b|(small|big)?serial", re.IGNORECASE)
_NUMBERS = re.compile(r"numeric|decimal|real|double|float", re.IGNORECASE)
_UUID = re.compile(r"uuid", re.IGNORECASE)
_LARGE = re.compile(r"bytea|blob|tsvector|geometry|geography|vector|xml", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Filter:
    """An optional condition and the parameter that it needs."""

    condition: str
    parameter: ParameterDocument


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
    engine = find_engine(table.source.engine if table.source else None)
    filters = list(_find_filters(shown, engine))
    order = [column for column in shown if column.is_primary_key] or shown[:1]
    return ToolDocument(
        name=choose_free_name(f"list_{to_identifier(table.name, 'rows')}"),
        title=first_sentences(table.display_name or table.name, _TEXT_CHARACTERS),
        description_agent=_describe(table, shown[:COLUMNS_SHOWN], filters),
        definition=_write(table, shown[:COLUMNS_SHOWN], filters, order),
        data_source=table.source.name if table.source else None,
        annotations=READS_ONLY,
        parameters=(*(one.parameter for one in filters), _make_row_count()),
    )


def _is_left_out(table: CatalogTable, column: CatalogColumn) -> bool:
    if _LARGE.search(column.type_name):
        return True
    if column.is_masked is not None:
        return column.is_masked
    return is_sensitive(column.name, column.source_comment, table.name)


def _find_filters(columns: Sequence[CatalogColumn], engine: Engine) -> Iterator[_Filter]:
    keys = [column for column in columns if column.is_primary_key]
    by_key = _filter_by_key(keys[0]) if len(keys) == 1 else None
    if by_key:
        yield by_key
    texts = [one for one in columns if _TEXTS.search(one.type_name) and one not in keys]
    if texts:
        yield _filter_by_text(texts[0], engine)


def _filter_by_key(column: CatalogColumn) -> _Filter | None:
    kind = _type_of(column.type_name)
    if kind is None:
        return None
    name = _name_parameter(column, "key")
    value = f"CAST(:{name} AS uuid)" if _UUID.search(column.type_name) else f":{name}"
    text = _tell(column, f"Only the row with this {column.name}; leave out for all.")
    return _Filter(f"{quote_name(column.name)} = {value}", _make_optional(name, kind, text))


def _filter_by_text(column: CatalogColumn, engine: Engine) -> _Filter:
    name = _name_parameter(column, "text") + "_part"
    text = _tell(column, f"Only rows with this in {column.name}, in any case; leave out for all.")
    return _Filter(
        f"{quote_name(column.name)} {engine.like} '%' || :{name} || '%'",
        _make_optional(name, ParameterType.STRING, text),
    )


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


def _make_optional(name: str, kind: ParameterType, description: str) -> ParameterDocument:
    return ParameterDocument(
        param_name=name, param_type=kind.value, is_required=False, description=description
    )


def _make_row_count() -> ParameterDocument:
    return ParameterDocument(
        param_name=_ROW_COUNT_NAME,
        param_type=ParameterType.INTEGER.value,
        is_required=False,
        description="How many rows at most.",
        default=ROWS_SHOWN,
        example=ROWS_SHOWN,
        minimum="1",
        maximum=str(MOST_ROWS),
    )


def _tell(column: CatalogColumn, text: str) -> str:
    told = first_sentences(column.shown_description, _TEXT_CHARACTERS)
    return f"{text} {told}".strip()


def _write(
    table: CatalogTable,
    columns: Sequence[CatalogColumn],
    filters: Sequence[_Filter],
    order: Sequence[CatalogColumn],
) -> str:
    names = ", ".join(quote_name(column.name) for column in columns)
    lines = [f"SELECT {names}", f"FROM {_write_name(table)}"]
    if filters:
        lines += ["WHERE TRUE", *(f"  [[ AND {one.condition} ]]" for one in filters)]
    sorted_by = ", ".join(quote_name(column.name) for column in order)
    return "\n".join([*lines, f"ORDER BY {sorted_by}", f"LIMIT :{_ROW_COUNT_NAME}"])


def _write_name(table: CatalogTable) -> str:
    is_found = table.source is None and table.schema == _DEFAULT_SCHEMA
    return quote_table(TableName("" if is_found else table.schema, table.name))


def _describe(
    table: CatalogTable, columns: Sequence[CatalogColumn], filters: Sequence[_Filter]
) -> str:
    told = first_sentences(table.shown_description, _TEXT_CHARACTERS)
    about = f" ({told.rstrip('.')})" if told else ""
    found_by = " or ".join(one.parameter.param_name for one in filters)
    ways = f", all of them or those found by {found_by}" if found_by else ""
    listed = ", ".join(column.name for column in columns)
    return f"Returns rows of {table}{about}{ways}: {listed}. Use it to look up what {table} holds."
