"""Reference documents into vectors: only what changed is embedded, and any run may be cut short."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from asgiref.sync import sync_to_async
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import F, Q
from django.utils import timezone

from catalog.document_rows import usable_metadata
from catalog.documents import refresh_documents
from catalog.models import ReferenceDocument
from core.errors import EmbeddingError, EmbeddingUnavailableError, ToolboxError
from gateways.embeddings.client import EmbeddingClient, TextRole
from gateways.vectors.store import VectorItem, VectorStore

# Any number that no other program of this database uses for its own lock.
INDEXING_LOCK = 3_003_003
# So much work is lost at most when a run is killed.
DOCUMENTS_TOGETHER = 32
# Any text: only a vector says how long vectors are.
_PROBE = "dimension"

# Documents done so far, and how many there are to do.
Progress = Callable[[int, int], None]
IsStopped = Callable[[], bool]


def _say_nothing(_done: int, _total: int) -> None:
    pass


def _never() -> bool:
    return False


class IndexingBusyError(ToolboxError):
    """Another run is indexing the documents."""


@dataclass
class IndexReport:
    """What a run did, counted in documents.

    `truncated` and `failed` are by key: those of which only the beginning was embedded, and why the
    server refused others. `remaining` were left because the run was told to stop.
    """

    embedded: int = 0
    removed: int = 0
    current: int = 0
    remaining: int = 0
    is_rebuilt: bool = False
    truncated: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class IndexTarget:
    """Where vectors go, and whose they are."""

    collection: str
    model: str
    dimension: int = 0

    def __str__(self) -> str:
        return f"{self.collection}/{self.model}/{self.dimension}"


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


@dataclass
class _Indexer:
    """One run."""

    embedder: EmbeddingClient
    store: VectorStore
    progress: Progress
    is_stopped: IsStopped
    report: IndexReport = field(default_factory=IndexReport)

    async def run(self, *, rebuild: bool) -> IndexReport:
        lock = await sync_to_async(_take_lock)()
        try:
            await sync_to_async(refresh_documents)()
            target = await self._open(rebuild=rebuild)
            plan = await sync_to_async(_make_plan)(await self.store.hashes(), target)
            await self._carry_out(plan, target)
            return self.report
        finally:
            await sync_to_async(lock.close)()

    async def _open(self, *, rebuild: bool) -> IndexTarget:
        target = await _find_target(self.embedder, self.store)
        if rebuild or await sync_to_async(_is_of_another_model)(target):
            await self.store.drop()
            # Afterwards: when this is killed in between, the next run drops again.
            await sync_to_async(_forget_vectors)()
            self.report.is_rebuilt = True
        await self.store.open(target.model, target.dimension, create=True)
        return target

    async def _carry_out(self, plan: _Plan, target: IndexTarget) -> None:
        await sync_to_async(_confirm)(plan.confirmed, target)
        self.report.current = plan.current
        await self.store.delete(plan.gone)
        self.report.removed = len(plan.gone)
        done, total = 0, len(plan.pending)
        for keys in _portions(plan.pending):
            if self.is_stopped():
                self.report.remaining = total - done
                return
            await self._index(await sync_to_async(_read_rows)(keys), target)
            done += len(keys)
            self.progress(done, total)

    async def _index(self, rows: Sequence[ReferenceDocument], target: IndexTarget) -> None:
        items = await self._embed(rows)
        await self.store.upsert(items)
        written = {item.id for item in items}
        # Only now: a row says that it is indexed when its vector can be found.
        await sync_to_async(_mark_indexed)([r for r in rows if r.key in written], target)
        self.report.embedded += len(items)

    async def _embed(self, rows: Sequence[ReferenceDocument]) -> list[VectorItem]:
        """The vectors of the rows, without those that the server refuses."""
        try:
            return await self._embed_together(rows)
        except EmbeddingUnavailableError:
            raise
        except EmbeddingError as error:
            if len(rows) == 1:
                self.report.failed[rows[0].key] = str(error)
                return []
        # One of them is at fault; the others shall not wait for it.
        return [item for row in rows for item in await self._embed([row])]

    async def _embed_together(self, rows: Sequence[ReferenceDocument]) -> list[VectorItem]:
        texts = [row.text for row in rows]
        embeddings = await self.embedder.embed(texts, TextRole.PASSAGE)
        self.report.truncated += [rows[index].key for index in embeddings.truncated]
        return [_to_item(*pair) for pair in zip(rows, embeddings.vectors, strict=True)]


async def _find_target(embedder: EmbeddingClient, store: VectorStore) -> IndexTarget:
    # Asked even when the dimension is set: a server that refuses every text is found out at once.
    dimension = (await embedder.embed([_PROBE], TextRole.PASSAGE)).dimension
    return IndexTarget(store.settings.collection, embedder.settings.model, dimension)


def _take_lock() -> BaseDatabaseWrapper:
    """A session that keeps other runs out until it is closed, or its process dies."""
    # Its own: the usual connection may be closed and opened anew, and the lock with it.
    session = connection.copy()
    with session.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [INDEXING_LOCK])
        (is_ours,) = cursor.fetchone()
    if not is_ours:
        session.close()
        raise IndexingBusyError("the documents are being indexed by another run; wait for its end")
    return session


def _is_of_another_model(target: IndexTarget) -> bool:
    """Whether rows are in this collection with vectors that cannot be compared with the new ones."""
    indexed = ReferenceDocument.objects.filter(indexed_with__startswith=f"{target.collection}/")
    return indexed.exclude(indexed_with=str(target)).exists()


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
    for portion in _portions(keys, 1_000):
        ReferenceDocument.objects.filter(pk__in=portion).update(
            indexed_hash=F("content_hash"), indexed_with=str(target), indexed_at=timezone.now()
        )


def _read_rows(keys: Sequence[int]) -> list[ReferenceDocument]:
    return list(ReferenceDocument.objects.filter(pk__in=keys).order_by("pk"))


def _to_item(row: ReferenceDocument, vector: Sequence[float]) -> VectorItem:
    metadata = {
        **usable_metadata(row.metadata),
        "kind": row.kind,
        "table": row.table_name,
        "column": row.column_name,
        "source": row.source,
        "content_hash": row.content_hash,
    }
    return VectorItem(row.key, row.text, vector, metadata)


def _mark_indexed(rows: Sequence[ReferenceDocument], target: IndexTarget) -> None:
    for row in rows:
        # What was embedded, even if the row has changed since: then it stays to be done.
        row.indexed_hash = row.content_hash
        row.indexed_with = str(target)
        row.indexed_at = timezone.now()
    fields = ["indexed_hash", "indexed_with", "indexed_at"]
    ReferenceDocument.objects.bulk_update(rows, fields)


def _portions(keys: Sequence[int], size: int = DOCUMENTS_TOGETHER) -> Iterator[Sequence[int]]:
    for start in range(0, len(keys), size):
        yield keys[start : start + size]
