"""What databases say of tables and columns, written into their rows; what people wrote is not touched."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from access.reader_language import to_columns
from catalog.changes import tables_changed
from catalog.models import CatalogColumn, CatalogScan, CatalogTable
from catalog.scans.relations import RelationWriter
from catalog.scans.state import keep_scan
from core.catalogue.entries import TableName, TableShape

COLUMNS_TOGETHER = 2_000
TABLES_NOTIFIED_TOGETHER = 100
_OF_TABLES = (
    *("kind", "source_comment", "row_estimate"),
    *("shape_hash", "scanned_at", "changed_at", "gone_at"),
)
_OF_COLUMNS = (
    *("position", "type_name", "is_nullable", "is_primary_key"),
    *("source_comment", "gone_at"),
)


def write_tables(
    scan: CatalogScan, shapes: Sequence[TableShape], relations: RelationWriter
) -> set[int]:
    """Write tables as read, count the new and the changed ones in the scan, all or nothing.

    A table that had gone and is back is a changed one; another row estimate is no change. Returns
    primary keys of the tables of which anything has changed.
    """
    now = timezone.now()
    with transaction.atomic():
        tables = CatalogTable.objects.filter(
            source_id=scan.source_id, name__in=[shape.name.name for shape in shapes]
        ).values("schema", "name", "shape_hash", "scanned_at", "changed_at", "gone_at")
        before = {TableName(row["schema"], row["name"]): row for row in tables}
        rows = [_to_row(scan, shape, now) for shape in shapes]
        altered, new_count = [], 0
        for row, shape in zip(rows, shapes, strict=True):
            known = before.get(shape.name)
            if known is None or known["scanned_at"] is None:
                new_count += 1
                altered.append((row, shape))
            elif known["shape_hash"] != row.shape_hash or known["gone_at"]:
                altered.append((row, shape))
            else:
                row.changed_at = known["changed_at"]
        CatalogTable.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["source", "schema", "name"],
            update_fields=_OF_TABLES,
        )
        _write_columns(altered, now)
        altered_ids = [row.pk for row, _ in altered]
        # It shows columns that are no longer there, or that are to be masked now.
        CatalogTable.objects.filter(pk__in=altered_ids).update(
            sample=None, **to_columns("sample_note", None)
        )
        relations.add(shapes, {TableName(row.schema, row.name): row.pk for row in rows})
        scan.new_count += new_count
        scan.changed_count += len(altered) - new_count
        scan.done_count += len(shapes)
        keep_scan(scan)
    return {*altered_ids, *relations.take_changed()}


def write_waiting_relations(scan: CatalogScan, relations: RelationWriter) -> set[int]:
    """Write the keys whose targets were read after them; primary keys of the tables that this changed."""
    with transaction.atomic():
        relations.add_waiting()
        keep_scan(scan)
    return relations.take_changed()


def mark_gone(scan: CatalogScan, unread: Collection[TableName]) -> None:
    """Mark the tables that the scan did not find, but for those it found and could not read.

    To be called only when it has read everything: rows and what people wrote of them are kept.
    """
    not_seen = Q(scanned_at=None) | Q(scanned_at__lt=scan.started_at)
    rows = CatalogTable.objects.filter(not_seen, source_id=scan.source_id, gone_at=None)
    names = rows.values_list("pk", "schema", "name")
    gone = [pk for pk, schema, name in names if TableName(schema, name) not in unread]
    with transaction.atomic():
        CatalogTable.objects.filter(pk__in=gone).update(gone_at=timezone.now())
        tables_changed(gone)
        scan.gone_count += len(gone)
        keep_scan(scan)


def find_read_tables(scan: CatalogScan) -> set[TableName]:
    """Tables that this scan has read already, before its process was lost."""
    rows = CatalogTable.objects.filter(source_id=scan.source_id, scanned_at__gte=scan.started_at)
    return {TableName(*names) for names in rows.values_list("schema", "name")}


def find_altered_tables(scan: CatalogScan) -> set[int]:
    """Primary keys of the tables that this scan has found new or changed until now."""
    rows = CatalogTable.objects.filter(source_id=scan.source_id, changed_at__gte=scan.started_at)
    return set(rows.values_list("pk", flat=True))


def publish_changes(scan: CatalogScan, ids: Collection[int]) -> None:
    """Let searches find tables as they are now; that takes a while, so the scan shows its life between."""
    ordered = sorted(ids)
    for start in range(0, len(ordered), TABLES_NOTIFIED_TOGETHER):
        tables_changed(ordered[start : start + TABLES_NOTIFIED_TOGETHER])
        keep_scan(scan)


def hash_shape(shape: TableShape) -> str:
    """A digest of all that makes a table another one; its row estimate does not."""
    # Not astuple of columns: of 40,000 its copies would take seconds.
    columns = [
        (column.name, column.type_name, column.is_nullable, column.is_primary_key, column.comment)
        for column in shape.columns
    ]
    keys = [astuple(key) for key in shape.foreign_keys]
    described = [*astuple(shape.name), shape.kind, shape.comment, *columns]
    text = json.dumps([described, keys], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _to_row(scan: CatalogScan, shape: TableShape, now: datetime) -> CatalogTable:
    return CatalogTable(
        source_id=scan.source_id,
        schema=shape.name.schema,
        name=shape.name.name,
        kind=shape.kind.value,
        source_comment=shape.comment,
        row_estimate=shape.row_estimate,
        shape_hash=hash_shape(shape),
        scanned_at=now,
        changed_at=now,
    )


def _write_columns(tables: Iterable[tuple[CatalogTable, TableShape]], now: datetime) -> None:
    """Write the columns of these tables; those that the database has no more are gone `now`."""
    columns = [
        CatalogColumn(
            table=row,
            name=column.name,
            position=position,
            type_name=column.type_name,
            is_nullable=column.is_nullable,
            is_primary_key=column.is_primary_key,
            source_comment=column.comment,
        )
        for row, shape in tables
        for position, column in enumerate(shape.columns, start=1)
    ]
    CatalogColumn.objects.bulk_create(
        columns,
        batch_size=COLUMNS_TOGETHER,
        update_conflicts=True,
        unique_fields=["table", "name"],
        update_fields=_OF_COLUMNS,
    )
    there = {(column.table_id, column.name) for column in columns}
    rows = CatalogColumn.objects.filter(table__in=[row for row, _ in tables], gone_at=None)
    gone = [pk for pk, *key in rows.values_list("pk", "table_id", "name") if (*key,) not in there]
    CatalogColumn.objects.filter(pk__in=gone).update(gone_at=now)
