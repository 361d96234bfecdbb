"""Rows of the catalogue as the entries that agents get, with the rights of their owner."""

import unicodedata
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Case, Count, F, QuerySet, When
from django.db.models.functions import Left

from catalog.browsing.addresses import source_name_of
from catalog.models import CatalogColumn, CatalogTable, Tag
from catalog.serving.relation_entries import RelationEntries, read_relations
from catalog.serving.table_names import (
    Sight,
    TablePlace,
    find_tables,
    name_tables,
    read_agent_names,
    sight_of,
)
from core.catalogue.entries import (
    ColumnEntry,
    Sample,
    TableEntry,
    TableName,
    TableSummary,
)
from gateways.engines import find_engine

# Summaries shorten descriptions much further; a comment may be as long as a book.
SUMMARY_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Overview:
    """Summaries by data source, schema and name.

    Where a tag was asked for, `tag` is how it is written here and `known_tags` are all that there are.
    """

    summaries: list[TableSummary]
    tag: str | None = None
    known_tags: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Details:
    """Entries in the order asked for, and for each name that means no single table what may be meant."""

    entries: list[TableEntry]
    not_found: dict[str, list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What was read beside the tables' own rows, by table id."""

    named: Mapping[int, str]
    columns: Mapping[int, list[CatalogColumn]] = field(default_factory=dict)
    tags: Mapping[int, list[str]] = field(default_factory=dict)
    relations: RelationEntries = field(default_factory=RelationEntries)


def read_summaries(owner: str, tag: str | None = None) -> Overview:
    """The tables that this user's agents may know, or those of a tag; five queries at most."""
    sight, known = sight_of(owner), list[str]()
    tables = sight.tables()
    if tag is not None:
        known = list(_count_tags(sight))
        # This one, or the only known one that differs just in case or width.
        alike = [name for name in known if _fold(name) == _fold(tag)]
        tag = alike[0] if tag not in known and len(alike) == 1 else tag
        tables = tables.filter(tags__name=tag) if tag in known else tables.none()
    names, tags = read_agent_names(), _read_tags_of(tables.values("pk"))
    description = Case(When(description="", then=F("source_comment")), default=F("description"))
    rows = (
        tables.order_by(F("source__name").asc(nulls_first=True), "schema", "name")
        .annotate(beginning=Left(description, SUMMARY_CHARACTERS))
        .values_list("pk", "name", "display_name", "beginning", "row_estimate")
    )
    summaries = [
        TableSummary(
            # One that was scanned between the queries has its bare name for now.
            name=names.get(key, name),
            display_name=display_name,
            description=description,
            tags=tuple(tags.get(key, ())),
            row_count=row_count,
        )
        for key, name, display_name, description, row_count in rows
    ]
    return Overview(summaries, tag, known)


def read_tags(owner: str) -> dict[str, int]:
    """How many of the tables that this user's agents may know have each tag, most used first."""
    return _count_tags(sight_of(owner))


def read_entries(owner: str, names: Sequence[str]) -> Details:
    """The entries of the tables of these names; the number of queries does not depend on them.

    See find_tables for what a name may be.
    """
    sight = sight_of(owner)
    found = find_tables(sight, names)
    rows = _read_rows(found.ids)
    relations = read_relations(sight, found.ids)
    columns: dict[int, list[CatalogColumn]] = defaultdict(list)
    for column in CatalogColumn.objects.filter(table__in=found.ids, gone_at=None):
        columns[column.table_id].append(column)
    facts = _Facts(
        columns=columns,
        tags=_read_tags_of(found.ids),
        relations=relations,
        named=name_tables([*map(_place, rows), *relations.places]),
    )
    return Details([_to_entry(row, facts) for row in rows], found.not_found)


def read_locations(owner: str, names: Sequence[str]) -> Details:
    """As read_entries, but of each table only its names and where it is."""
    found = find_tables(sight_of(owner), names)
    rows = _read_rows(found.ids)
    facts = _Facts(named=name_tables([*map(_place, rows)]))
    return Details([_to_entry(row, facts) for row in rows], found.not_found)


def _fold(text: str) -> str:
    return unicodedata.normalize("NFKC", text).strip().casefold()


def _count_tags(sight: Sight) -> dict[str, int]:
    tags = Tag.objects.filter(tables__in=sight.tables().values("pk"))
    counted = tags.annotate(count=Count("tables")).order_by("-count", "name")
    return dict(counted.values_list("name", "count"))


def _read_rows(ids: Collection[int]) -> list[CatalogTable]:
    """The tables in the order of their ids here; one that was deleted meanwhile is left out."""
    tables = CatalogTable.objects.select_related("source").defer("search_text").in_bulk(list(ids))
    return [tables[key] for key in ids if key in tables]


def _read_tags_of(ids: "Collection[int] | QuerySet[CatalogTable, Any]") -> Mapping[int, list[str]]:
    tags: dict[int, list[str]] = defaultdict(list)
    links = CatalogTable.tags.through.objects.filter(catalogtable__in=ids)
    # By id: in the order in which people gave them.
    for key, name in links.order_by("pk").values_list("catalogtable_id", "tag__name"):
        tags[key].append(name)
    return tags


def _place(table: CatalogTable) -> TablePlace:
    source = table.source.name if table.source else None
    return TablePlace(table.pk, source, table.schema, table.name)


def _to_entry(table: CatalogTable, facts: _Facts) -> TableEntry:
    columns = facts.columns.get(table.pk, [])
    references = facts.relations.references_of(table.pk, facts.named)
    engine = find_engine(table.source.engine if table.source else None)
    return TableEntry(
        summary=TableSummary(
            name=facts.named[table.pk],
            display_name=table.display_name,
            description=table.shown_description,
            tags=tuple(facts.tags.get(table.pk, ())),
            row_count=table.row_estimate,
        ),
        source_name=source_name_of(table),
        dialect=engine.dialect,
        is_reachable=engine.takes_clients,
        table=TableName(table.schema, table.name),
        columns=tuple(
            ColumnEntry(
                name=column.name,
                type_name=column.type_name,
                description=column.shown_description,
                is_primary_key=column.is_primary_key,
                is_nullable=column.is_nullable,
                is_masked=column.masks_samples(table),
                foreign_key=references.get(column.name),
            )
            for column in columns
        ),
        sample=_to_sample(table, columns),
        sample_note=table.sample_note,
        relations=facts.relations.of(table.pk, facts.named),
        notes=table.notes,
    )


def _to_sample(table: CatalogTable, columns: Sequence[CatalogColumn]) -> Sample | None:
    """The stored rows, masked as the rules say now."""
    if not table.sample:
        return None
    rows = table.mask_sample(table.find_masked(columns))
    return Sample(columns=tuple(table.sample["columns"]), rows=tuple(map(tuple, rows)))
