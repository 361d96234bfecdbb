"""Reference documents as rows: loaded and removed by their source, found by their words."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, cast

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Max
from django.utils import timezone

from catalog.documents.files import DocumentFileError, read_files
from catalog.documents.rows import Document, TextFormat, render_content
from catalog.documents.searchable import embedded_text
from catalog.models import ReferenceDocument

if TYPE_CHECKING:
    from core.retrieval.bm25f import TextIndex

# Any number that no other program of this database uses for its own lock.
LOADING_LOCK = 3_003_002
ROWS_TOGETHER = 500
# How the sources of documents begin that the catalogue writes by itself.
CATALOG_PREFIX = "catalogue:"
_COLUMNS = {
    **dict.fromkeys(("key", "kind", "table_name", "column_name", "text"), "text"),
    **dict.fromkeys(("content", "metadata"), "jsonb"),
    **dict.fromkeys(("content_hash", "source"), "text"),
    "updated_at": "timestamptz",
    "is_urgent": "boolean",
}
# One JSON text: psycopg takes three times as long to make arrays of so many values.
_UPSERT = f"""
    INSERT INTO h_reference_document ({", ".join(_COLUMNS)})
    SELECT {", ".join(_COLUMNS)} FROM jsonb_to_recordset(%s::jsonb)
        AS written ({", ".join(f"{name} {kind}" for name, kind in _COLUMNS.items())})
    ON CONFLICT (key) DO UPDATE
        SET {", ".join(f"{name} = EXCLUDED.{name}" for name in _COLUMNS if name != "key")}
