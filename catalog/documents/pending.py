"""Vectors of what changed lately, soon: beside a run over everything, and without listing the store."""

import logging
import time
from collections.abc import Collection

from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.db.models import F, QuerySet

from catalog.documents.portions import (
    DOCUMENTS_TOGETHER,
    IndexingBusyError,
    IndexReport,
    PortionIndexer,
    is_of_another_model,
    take_lock,
)
from catalog.documents.vector_services import embedding_settings, vector_store_settings
from catalog.management.interruption import IsStopped
from catalog.models import ReferenceDocument, RemovedDocument
from core.errors import EmbeddingError, VectorStoreError
from core.messages import message
from gateways.embeddings.client import EmbeddingClient
from gateways.vectors.requests import CollectionGoneError
from gateways.vectors.store import VectorStore

logger = logging.getLogger(__name__)

# Any number that no other program of this database uses for its own lock.
PENDING_LOCK = 3_003_005
# A run ends and another one follows, so that a worker can be stopped.
RUN_S = 30.0
_REMOVED_TOGETHER = 1_000


def index_pending_for(seconds: float = RUN_S) -> bool:
    """Bring vectors up to date for about so long; whether there is more to do that can be done.

    One run at a time: while another one works it is left to that, which looks again when it is
    done. Servers that are away are logged; what was not done stays to be done.
    """
    if not settings.TEXT_EMBEDDING_MODEL_URL:
        return False
    end = time.monotonic() + seconds

    async def index() -> IndexReport:
        embedder = EmbeddingClient(embedding_settings())
        store = VectorStore(vector_store_settings())
        try:
            return await index_pending(embedder, store, lambda: time.monotonic() > end)
        finally:
            await embedder.close()
            await store.close()

    try:
        report = async_to_sync(index)()
    except IndexingBusyError:
        return False
    except (EmbeddingError, VectorStoreError) as error:
        logger.warning("changed documents keep their old vectors for now: %s", error)
        return False
    # After the lock was given back: a job that came while it was held has gone away again.
    return has_pending(report.failed)


async def index_pending(
    embedder: EmbeddingClient, store: VectorStore, is_stopped: IsStopped
) -> IndexReport:
    """Remove the vectors of deleted documents, then embed changed ones: urgent first, then newest.

    Raises IndexingBusyError beside another such run, EmbeddingError, VectorStoreError; what was
    done until then is kept. Vectors of another model are left to `index_changed`.
    """
    lock = await sync_to_async(take_lock)(PENDING_LOCK)
    try:
        indexer = PortionIndexer(embedder, store)
        await _index_all(indexer, is_stopped)
        return indexer.report
    finally:
        await sync_to_async(lock.close)()


def has_pending(failed: Collection[str] = ()) -> bool:
    """Whether documents or deleted ones wait, but for those of the keys in `failed`."""
    return _pending().exclude(key__in=failed).exists() or RemovedDocument.objects.exists()


async def _index_all(indexer: PortionIndexer, is_stopped: IsStopped) -> None:
    # First, and without the model: what may no longer be seen shall not wait for it.
    await _remove_deleted(indexer)
    if not await _pending().aexists():
        return
    target = await indexer.find_target()
    if await sync_to_async(is_of_another_model)(target):
        raise VectorStoreError(
            message(
                "vectors.other_model",
                "the collection holds vectors of another model; run `manage.py index_documents`",
            )
        )
    await indexer.store.open(target.model, target.dimension, create=True)
    while not is_stopped():
        rows = _pending().exclude(key__in=indexer.report.failed)
        first = rows.order_by("-is_urgent", "-updated_at").values_list("pk", flat=True)
        ids = [pk async for pk in first[:DOCUMENTS_TOGETHER]]
        if not ids:
            return
        await indexer.index(ids, target)
        # An edit and its like while a long scan is being embedded.
        await _remove_deleted(indexer)


async def _remove_deleted(indexer: PortionIndexer) -> None:
    rows = RemovedDocument.objects.order_by("pk").values_list("pk", "key")
    while removed := {pk: key async for pk, key in rows.all()[:_REMOVED_TOGETHER]}:
        # Without a collection there is nothing to find.
        try:
            await indexer.remove(sorted(set(removed.values())))
        except CollectionGoneError:
            logger.info("there is no collection to remove documents from")
        await RemovedDocument.objects.filter(pk__in=removed).adelete()


def _pending() -> QuerySet[ReferenceDocument]:
    return ReferenceDocument.objects.exclude(indexed_hash=F("content_hash"))
