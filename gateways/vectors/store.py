"""Documents with their vectors in a Chroma server, found by nearness."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Self
from urllib.parse import quote

from core.messages import message
from gateways.vectors.batches import (
    check_items,
    check_vector,
    make_batches,
    make_id_batches,
    read_limits,
    upsert_payload,
)
from gateways.vectors.collection import Collection, Fit, new_collection, read_collection
from gateways.vectors.records import (
    MetadataValue,
    VectorItem,
    VectorMatch,
    read_count,
    read_matches,
    read_metadatas,
)
from gateways.vectors.requests import (
    API,
    COLLECTIONS,
    ChromaRequests,
    CollectionGoneError,
    Deadline,
)
from gateways.vectors.settings import VectorStoreSettings

__all__ = ["MetadataValue", "VectorItem", "VectorMatch", "VectorStore", "VectorStoreSettings"]

PAGE_ITEMS = 2_000
# The largest number that Chroma takes; it means all.
MAX_RESULTS = 2**31 - 1
CONTENT_HASH = "content_hash"
QUERIES_TOGETHER = 32


class VectorStore:
    """One collection. Any number of calls at once; belongs to one event loop.

    Nothing is asked of the server before the first call, and every call finds the collection again
    when it was replaced meanwhile. All methods raise VectorStoreUnavailableError while the server is
    down, at once for a second after a failure, and VectorStoreError for what cannot work.
    """

    def __init__(self, settings: VectorStoreSettings) -> None:
        self.settings = settings
        self._requests = ChromaRequests(settings)
        self._fit: Fit | None = None
        self._collection: Collection | None = None
        self._limits: tuple[int, bool] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()

    async def open(self, model: str, dimension: int, *, create: bool = False) -> None:
        """Make sure that the collection fits these embeddings, from now on at every call.

        `create` makes it where it is missing. Raises VectorStoreError when it is missing, holds
        vectors of another model or dimension, or, to be created, belongs to somebody else.
        """
        self._fit = Fit(model, dimension)
        self._collection = None
        if create:
            payload = new_collection(self.settings.collection, self._fit)
            deadline = self._writing()
            answer = await self._requests.send("POST", COLLECTIONS, payload, deadline=deadline)
            collection = read_collection(answer)
            # It may have been there before, or another process was faster.
            collection.check_ours()
            collection.check_fit(self._fit)
            self._collection = collection
        else:
            await self._find(self._reading())

    async def search(
        self,
        vectors: Sequence[Sequence[float]],
        n_results: int,
        where: Mapping[str, object] | None = None,
    ) -> list[list[VectorMatch]]:
        """For each vector the nearest documents, nearest first, equally near ones by id.

        At most `n_results` of them, fewer when there are fewer. `where` is a filter on metadata as
        in Chroma: `{"kind": "column"}`, `{"table": {"$in": ["orders", "users"]}}`.
        """
        if n_results < 1 or not vectors:
            return [[] for _ in vectors]
        deadline = self._reading()
        dimension = (await self._find(deadline)).dimension
        for vector in vectors:
            check_vector(vector, dimension)
        query = {
            "n_results": min(n_results, MAX_RESULTS),
            "where": where or None,
            "include": ["documents", "metadatas", "distances"],
        }
        found: list[list[VectorMatch]] = []
        for start in range(0, len(vectors), QUERIES_TOGETHER):
            together = [list(vector) for vector in vectors[start : start + QUERIES_TOGETHER]]
            answer = await self._ask("query", query | {"query_embeddings": together}, deadline)
            found += read_matches(answer)
        return found

    async def upsert(self, items: Iterable[VectorItem]) -> None:
        """Store the items; one with a known id replaces what was there.

        Taken from `items` a batch at a time, so that a generator keeps memory small. When a batch
        fails, those before it are stored.
        """
        largest, takes_base64 = await self._find_limits()
        for batch in make_batches(items, largest):
            deadline = self._writing()
            check_items(batch, (await self._find_own(deadline)).dimension)
            ids = {"ids": [item.id for item in batch], "include": ["metadatas"]}
            stored = read_metadatas(await self._ask("get", ids, deadline))
            payload = upsert_payload(batch, stored, takes_base64=takes_base64)
            await self._change("upsert", payload, deadline)

    async def delete(self, ids: Iterable[str]) -> None:
        """Remove the documents of these ids; ids that are not there are fine."""
        largest, _ = await self._find_limits()
        for batch in make_id_batches(ids, largest):
            await self._change("delete", {"ids": batch}, self._writing())

    async def hashes(self) -> dict[str, str]:
        """The `content_hash` in the metadata by id, of the documents that have one.

        Read in pages: what others add or delete meanwhile may be missed.
        """
        hashes: dict[str, str] = {}
        for offset in range(0, await self.count(), PAGE_ITEMS):
            page = {"include": ["metadatas"], "limit": PAGE_ITEMS, "offset": offset}
            metadatas = read_metadatas(await self._ask("get", page, self._reading()))
            hashes |= {
                key: str(metadata[CONTENT_HASH])
                for key, metadata in metadatas.items()
                if CONTENT_HASH in metadata
            }
        return hashes

    async def count(self) -> int:
        """The number of documents."""
        return read_count(await self._ask("count", None, self._reading()))

    async def drop(self) -> None:
        """Remove the collection with all documents; one that does not exist is fine.

        Raises VectorStoreError for a collection that somebody else made.
        """
        deadline = self._writing()
        self._collection = None
        with suppress(CollectionGoneError):
            (await self._read_collection(deadline)).check_ours()
            await self._requests.send("DELETE", self._named_path, deadline=deadline)

    async def close(self) -> None:
        """Close the connections; later calls are refused."""
        await self._requests.close()

    @property
    def _named_path(self) -> str:
        return f"{COLLECTIONS}/{quote(self.settings.collection, safe='')}"

    def _reading(self) -> Deadline:
        return Deadline.after(self.settings.timeout_s)

    def _writing(self) -> Deadline:
        return Deadline.after(self.settings.write_timeout_s)

    async def _find(self, deadline: Deadline) -> Collection:
        """The collection, which fits if anything was said of its embeddings."""
        if self._collection is None:
            collection = await self._read_collection(deadline)
            if self._fit is not None:
                collection.check_fit(self._fit)
            self._collection = collection
        return self._collection

    async def _find_own(self, deadline: Deadline) -> Collection:
        collection = await self._find(deadline)
        collection.check_ours()
        return collection

    async def _read_collection(self, deadline: Deadline) -> Collection:
        try:
            return read_collection(
                await self._requests.send("GET", self._named_path, deadline=deadline)
            )
        except CollectionGoneError as error:
            raise CollectionGoneError(
                message(
                    "vectors.no_collection_yet",
                    "there is no collection {name} yet; run `manage.py index_documents`",
                    name=self.settings.collection,
                )
            ) from error

    async def _find_limits(self) -> tuple[int, bool]:
        """How many items this server takes together, and whether vectors may be base64."""
        if self._limits is None:
            path = f"{API}/pre-flight-checks"
            answer = await self._requests.send("GET", path, deadline=self._reading())
            self._limits = read_limits(answer)
        return self._limits

    async def _ask(self, action: str, payload: object, deadline: Deadline) -> Any:
        return await self._on_collection(action, payload, self._find, deadline)

    async def _change(self, action: str, payload: object, deadline: Deadline) -> None:
        await self._on_collection(action, payload, self._find_own, deadline)

    async def _on_collection(
        self,
        action: str,
        payload: object,
        find: Callable[[Deadline], Awaitable[Collection]],
        deadline: Deadline,
    ) -> Any:
        """The answer of the collection, looked up once more when it was replaced meanwhile."""
        method = "GET" if payload is None else "POST"
        path = f"{(await find(deadline)).path}/{action}"
        try:
            return await self._requests.send(method, path, payload, deadline=deadline)
        except CollectionGoneError:
            self._collection = None
        path = f"{(await find(deadline)).path}/{action}"
        return await self._requests.send(method, path, payload, deadline=deadline)