"""  # noqa: S608 - names of this module


@dataclass(frozen=True)
class LoadReport:
    """What loading the documents of one source did to the rows, counted."""

    source: str
    added: int
    changed: int
    unchanged: int
    removed: int

    @property
    def total(self) -> int:
        """Documents that the source has now."""
        return self.added + self.changed + self.unchanged


def load_files(paths_of: Mapping[str, Sequence[Path]]) -> list[LoadReport]:
    """Make the rows of each source what its files say together; all of it, or nothing.

    Raises DocumentFileError, with every fault of all the files.
    """
    reports: list[LoadReport] = []
    faults: list[str] = []
    with transaction.atomic():
        for source, paths in paths_of.items():
            documents, found = read_files(paths)
            if not documents and not found:
                found = [
                    f"{paths[0]}: holds no documents; to remove those of a source, use --remove"
                ]
            try:
                reports.append(load_documents(source, documents, found))
            except DocumentFileError as error:
                faults += error.faults
        if faults:
            raise DocumentFileError(faults)
    return reports


def load_documents(
    source: str, documents: Sequence[Document], faults: Sequence[str] = ()
) -> LoadReport:
    """Make the rows of `source` these documents.

    Raises DocumentFileError for `faults`, for a document that another source has, and for a source
    of the catalogue.
    """
    if source.startswith(CATALOG_PREFIX):
        raise DocumentFileError(
            [f"{source}: the catalogue writes these documents itself; choose another source"]
        )
    with transaction.atomic():
        _wait_for_other_loaders()
        others = ReferenceDocument.objects.exclude(source=source)
        keys = [document.key for document in documents]
        owners = dict(others.filter(key__in=keys).values_list("key", "source"))
        conflicts = [
            f"{document.place or document.key}: {document.key} is there already, from the source"
            f" {owners[document.key]!r}; load both under one --source, or give this one a key of"
            " its own"
            for document in documents
            if document.key in owners
        ]
        if faults or conflicts:
            raise DocumentFileError([*faults, *conflicts])
        return _write_rows(source, [make_row(source, document) for document in documents])


def upsert_rows(rows: Sequence[ReferenceDocument]) -> None:
    """Write the rows over those of the same keys, whose vectors stay known."""
    with connection.cursor() as cursor:
        for start in range(0, len(rows), ROWS_TOGETHER):
            together = rows[start : start + ROWS_TOGETHER]
            values = [
                {name: getattr(row, name) for name in _COLUMNS}
                | {"updated_at": row.updated_at.isoformat()}
                for row in together
            ]
            cursor.execute(_UPSERT, [json.dumps(values, ensure_ascii=False)])


def remove_source(source: str) -> int:
    """Delete the documents of a source, and say how many there were; vectors go at the next indexing."""
    with transaction.atomic():
        _wait_for_other_loaders()
        return ReferenceDocument.objects.filter(source=source).delete()[0]


def find_sources() -> list[str]:
    """The names of all sources, in order."""
    names = ReferenceDocument.objects.order_by("source").values_list("source", flat=True)
    return list(names.distinct())


def refresh_documents() -> int:
    """Bring text and content hash of every row up to date, and say how many were not.

    They are not after another SQL_REFERENCE_FORMAT, and where another program wrote the row.
    """
    stale = [row for row in ReferenceDocument.objects.iterator(ROWS_TOGETHER) if _refresh(row)]
    ReferenceDocument.objects.bulk_update(
        stale, ["text", "content_hash", "updated_at"], batch_size=ROWS_TOGETHER
    )
    return len(stale)


def search_documents_by_text(query: str, limit: int) -> list[str]:
    """The texts of documents that share words with the query, best first, at most `limit`.

    One query of the database while nothing changes; an index of all documents is kept in memory.
    """
    stamp = ReferenceDocument.objects.aggregate(count=Count("pk"), updated_at=Max("updated_at"))
    index, texts = _read_index(stamp["count"], stamp["updated_at"])
    return [texts[number] for number, _ in index.rank(query, limit)]


@lru_cache(maxsize=1)
def _read_index(_count: int, _updated_at: datetime | None) -> tuple["TextIndex", list[str]]:
    """The index of all texts; count and time only say whether the one that is kept is still right."""
    # Here alone: it loads numpy, and whatever else reads documents does without.
    from core.retrieval.bm25f import TextIndex  # noqa: PLC0415

    texts = list(ReferenceDocument.objects.order_by("key").values_list("text", flat=True))
    return TextIndex(texts), texts


def _wait_for_other_loaders() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOADING_LOCK])


def _write_rows(source: str, rows: Sequence[ReferenceDocument]) -> LoadReport:
    documents = ReferenceDocument.objects
    known = dict(documents.filter(source=source).values_list("key", "content_hash"))
    written = [row for row in rows if known.get(row.key) != row.content_hash]
    upsert_rows(written)
    gone = known.keys() - {row.key for row in rows}
    documents.filter(key__in=gone).delete()
    changed = sum(row.key in known for row in written)
    unchanged = len(rows) - len(written)
    return LoadReport(source, len(written) - changed, changed, unchanged, len(gone))


def make_row(source: str, document: Document) -> ReferenceDocument:
    """The row of a document, with its text and content hash; it is not written yet."""
    row = ReferenceDocument(
        key=document.key,
        kind=document.kind,
        table_name=document.content.get("table", ""),
        column_name=document.content.get("column_name", ""),
        content=dict(document.content),
        metadata=document.metadata,
        source=source,
    )
    _refresh(row)
    return row


def _refresh(row: ReferenceDocument) -> bool:
    """Set text and hash by the content; whether that changed the row."""
    # A row that another program wrote may hold a text alone.
    if isinstance(row.content, dict) and row.content:
        text_format = cast(TextFormat, settings.SQL_REFERENCE_FORMAT)
        row.text = render_content(row.kind, row.content, text_format)
    # A digest of everything that goes into the vector store.
    parts = [row.text, row.kind, row.table_name, row.column_name, row.source, row.metadata]
    embedded = embedded_text(row)
    parts += [row.content, *([] if embedded == row.text else [embedded])]
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode())
    before, row.content_hash = row.content_hash, digest.hexdigest()[:32]
    row.updated_at = timezone.now()
    return before != row.content_hash
