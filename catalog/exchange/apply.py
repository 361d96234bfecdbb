"""A plan of an import applied: exactly what was shown, and nothing that changed meanwhile."""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from catalog.changes import tables_changed
from catalog.editing.tables import delete_unused_tags, find_or_make_tags, hide_samples, lock_tags
from catalog.editing.texts import fold_tag
from catalog.exchange.plan import ImportPlan, PlannedChange, read_value
from catalog.models import CatalogColumn, CatalogTable

logger = logging.getLogger(__name__)

_UPDATE_TABLES = """
    UPDATE h_catalog_table AS kept
    SET display_name = new.display_name, description = new.description, notes = new.notes,
        updated_at = %s, updated_by = %s
    FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[])
        AS new (id, display_name, description, notes)
    WHERE kept.id = new.id
"""
_UPDATE_COLUMNS = """
    UPDATE h_catalog_column AS kept
    SET display_name = new.display_name, description = new.description, is_masked = new.is_masked,
        updated_at = %s, updated_by = %s
    FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::boolean[])
        AS new (id, display_name, description, is_masked)
    WHERE kept.id = new.id
"""
_TABLE_TEXTS = ("display_name", "description", "notes")
_COLUMN_TEXTS = ("display_name", "description", "is_masked")

Owner = CatalogTable | CatalogColumn


@dataclass(slots=True)
class ImportReport:
    """How many texts were written, and the changes that were not: somebody was there before."""

    applied: int = 0
    skipped: list[PlannedChange] = field(default_factory=list)


def apply_import(plan: ImportPlan, username: str, tables: QuerySet[CatalogTable]) -> ImportReport:
    """Write the changes of a plan in one transaction, as far as `tables` reach.

    A text that is no longer what the plan showed as the old one stays as it is.
    """
    report = ImportReport()
    with transaction.atomic():
        if any(change.name == "tags" for change in plan.changes):
            lock_tags()
        owners = _lock(plan.changes, tables)
        applied: list[tuple[Owner, PlannedChange]] = []
        for change in plan.changes:
            owner = owners.get((change.table_id, change.column_id))
            if owner is None or read_value(owner, change.name) != change.old:
                report.skipped.append(change)
            else:
                applied.append((owner, change))
        _write(applied, username)
        tables_changed({change.table_id for _, change in applied})
    report.applied = len(applied)
    logger.info(
        "%s imported by %s: %s texts, %s skipped",
        *(plan.file_name, username, report.applied, len(report.skipped)),
    )
    return report


def _lock(
    changes: Iterable[PlannedChange], tables: QuerySet[CatalogTable]
) -> Mapping[tuple[int, int | None], Owner]:
    """The rows of these changes, locked, by ids of table and column; None is the table itself."""
    table_ids = {change.table_id for change in changes}
    column_ids = {change.column_id for change in changes if change.column_id}
    locked = CatalogTable.objects.filter(pk__in=table_ids).order_by("pk").select_for_update()
    allowed = set(tables.filter(pk__in=table_ids).values_list("pk", flat=True))
    rows = list(locked.defer("search_text").prefetch_related("tags"))
    by_id = {row.pk: row for row in rows if row.pk in allowed}
    columns = CatalogColumn.objects.filter(pk__in=column_ids, table_id__in=list(by_id))
    owners: dict[tuple[int, int | None], Owner] = {(pk, None): row for pk, row in by_id.items()}
    for column in columns.order_by("pk").select_for_update():
        column.table = by_id[column.table_id]
        owners[column.table_id, column.pk] = column
    return owners


def _write(applied: Sequence[tuple[Owner, PlannedChange]], username: str) -> None:
    tags: dict[int, list[str]] = {}
    for owner, change in applied:
        if isinstance(change.new, list):
            tags[owner.pk] = change.new
        else:
            setattr(owner, "is_masked" if change.name == "masked" else change.name, change.new)
    tables = {owner.pk: owner for owner, _ in applied if isinstance(owner, CatalogTable)}
    columns = {owner.pk: owner for owner, _ in applied if isinstance(owner, CatalogColumn)}
    _update(_UPDATE_TABLES, tables, _TABLE_TEXTS, username)
    _update(_UPDATE_COLUMNS, columns, _COLUMN_TEXTS, username)
    if tags:
        _set_tags(tags)
    by_table: dict[int, list[CatalogColumn]] = defaultdict(list)
    for column in columns.values():
        by_table[column.table_id].append(column)
    for found in by_table.values():
        hide_samples(found[0].table, found)


def _update(
    statement: str, rows: Mapping[int, Owner], fields: Sequence[str], username: str
) -> None:
    if rows:
        values = ([getattr(row, name) for row in rows.values()] for name in fields)
        with connection.cursor() as cursor:
            cursor.execute(statement, [timezone.now(), username, list(rows), *values])


def _set_tags(tags: Mapping[int, Sequence[str]]) -> None:
    known = find_or_make_tags(
        list(dict.fromkeys(name for names in tags.values() for name in names))
    )
    links = CatalogTable.tags.through
    links.objects.filter(catalogtable_id__in=list(tags)).delete()
    links.objects.bulk_create(
        links(catalogtable_id=table_id, tag_id=tag_id)
        for table_id, names in tags.items()
        for tag_id in dict.fromkeys(known[fold_tag(name)].pk for name in names)
    )
    delete_unused_tags()
