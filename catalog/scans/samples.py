"""Which tables are to be sampled, and their samples as rows: values of sensitive columns are masked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from access.reader_language import to_columns
from catalog.models import CatalogColumn, CatalogScan, CatalogTable
from catalog.scans.state import keep_scan
from core.catalogue.entries import ColumnShape, Sample, TableKind, TableName, TableShape
from core.messages import Message, message
from core.toolspec import JsonValue

SAMPLE_ROWS = 5
VALID_FOR = timedelta(days=1)
_EDITED_MEANWHILE = message(
    "scan.edited_meanwhile",
    "its columns were edited while it was sampled; the next scan samples it again",
)


@dataclass(frozen=True)
class SampledTable:
    """A table to sample, as its rows described it at `loaded_at`."""

    pk: int
    shape: TableShape
    masked: frozenset[str]
    loaded_at: datetime


@dataclass(frozen=True)
class SampleOutcome:
    """The sample of a table, or why there is none."""

    table: SampledTable
    sample: Sample | None = None
    note: Message | None = None


def find_due_tables(scan: CatalogScan) -> list[int]:
    """Primary keys of the tables to sample, those that this scan found new or changed first.

    A sample serves for a day, unless the table has changed or its columns were edited since.
    """
    rows = CatalogTable.objects.present().filter(source_id=scan.source_id)
    found = rows.annotate(edited_at=Max("columns__updated_at")).values_list(
        "pk", "sample__read_at", "edited_at", "changed_at"
    )
    oldest = timezone.now() - VALID_FOR
    due = []
    for pk, read_at, edited_at, changed_at in found:
        sampled_at = parse_datetime(read_at) if read_at else None
        if not sampled_at or sampled_at < max(filter(None, (oldest, edited_at, changed_at))):
            is_new = changed_at and scan.started_at and changed_at >= scan.started_at
            due.append((not is_new, pk))
    return [pk for _, pk in sorted(due)]


def load_tables(ids: Sequence[int]) -> list[SampledTable]:
    """The tables with their present columns, in the order of `ids`; none of those that are gone."""
    loaded_at = timezone.now()
    columns: dict[int, list[CatalogColumn]] = {pk: [] for pk in ids}
    for column in CatalogColumn.objects.filter(table_id__in=ids, gone_at=None):
        columns[column.table_id].append(column)
    rows = CatalogTable.objects.present().defer("sample", "search_text").in_bulk(ids)
    return [_to_table(rows[pk], columns[pk], loaded_at) for pk in ids if pk in rows]


def write_samples(scan: CatalogScan, outcomes: Iterable[SampleOutcome]) -> None:
    """Keep samples and notes; not the sample of a table whose columns were edited meanwhile.

    Such an edit may have said that a column is to be masked.
    """
    by_id = {outcome.table.pk: outcome for outcome in outcomes}
    with transaction.atomic():
        tables = CatalogTable.objects.filter(pk__in=by_id)
        edits = tables.annotate(edited_at=Max("columns__updated_at")).values_list("pk", "edited_at")
        edited = {pk for pk, at in edits if at and at > by_id[pk].table.loaded_at}
        rows = [
            CatalogTable(
                pk=pk,
                sample=None if pk in edited else _to_json(outcome),
                **to_columns("sample_note", _EDITED_MEANWHILE if pk in edited else outcome.note),
            )
            for pk, outcome in by_id.items()
        ]
        CatalogTable.objects.bulk_update(rows, ["sample_note", "sample_note_message"])
        # bulk_update() would write the null of JSON, which no search for NULL finds.
        CatalogTable.objects.bulk_update([row for row in rows if row.sample], ["sample"])
        without = [row.pk for row in rows if not row.sample]
        CatalogTable.objects.filter(pk__in=without).update(sample=None)
        keep_scan(scan)


def _to_table(
    row: CatalogTable, columns: Sequence[CatalogColumn], loaded_at: datetime
) -> SampledTable:
    shape = TableShape(
        name=TableName(row.schema, row.name),
        kind=TableKind(row.kind),
        comment=row.source_comment,
        row_estimate=row.row_estimate,
        columns=tuple(
            ColumnShape(
                name=column.name,
                type_name=column.type_name,
                is_nullable=column.is_nullable,
                is_primary_key=column.is_primary_key,
                comment=column.source_comment,
            )
            for column in columns
        ),
    )
    masked = frozenset(column.name for column in columns if column.masks_samples(row))
    return SampledTable(row.pk, shape, masked, loaded_at)


def _to_json(outcome: SampleOutcome) -> dict[str, Any] | None:
    """The sample and when it was read: so it is known when it has to be read again."""
    if outcome.sample is None:
        return None
    return {
        "columns": list(outcome.sample.columns),
        "rows": [[_clean(value) for value in row] for row in outcome.sample.rows],
        "read_at": outcome.table.loaded_at.isoformat(),
    }


def _clean(value: JsonValue) -> JsonValue:
    """The value without what PostgreSQL's JSON cannot hold: NUL characters and halves of pairs."""
    match value:
        case str():
            return value.replace("\0", "").encode("utf-8", "replace").decode()
        case list() | tuple():
            return [_clean(item) for item in value]
        case dict():
            return {_clean(name): _clean(item) for name, item in value.items()}
    return value
