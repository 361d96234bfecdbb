"""Reference documents into vectors: only what changed is embedded, and any run may be cut short."""

from collections.abc import Callable, Mapping

from asgiref.sync import sync_to_async
from django.db.models import F, Max, Q
from django.utils import timezone

from catalog.documents.portions import (
    IndexReport,
    IndexTarget,
    PortionIndexer,
    is_of_another_model,
    only_portion,
    portions,
    take_lock,
)
from catalog.documents.stored import refresh_documents
from catalog.management.interruption import IsStopped
from catalog.models import CatalogScan, ReferenceDocument, RemovedDocument, ScanState
from core.messages import Message, message
from gateways.embeddings.client import EmbeddingClient
from gateways.vectors.store import VectorStore

# Any number that no other program of this database uses for its own lock.
INDEXING_LOCK = 3_003_003

# Documents done so far, and how many there are to do.
Progress = Callable[[int, int], None]


async def index_changed(
    embedder: EmbeddingClient,
    store: VectorStore,
    progress: Progress = lambda _done, _total: None,
    is_stopped: IsStopped = lambda: False,
    *,
    rebuild: bool = False,
) -> IndexReport:
    """Make the vector store what the rows say, and tell what that took.

    What the store holds counts, not what a former run believed to have written. Where these rows
    went into it with another model, and for `rebuild`, it is made again; searches find less
    meanwhile. `is_stopped` is asked between portions; the next run goes on from there. Raises
    IndexingBusyError, EmbeddingError, VectorStoreError; what was done until then is kept.
    """
    lock = await sync_to_async(take_lock)(INDEXING_LOCK)
    try:
        await sync_to_async(refresh_documents)()
        indexer = PortionIndexer(embedder, store)
        target = await indexer.find_target()
        if rebuild or await sync_to_async(is_of_another_model)(target):
            # Alone: a portion of another run would be dropped, and noted as stored.
            async with only_portion():
                await store.drop()
                # Afterwards: when this is killed in between, the next run drops again.
                await ReferenceDocument.objects.aupdate(
                    indexed_hash="", indexed_with="", indexed_at=None
                )
            indexer.report.is_rebuilt = True
        await store.open(target.model, target.dimension, create=True)
        await _index_all(indexer, target, progress, is_stopped)
        return indexer.report
    finally:
        await sync_to_async(lock.close)()


async def _index_all(
    indexer: PortionIndexer, target: IndexTarget, progress: Progress, is_stopped: IsStopped
) -> None:
    """Embed what the store lacks, and remove what it holds without a row."""
    report = indexer.report
    removed = await RemovedDocument.objects.aaggregate(last=Max("pk"))
    stored = await indexer.store.hashes()
    pending, found, keys = await sync_to_async(_compare)(stored, target)
    report.current = len(keys) - len(pending)
    # A killed run may have left rows that do not say that they are indexed.
    for portion in portions(found, 1_000):
        await ReferenceDocument.objects.filter(pk__in=portion).aupdate(
            indexed_hash=F("content_hash"), indexed_with=str(target), indexed_at=timezone.now()
        )
    await indexer.remove(sorted(stored.keys() - keys))
    await RemovedDocument.objects.filter(pk__lte=removed["last"] or 0).adelete()
    done, total = 0, len(pending)
    for ids in portions(pending):
        if is_stopped():
            report.remaining = total - done
            return
        await indexer.index(ids, target)
        done += len(ids)
        progress(done, total)


def _compare(
    stored: Mapping[str, str], target: IndexTarget
) -> tuple[list[int], list[int], set[str]]:
    """Primary keys of rows without their vector, of rows that only lack the note of it; all keys."""
    columns = ("pk", "key", "content_hash", "indexed_hash", "indexed_with")
    rows = ReferenceDocument.objects.order_by("pk").values_list(*columns)
    pending, found, keys = [], [], set()
    for pk, key, content_hash, *indexed in rows.iterator():
        keys.add(key)
        if stored.get(key) != content_hash:
            pending.append(pk)
        elif indexed != [content_hash, str(target)]:
            found.append(pk)
    return pending, found, keys


def count_pending(target: IndexTarget) -> int:
    """Documents whose rows do not say that their vectors are in `target`, of whatever dimension."""
    prefix = f"{target.collection}/{target.model}/"
    is_done = Q(indexed_hash=F("content_hash"), indexed_with__startswith=prefix)
    return ReferenceDocument.objects.exclude(is_done).count()


def explain_unbuilt_index(target: IndexTarget) -> Message | None:
    """Why a search of the index may find nothing although there is something; None where it is whole."""
    if not ReferenceDocument.objects.exists():
        if CatalogScan.objects.filter(state=ScanState.DONE).exists():
            return None
        return message(
            "documents.none_yet",
            "there are no reference documents yet: no data source was scanned; try again in a few"
            " seconds, or ask the administrator for a scan",
        )
    if count_pending(target):
        return message(
            "documents.index_being_built",
            "the index of reference documents is being built; try again in a few seconds",
        )
    return None
