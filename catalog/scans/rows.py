"""What databases say of tables and columns, written into their rows; what people wrote is not touched."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import astuple, dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from access.reader_language import to_columns
from catalog.changes import tables_changed
from catalog.models import CatalogColumn, CatalogScan, CatalogTable
from catalog.scans.relations import RelationWriter
from catalog.scans.state import keep_scan
from core.catalogue.entries import ColumnShape, TableName, TableShape

COLUMNS_TOGETHER = 2_000
TABLES_TOLD_TOGETHER = 100
_OF_TABLES = (
    *("kind", "source_comment", "row_estimate"),
    *("shape_hash", "scanned_at", "changed_at", "gone_at"),
)
_OF_COLUMNS = (
    *("position", "type_name", "is_nullable", "is_primary_key"),
    *("source_comment", "gone_at"),
)


@dataclass
class _Batch:
    """Rows of tables that are written together, and what is new about them."""

    now: datetime
    rows: list[CatalogTable] = field(default_factory=list)
    # The rows that are new or changed, with what the database says of them.
    altered: list[tuple[CatalogTable, TableShape]] = field(default_factory=list)
    new_count: int = 0

    @property
    def changed_count(self) -> int:
        return len(self.altered) - self.new_count

    @property
    def ids(self) -> dict[TableName, int]:
        return {TableName(row.schema, row.name): row.pk for row in self.rows}

    @property
    def altered_ids(self) -> list[int]:
        return [row.pk for row, _ in self.altered]


def write_tables(
    scan: CatalogScan, shapes: Sequence[TableShape], relations: RelationWriter
) -> set[int]:
    """Write tables as read, count the new and the changed ones in the scan, all or nothing.

    A table that had gone and is back is a changed one; another row estimate is no change. Returns
    primary keys of the tables of which anything has changed.
    """
    with transaction.atomic():
        batch = _compare(scan, shapes)
        CatalogTable.objects.bulk_create(
            batch.rows,
            update_conflicts=True,
            unique_fields=["source", "schema", "name"],
            update_fields=_OF_TABLES,
        )
        _write_columns(batch)
        # It shows columns that are no longer there, or that are to be masked now.
        CatalogTable.objects.filter(pk__in=batch.altered_ids).update(
            sample=None, **to_columns("sample_note", None)
        )
        relations.add(shapes, batch.ids)
        scan.new_count += batch.new_count
        scan.changed_count += batch.changed_count
        scan.done_count += len(shapes)
        keep_scan(scan)
    return {*batch.altered_ids, *relations.take_changed()}


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


def tell_changes(scan: CatalogScan, ids: Collection[int]) -> None:
    """Let searches find tables as they are now; that takes a while, so the scan shows its life between."""
    ordered = sorted(ids)
    for start in range(0, len(ordered), TABLES_TOLD_TOGETHER):
        tables_changed(ordered[start : start + TABLES_TOLD_TOGETHER])
        keep_scan(scan)


def hash_shape(shape: TableShape) -> str:
    """A digest of all that makes a table another one; its row estimate does not."""
    said = [*astuple(shape.name), shape.kind, shape.comment, *map(_describe, shape.columns)]
    keys = [astuple(key) for key in shape.foreign_keys]
    text = json.dumps([said, keys], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _describe(column: ColumnShape) -> tuple[str | bool, ...]:
    # Not astuple: of 40,000 columns its copies would take seconds.
    traits = column.is_nullable, column.is_primary_key
    return (column.name, column.type_name, *traits, column.comment)


def _compare(scan: CatalogScan, shapes: Iterable[TableShape]) -> _Batch:
    """The rows to write, beside what there is."""
    shapes = list(shapes)
    before = _read_before(scan, shapes)
    batch = _Batch(timezone.now())
    for shape in shapes:
        row = _to_row(scan, shape, batch.now)
        batch.rows.append(row)
        known = before.get(shape.name)
        is_new = known is None or known["scanned_at"] is None
        if known and not is_new and known["shape_hash"] == row.shape_hash and not known["gone_at"]:
            row.changed_at = known["changed_at"]
            continue
        batch.new_count += is_new
        batch.altered.append((row, shape))
    return batch


def _read_before(scan: CatalogScan, shapes: Sequence[TableShape]) -> dict[TableName, Any]:
    rows = CatalogTable.objects.filter(
        source_id=scan.source_id, name__in=[shape.name.name for shape in shapes]
    ).values("schema", "name", "shape_hash", "scanned_at", "changed_at", "gone_at")
    return {TableName(row["schema"], row["name"]): row for row in rows}


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


def _write_columns(batch: _Batch) -> None:
    columns = [column for row, shape in batch.altered for column in _to_columns(row, shape)]
    CatalogColumn.objects.bulk_create(
        columns,
        batch_size=COLUMNS_TOGETHER,
        update_conflicts=True,
        unique_fields=["table", "name"],
        update_fields=_OF_COLUMNS,
    )
    there = {(column.table_id, column.name) for column in columns}
    rows = CatalogColumn.objects.filter(table_id__in=batch.altered_ids, gone_at=None)
    gone = [pk for pk, *key in rows.values_list("pk", "table_id", "name") if (*key,) not in there]
    CatalogColumn.objects.filter(pk__in=gone).update(gone_at=batch.now)


def _to_columns(row: CatalogTable, shape: TableShape) -> Iterable[CatalogColumn]:
    for position, column in enumerate(shape.columns, start=1):
        yield CatalogColumn(
            table=row,
            name=column.name,
            position=position,
            type_name=column.type_name,
            is_nullable=column.is_nullable,
            is_primary_key=column.is_primary_key,
            source_comment=column.comment,
        )
