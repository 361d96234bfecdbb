"""The demo's catalogue: scanned, described as people would have done, once, and indexed."""

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from asgiref.sync import async_to_sync
from django.db import transaction

from catalog.changes import tables_changed
from catalog.documents.indexing import count_pending, index_changed
from catalog.documents.portions import IndexingBusyError, IndexTarget
from catalog.documents.tables import refresh_all_documents
from catalog.documents.vector_services import embedding_settings, vector_store_settings
from catalog.models import (
    CatalogColumn,
    CatalogTable,
    DocumentKind,
    ReferenceDocument,
    ScanState,
    TableRelation,
    Tag,
)
from catalog.scans.scanning import find_or_queue_scan, find_scannable, run_scan
from catalog.scans.state import ScanBusyError, ScanLostError
from config.demo.loading import DOCUMENTS_SOURCE, FOLDER
from config.demo.vectors import ShippedEmbedder, read_shipped
from core.catalogue.entries import RelationType
from core.errors import EmbeddingError, VectorStoreError
from gateways.vectors.store import VectorStore

logger = logging.getLogger(__name__)

PATH: Path = FOLDER / "catalogue.json"
SCHEMA = "public"
AUTHOR = "demo"
_TEXTS = ("display_name", "description", "notes")


def prepare_catalogue() -> None:
    """Scan, describe and index the demo before anything is served, with the vectors that are shipped.

    If a server is away, jobs do it later.
    """
    try:
        if None in find_scannable(without=[ScanState.DONE]):
            run_scan(find_or_queue_scan(None, ""))
        load_catalogue()
        target = IndexTarget(vector_store_settings().collection, embedding_settings().model)
        if refresh_all_documents() or count_pending(target):
            async_to_sync(_index)()
    except (ScanBusyError, ScanLostError, IndexingBusyError) as error:
        logger.info("the demo is being prepared by another process: %s", error)
    except (EmbeddingError, VectorStoreError) as error:
        logger.warning("the demo's documents are indexed later: %s", error)


async def _index() -> None:
    embedder = ShippedEmbedder(embedding_settings(), read_shipped())
    try:
        async with VectorStore(vector_store_settings()) as store:
            await index_changed(embedder, store)
    finally:
        await embedder.close()


def load_catalogue() -> int:
    """Describe the shop's tables, and return how many; only if the default data source is the shop.

    A table that anybody has edited, this loader included, is left alone: what was removed does not
    come back.
    """
    entries: dict[str, Any] = json.loads(PATH.read_text("utf-8"))
    names = entries["tables"]
    with transaction.atomic():
        rows = CatalogTable.objects.present().select_for_update()
        tables = {
            table.name: table for table in rows.filter(source=None, schema=SCHEMA, name__in=names)
        }
        # Another database has some of the names at most.
        if len(tables) < len(names):
            tables = {}
        untouched = {name: table for name, table in tables.items() if not table.updated_by}
        for name, table in untouched.items():
            _describe(table, entries["tables"][name])
        for relation in entries["relations"]:
            if relation["table"] in untouched:
                _relate(tables, relation)
        _remove_former_documents(tables)
        tables_changed([table.pk for table in untouched.values()])
        return len(untouched)


def _describe(table: CatalogTable, entry: Mapping[str, Any]) -> None:
    for name in _TEXTS:
        if not getattr(table, name):
            setattr(table, name, entry[name])
    table.updated_by = AUTHOR
    table.save(update_fields=[*_TEXTS, "updated_by", "updated_at"])
    if not table.tags.exists():
        for name in entry["tags"]:
            table.tags.add(Tag.objects.get_or_create(name=name)[0])


def _relate(tables: Mapping[str, CatalogTable], entry: Mapping[str, Any]) -> None:
    table, target = tables[entry["table"]], tables[entry["target"]]
    known = TableRelation.objects.filter(
        table=table, target=target, relation_type=entry["relation_type"]
    )
    if entry["relation_type"] == RelationType.FOREIGN_KEY:
        known.filter(columns=entry["columns"], description="").update(
            description=entry["description"]
        )
    elif not known.exists():
        values = {name: value for name, value in entry.items() if name not in {"table", "target"}}
        TableRelation.objects.create(table=table, target=target, **values)


def _remove_former_documents(tables: Mapping[str, CatalogTable]) -> None:
    """Delete demo documents of columns that say no more than the catalogue now does by itself."""
    columns = CatalogColumn.objects.filter(table__in=tables.values())
    rows = columns.values_list("table__name", "name", "source_comment")
    comments = {f"column:{table}.{name}": comment for table, name, comment in rows}
    former = ReferenceDocument.objects.filter(source=DOCUMENTS_SOURCE, kind=DocumentKind.COLUMN)
    stale = [
        pk
        for pk, key, content in former.values_list("pk", "key", "content")
        if comments.get(key) == content.get("description")
    ]
    ReferenceDocument.objects.filter(pk__in=stale).delete()
