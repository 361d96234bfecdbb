"""A portion of documents into vectors: what every indexing run does, one portion at a time."""

from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from asgiref.sync import sync_to_async
from django.db import OperationalError, connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils import timezone

from catalog.documents.rows import usable_metadata
from catalog.documents.searchable import embedded_text
from catalog.models import ReferenceDocument
from core.errors import EmbeddingError, EmbeddingUnavailableError, ToolboxError
from core.messages import Message, message
from gateways.embeddings.client import EmbeddingClient, TextRole
from gateways.vectors.store import VectorItem, VectorStore

# So much work is lost at most when a run is killed.
DOCUMENTS_TOGETHER = 32
# Any number that no other program of this database uses for its own lock.
PORTION_LOCK = 3_003_004
# Much longer than a portion takes.
_PORTION_WAIT = "120s"
# Any text: only a vector says how long vectors are.
PROBE = "dimension"

Item = TypeVar("Item")


class IndexingBusyError(ToolboxError):
    """Another run is indexing the documents."""


@dataclass
class IndexReport:
    """What a run did, counted in documents.

    `truncated` and `failed` are by key: those of which only the beginning was embedded, and why the
    server refused others. `remaining` were left because the run was stopped.
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


@dataclass
class PortionIndexer:
    """Makes the vectors of documents and removes those without one; several runs may do so at once.

    Each portion is read, embedded, stored and noted while no other portion is, in whatever process.
    So no run writes an old text over a new one, or removes the vector of a document that was written again.
    """

    embedder: EmbeddingClient
    store: VectorStore
    report: IndexReport = field(default_factory=IndexReport)

    async def find_target(self) -> IndexTarget:
        """Where this model's vectors go. Raises EmbeddingError."""
        # Asked even when the dimension is set: a server that refuses every text is found out at once.
        dimension = (await self.embedder.embed([PROBE], TextRole.PASSAGE)).dimension
        return IndexTarget(self.store.settings.collection, self.embedder.settings.model, dimension)

    async def index(self, ids: Collection[int], target: IndexTarget) -> None:
        """Embed and store the rows of these primary keys as they are now."""
        async with only_portion():
            found = ReferenceDocument.objects.filter(pk__in=ids).order_by("pk")
            rows = [row async for row in found]
            items = await self._embed(rows)
            await self.store.upsert(items)
            written = {item.id for item in items}
            indexed = [row for row in rows if row.key in written]
            for row in indexed:
                # What was embedded, even if the row has changed since: then it stays to be done.
                row.indexed_hash, row.indexed_with = row.content_hash, str(target)
                row.indexed_at = timezone.now()
            # Only now: a row says that it is indexed when its vector can be found.
            await ReferenceDocument.objects.abulk_update(
                indexed, ["indexed_hash", "indexed_with", "indexed_at"]
            )
        self.report.embedded += len(items)

    async def remove(self, keys: Sequence[str]) -> None:
        """Remove the vectors of these keys, of which those that have a document are left alone."""
        for portion in portions(keys, 1_000):
            async with only_portion():
                rows = ReferenceDocument.objects.filter(key__in=portion)
                known = {key async for key in rows.values_list("key", flat=True)}
                gone = sorted(set(portion) - known)
                await self.store.delete(gone)
            self.report.removed += len(gone)

    async def _embed(self, rows: Sequence[ReferenceDocument]) -> list[VectorItem]:
        """The vectors of the rows, without those that the server refuses."""
        if not rows:
            return []
        try:
            texts = [embedded_text(row) for row in rows]
            embeddings = await self.embedder.embed(texts, TextRole.PASSAGE)
        except EmbeddingUnavailableError:
            raise
        except EmbeddingError as error:
            if len(rows) == 1:
                self.report.failed[rows[0].key] = str(error)
                return []
            # One of them is at fault; the others shall not wait for it.
            return [item for row in rows for item in await self._embed([row])]
        self.report.truncated += [rows[index].key for index in embeddings.truncated]
        return [_to_item(*pair) for pair in zip(rows, embeddings.vectors, strict=True)]


@asynccontextmanager
async def only_portion() -> AsyncIterator[None]:
    """Keep all other portions out. Raises IndexingBusyError when they take minutes."""
    busy = message("documents.busy", "the documents are being indexed by another run")
    session = await sync_to_async(_wait_for_lock)(PORTION_LOCK, _PORTION_WAIT, busy)
    try:
        yield
    finally:
        await sync_to_async(session.close)()


def take_lock(lock: int) -> BaseDatabaseWrapper:
    """A session that keeps other runs out until it is closed, or its process dies.

    Raises IndexingBusyError when another run has the lock.
    """
    busy = message(
        "documents.busy_wait", "the documents are being indexed by another run; wait for its end"
    )
    # The session of a run that has just ended may still be leaving the server.
    return _wait_for_lock(lock, "2s", busy)


def is_of_another_model(target: IndexTarget) -> bool:
    """Whether rows are in this collection with vectors that cannot be compared with the new ones."""
    indexed = ReferenceDocument.objects.filter(indexed_with__startswith=f"{target.collection}/")
    return indexed.exclude(indexed_with=str(target)).exists()


def portions(items: Sequence[Item], size: int = DOCUMENTS_TOGETHER) -> Iterator[list[Item]]:
    """The items in their order, at most `size` at a time."""
    for start in range(0, len(items), size):
        yield list(items[start : start + size])


def _open_session() -> BaseDatabaseWrapper:
    """A session whose locks end with it.

    The usual connection may be closed and reopened; one of a pool is never closed, only given back.
    """
    session = connection.copy()
    session.settings_dict["OPTIONS"].pop("pool", None)
    return session


def _wait_for_lock(lock: int, patience: str, busy: Message) -> BaseDatabaseWrapper:
    session = _open_session()
    try:
        with session.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [patience])
            cursor.execute("SELECT pg_advisory_lock(%s)", [lock])
    except OperationalError as error:
        session.close()
        raise IndexingBusyError(busy) from error
    return session


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
