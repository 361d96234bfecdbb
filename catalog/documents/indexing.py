"""Reference documents into vectors: only what changed is embedded, and any run may be cut short."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from asgiref.sync import sync_to_async
from django.db.models import F, Max, Q
from django.utils import timezone

from catalog.documents.portions import (
    DOCUMENTS_TOGETHER,
    IndexingBusyError,
    IndexReport,
    IndexTarget,
    PortionIndexer,
    is_of_another_model,
    only_portion,
    portions,
    take_lock,
)
from catalog.documents.stored import refresh_documents
from catalog.models import CatalogScan, ReferenceDocument, RemovedDocument, ScanState
from core.messages import Message, message
from gateways.embeddings.client import EmbeddingClient
from gateways.vectors.store import VectorStore

__all__ = [
    "DOCUMENTS_TOGETHER",
    "IndexReport",
    "IndexTarget",
    "IndexingBusyError",
    "IsStopped",
    "Progress",
    "count_pending",
    "explain_unbuilt_index",
    "index_changed",
    "rebuild_index",
]

# Any number that no other program of this database uses for its own lock.
INDEXING_LOCK = 3_003_003

# Documents done so far, and how many there are to do.
Progress = Callable[[int, int], None]
IsStopped = Callable[[], bool]


def _say_nothing(_done: int, _total: int) -> None:
    pass


def _never() -> bool:
    return False


@dataclass(frozen=True)
class _Plan:
    """Rows by primary key whose vector is missing or old, rows found to be done, ids without a row."""

    pending: list[int] = field(default_factory=list)
    confirmed: list[int] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    current: int = 0


async def index_changed(
    embedder: EmbeddingClient,
    store: VectorStore,
    progress: Progress = _say_nothing,
    is_stopped: IsStopped = _never,
) -> IndexReport:
    """Make the vector store what the rows say, and tell what that took.

    What the store holds counts, not what a former run believed to have written. Where these rows
    went into it with another model, it is made anew. `is_stopped` is asked between portions; the
    next run goes on from there. Raises IndexingBusyError, EmbeddingError, VectorStoreError; what
    was done until then is kept.
    """
    return await _Indexer(embedder, store, progress, is_stopped).run(rebuild=False)


async def rebuild_index(
    embedder: EmbeddingClient,
    store: VectorStore,
    progress: Progress = _say_nothing,
    is_stopped: IsStopped = _never,
) -> IndexReport:
    """As `index_changed`, but make the collection anew in any case; searches find less meanwhile."""
    return await _Indexer(embedder, store, progress, is_stopped).run(rebuild=True)


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


class _Indexer(PortionIndexer):
    """One run over all documents."""

    def __init__(
        self,
        embedder: EmbeddingClient,
        store: VectorStore,
        progress: Progress,
        is_stopped: IsStopped,
    ) -> None:
        super().__init__(embedder, store)
        self._progress = progress
        self._is_stopped = is_stopped

    async def run(self, *, rebuild: bool) -> IndexReport:
        lock = await sync_to_async(take_lock)(INDEXING_LOCK)
        try:
            await sync_to_async(refresh_documents)()
            target = await self._open(rebuild=rebuild)
            last_removed = await sync_to_async(_find_last_removed)()
            plan = await sync_to_async(_make_plan)(await self.store.hashes(), target)
            await self._carry_out(plan, target, last_removed)
            return self.report
        finally:
            await sync_to_async(lock.close)()

    async def _open(self, *, rebuild: bool) -> IndexTarget:
        target = await self.find_target()
        if rebuild or await sync_to_async(is_of_another_model)(target):
            # Alone: a portion of another run would be dropped, and noted as stored.
            async with only_portion():
                await self.store.drop()
                # Afterwards: when this is killed in between, the next run drops again.
                await sync_to_async(_forget_vectors)()
            self.report.is_rebuilt = True
        await self.store.open(target.model, target.dimension, create=True)
        return target

    async def _carry_out(self, plan: _Plan, target: IndexTarget, last_removed: int) -> None:
        await sync_to_async(_confirm)(plan.confirmed, target)
        self.report.current = plan.current
        await self.remove(plan.gone)
        await sync_to_async(_forget_removed)(last_removed)
        done, total = 0, len(plan.pending)
        for ids in portions(plan.pending):
            if self._is_stopped():
                self.report.remaining = total - done
                return
            await self.index(ids, target)
            done += len(ids)
            self._progress(done, total)


def _find_last_removed() -> int:
    last: int | None = RemovedDocument.objects.aggregate(last=Max("pk"))["last"]
    return last or 0


def _forget_removed(last: int) -> None:
    RemovedDocument.objects.filter(pk__lte=last).delete()


def _forget_vectors() -> None:
    ReferenceDocument.objects.update(indexed_hash="", indexed_with="", indexed_at=None)


def _make_plan(stored: Mapping[str, str], target: IndexTarget) -> _Plan:
    known = ("pk", "key", "content_hash", "indexed_hash", "indexed_with")
    rows = ReferenceDocument.objects.order_by("pk").values_list(*known)
    pending, confirmed, keys = [], [], set()
    for pk, key, content_hash, *indexed in rows.iterator():
        keys.add(key)
        if stored.get(key) != content_hash:
            pending.append(pk)
        elif indexed != [content_hash, str(target)]:
            confirmed.append(pk)
    return _Plan(pending, confirmed, sorted(stored.keys() - keys), len(keys) - len(pending))


def _confirm(keys: Sequence[int], target: IndexTarget) -> None:
    """Say of rows whose vectors were found that they are indexed; a killed run may have left them."""
    for portion in portions(keys, 1_000):
        ReferenceDocument.objects.filter(pk__in=portion).update(
            indexed_hash=F("content_hash"), indexed_with=str(target), indexed_at=timezone.now()
        )
