"""Tables and columns of one data source for the editor: its explorer, completion and near names."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, or_
from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    Count,
    Exists,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Left, NullIf

from catalog.models import CatalogColumn, CatalogTable, DataSource, TableRelation
from core.catalogue.entries import TableName
from core.catalogue.search_words import find_words
from core.catalogue.sql_names import quote_name, quote_table
from core.statements.names import TableMention
from core.toolspec import Dialect
from gateways.engines import find_engine

TABLE_LIMIT = 500
# Beyond so many columns the browser asks for those of a table when it needs them.
COMPLETION_COLUMN_LIMIT = 5_000
RELATION_LIMIT = 5_000
FOUND_COLUMN_LIMIT = 200
# A comment of 100 kB is not read, kept or sent for a line of the list.
COMMENT_LIMIT = 200
_COMPLETION_COMMENT_LIMIT = 100
_DEFAULT_PATH = ("public",)
# As PostgreSQL itself calls them for short.
_SHORT_TYPES = {
    "timestamp with time zone": "timestamptz",
    "timestamp without time zone": "timestamp",
    "time with time zone": "timetz",
    "time without time zone": "time",
    "character varying": "varchar",
    "double precision": "float8",
}
_LONG_TYPE = re.compile("|".join(_SHORT_TYPES))
_LAST_PART = re.compile(r"""(?:(["`])((?:(?!\1).|\1\1)*)\1|([^."`]+))\Z""", re.DOTALL)
_WRITTEN_LIMIT = 1_000


def shorten_type(type_name: str) -> str:
    """The type in as few letters as PostgreSQL takes."""
    return _LONG_TYPE.sub(lambda found: _SHORT_TYPES[found[0]], type_name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorerTable:
    """A table; `insert` is its name as the statement has to write it, `comment` what it is about.

    `is_qualified`: the statement has to name its schema too.
    """

    id: int
    insert: str
    schema: str
    name: str
    display_name: str
    comment: str
    kind: str
    row_estimate: int | None
    column_count: int
    is_qualified: bool

    @property
    def about(self) -> str:
        """Its name for people and its comment, in one line."""
        return _join_texts(self.display_name, self.comment)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplorerColumn:
    """A column; `insert` is its name as the statement has to write it.

    `refers_to` is the table and column that a foreign key of this column alone leads to, or ''.
    """

    id: int
    insert: str
    name: str
    type_name: str
    display_name: str
    comment: str
    is_nullable: bool
    is_primary_key: bool
    refers_to: str = ""

    @property
    def target(self) -> str:
        """The name of the table that it leads to, or ''."""
        return self.refers_to.rpartition(".")[0]

    @property
    def short_type(self) -> str:
        """The type in as few letters as PostgreSQL takes."""
        return shorten_type(self.type_name)

    @property
    def about(self) -> str:
        """Its name for people and its comment, in one line."""
        return _join_texts(self.display_name, self.comment)


@dataclass(frozen=True, slots=True)
class TablePage:
    """The first tables by name, how many there are, and by table the columns with words of the query."""

    tables: list[ExplorerTable]
    total: int
    found: dict[int, list[ExplorerColumn]] = field(default_factory=dict)


class SourceTables:
    """The present tables of one data source, None the default; who may use it is not asked here."""

    def __init__(self, source: DataSource | None) -> None:
        self._source = source
        self._tables = CatalogTable.objects.present().filter(source=source)
        engine = find_engine(source.engine if source else None)
        self._dialect = engine.dialect
        path = source.search_path if source and engine.has_schemas else ""
        names = [name.strip().strip('"') for name in path.split(",")]
        self._search_path = tuple(filter(None, names)) or _DEFAULT_PATH

    def list_tables(self, query: str = "", limit: int = TABLE_LIMIT) -> TablePage:
        """Tables of which every word of the query is somewhere in names, comments or columns.

        Two queries; a third one if there are words.
        """
        words = find_words(query)
        tables = self._tables.filter(
            reduce(and_, (Q(search_text__contains=word) for word in words), Q())
        )
        present = CatalogColumn.objects.filter(table=OuterRef("pk"), gone_at=None).order_by()
        counted = present.values("table").annotate(count=Count("pk")).values("count")
        column_count = Coalesce(Subquery(counted), 0, output_field=IntegerField())
        shown = tables.annotate(
            column_count=column_count,
            description_start=_start_of_description(),
            is_shadowed=self._is_shadowed(),
        ).defer("sample", "search_text", "notes", "description", "source_comment")
        listed = [self._entry(table) for table in shown[:limit]]
        found = _find_columns([table.id for table in listed], words, self._dialect) if words else {}
        return TablePage(listed, tables.count(), found)

    def list_columns(self, table_id: int) -> list[ExplorerColumn]:
        """The present columns of a table of this source, in its order; two queries."""
        relations = self._relations().filter(table=table_id)
        rows = relations.values_list("columns", "target__name", "target_columns")
        targets = {
            columns[0]: f"{target}.{target_columns[0]}"
            for columns, target, target_columns in rows
            if len(columns) == len(target_columns) == 1
        }
        columns = CatalogColumn.objects.filter(table__in=self._tables, table=table_id, gone_at=None)
        return [
            _column_entry(column, self._dialect, targets.get(column.name, ""))
            for column in _read(columns)
        ]

    def written_name(self, table_id: int) -> str:
        """The table as the statement has to write it, '' if it is not there."""
        named = self._written_names(self._tables.filter(pk=table_id))
        return next((written for _pk, written in named), "")

    def find_table_id(self, insert: str) -> int | None:
        """The table that a statement writes so, None if there is none; one query."""
        last = _LAST_PART.search(insert) if len(insert) <= _WRITTEN_LIMIT else None
        if last is None:
            return None
        name = last[3] if last[1] is None else last[2].replace(last[1] * 2, last[1])
        named = self._written_names(self._tables.filter(name=name))
        return next((pk for pk, written in named if written == insert), None)

    def list_columns_of(self, insert: str) -> list[ExplorerColumn]:
        """The columns of the table that a statement writes so, [] if there is none; three queries."""
        found = self.find_table_id(insert)
        return [] if found is None else self.list_columns(found)

    def completion(self, column_limit: int = COMPLETION_COLUMN_LIMIT) -> dict[str, Any]:
        """What the editor completes, as its Schema takes it; four queries.

        Where there are more columns than that, tables come without any. `insert` is left out of
        columns that SQL writes as they are called.
        """
        tables = self._completed_tables()
        columns = CatalogColumn.objects.filter(table__in=self._tables, gone_at=None)
        if not columns.order_by()[column_limit : column_limit + 1].exists():
            for table in tables.values():
                table["columns"] = []
            for column in _read(columns.order_by("table_id", "position", "id")):
                if column.table_id in tables:
                    entry = complete_column(_column_entry(column, self._dialect))
                    tables[column.table_id]["columns"].append(entry)
        return {
            "tables": list(tables.values()),
            "relations": self._completed_relations(),
            "defaultSchema": self._search_path[0],
        }

    def table_names(self) -> list[str]:
        """Every table as SQL writes it; one query."""
        return [insert for _, insert in self._written_names(self._tables)]

    def columns_of(self, mentions: Collection[TableMention]) -> dict[str, list[tuple[str, str]]]:
        """By alias, names and types of the columns of the mentioned tables that exist; one query."""
        names = {mention.path[-1].lower() for mention in mentions}
        named = reduce(or_, (Q(name__iexact=name) for name in names), Q(pk=None))
        tables = self._tables.filter(named).order_by()
        columns = CatalogColumn.objects.filter(table__in=tables, gone_at=None)
        rows = columns.values_list("table__schema", "table__name", "name", "type_name")
        known: dict[tuple[str, str], list[tuple[str, str]]] = {}
        for schema, table, name, type_name in rows:
            known.setdefault((schema, table.lower()), []).append((name, type_name))
        found = {mention.alias: self._choose(mention, known) for mention in mentions}
        return {alias: listed for alias, listed in found.items() if listed}

    def _choose(
        self,
        mention: TableMention,
        known: Mapping[tuple[str, str], list[tuple[str, str]]],
    ) -> list[tuple[str, str]]:
        name = mention.path[-1].lower()
        has_schema = len(mention.path) > 1
        schemas: Sequence[str] = mention.path[-2:-1] if has_schema else (*self._search_path, "")
        return next((known[schema, name] for schema in schemas if (schema, name) in known), [])

    def _written_names(self, tables: "QuerySet[CatalogTable]") -> list[tuple[int, str]]:
        rows = tables.annotate(is_shadowed=self._is_shadowed()).values_list(
            "pk", "schema", "name", "is_shadowed"
        )
        return [(pk, self._insert(schema, name, shadowed)) for pk, schema, name, shadowed in rows]

    def _is_shadowed(self) -> Combinable:
        """Whether the bare name means a table of an earlier schema of the search path."""
        path = self._search_path
        earlier = [
            Q(
                Exists(self._tables.filter(name=OuterRef("name"), schema__in=path[:place])),
                schema=schema,
            )
            for place, schema in enumerate(path)
            if place
        ]
        if not earlier:
            return Value(False)
        is_shadowed = When(reduce(or_, earlier), then=Value(True))
        return Case(is_shadowed, default=Value(False), output_field=BooleanField())

    def _is_bare(self, schema: str, is_shadowed: bool) -> bool:
        return not schema or (schema in self._search_path and not is_shadowed)

    def _insert(self, schema: str, name: str, is_shadowed: bool) -> str:
        """The bare name where the search path finds it."""
        is_bare = self._is_bare(schema, is_shadowed)
        if is_bare:
            return quote_name(name, self._dialect)
        return quote_table(TableName(schema, name), self._dialect)

    def _completed_tables(self) -> dict[int, dict[str, Any]]:
        marked = self._tables.annotate(
            description_start=_start_of_description(), is_shadowed=self._is_shadowed()
        )
        rows = marked.values_list(
            "pk", "schema", "name", "is_shadowed", "display_name", "description_start"
        )
        return {
            pk: _without_empty(
                name=name,
                schema=schema,
                insert=self._insert(schema, name, is_shadowed),
                comment=_clip(_join_texts(display_name, start), _COMPLETION_COMMENT_LIMIT),
            )
            for pk, schema, name, is_shadowed, display_name, start in rows
        }

    def _relations(self) -> "QuerySet[TableRelation]":
        # Joins, not sub-selects: with old statistics, as after a first scan, these took minutes.
        present = {"source": self._source, "gone_at": None}
        ends = {
            f"{end}__{name}": value
            for end in ("table", "target")
            for name, value in present.items()
        }
        return TableRelation.objects.filter(**ends, gone_at=None)

    def _completed_relations(self) -> list[dict[str, Any]]:
        rows = self._relations().values_list(
            *("table__schema", "table__name", "columns"),
            *("target__schema", "target__name", "target_columns"),
        )
        return [
            {
                "table": _path_of(schema, name),
                "columns": columns,
                "targetTable": _path_of(target_schema, target),
                "targetColumns": target_columns,
            }
            for schema, name, columns, target_schema, target, target_columns in rows[
                :RELATION_LIMIT
            ]
            if columns and len(columns) == len(target_columns)
        ]

    def _entry(self, table: CatalogTable) -> ExplorerTable:
        is_shadowed = bool(getattr(table, "is_shadowed", False))
        return ExplorerTable(
            id=table.pk,
            insert=self._insert(table.schema, table.name, is_shadowed),
            schema=table.schema,
            name=table.name,
            display_name=_clip(table.display_name),
            comment=_clip(getattr(table, "description_start", "")),
            kind=table.kind,
            row_estimate=table.row_estimate,
            column_count=getattr(table, "column_count", 0),
            is_qualified=not self._is_bare(table.schema, is_shadowed),
        )


def complete_column(column: ExplorerColumn) -> dict[str, Any]:
    """A column as the editor's Schema takes it."""
    return _without_empty(
        name=column.name,
        insert=column.insert if column.insert != column.name else "",
        type=column.short_type,
        comment=_clip(column.about, _COMPLETION_COMMENT_LIMIT),
    )


def _start_of_description() -> Combinable:
    """The start of `shown_description`, one character longer than what is kept of it."""
    return Left(Coalesce(NullIf("description", Value("")), "source_comment"), COMMENT_LIMIT + 1)


def _read(columns: "QuerySet[CatalogColumn]") -> "QuerySet[CatalogColumn]":
    """The columns without more of their comments than is kept."""
    return columns.annotate(description_start=_start_of_description()).defer(
        "description", "source_comment"
    )


def _find_columns(
    table_ids: list[int], words: list[str], dialect: Dialect
) -> dict[int, list[ExplorerColumn]]:
    fields = ("name", "display_name", "description", "source_comment")
    holds = (Q((f"{name}__icontains", word)) for name in fields for word in words)
    columns = CatalogColumn.objects.filter(
        reduce(or_, holds, Q(pk=None)), table__in=table_ids, gone_at=None
    )
    found: dict[int, list[ExplorerColumn]] = {}
    for column in _read(columns.order_by("table_id", "position"))[:FOUND_COLUMN_LIMIT]:
        found.setdefault(column.table_id, []).append(_column_entry(column, dialect))
    return found


def _column_entry(column: CatalogColumn, dialect: Dialect, refers_to: str = "") -> ExplorerColumn:
    return ExplorerColumn(
        id=column.pk,
        insert=quote_name(column.name, dialect),
        name=column.name,
        type_name=column.type_name,
        display_name=_clip(column.display_name),
        comment=_clip(getattr(column, "description_start", "")),
        is_nullable=column.is_nullable,
        is_primary_key=column.is_primary_key,
        refers_to=refers_to,
    )


def _path_of(schema: str, name: str) -> str:
    return f"{schema}.{name}" if schema else name


def _clip(text: str, limit: int = COMMENT_LIMIT) -> str:
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def _join_texts(*texts: str) -> str:
    return " · ".join(filter(None, dict.fromkeys(texts)))


def _without_empty(**texts: str) -> dict[str, Any]:
    return {name: text for name, text in texts.items() if text}
