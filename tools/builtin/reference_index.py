"""The index of reference documents: follows rows, vectors and the glossary while it is asked."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import ParamSpec, TypeVar

from django.db import Error as DatabaseError
from django.db import connections

from core.errors import EmbeddingError, VectorStoreError
from gateways.vectors.reader import PAGE_VECTORS, VectorReader
from gateways.vectors.settings import VectorStoreSettings
from tools.builtin.reference_state import (
    MAX_VECTOR_BYTES,
    References,
    VectorDraft,
    read_changes,
    wanted_vectors,
    with_changes,
)

logger = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

# An edit counts for the next call that is made so long after it.
CHECK_INTERVAL_S = 1.0
# Of so much time, at most a share goes into following changes: those of a long indexing run are many.
REST_PER_WORK = 4.0
MOST_REST_S = 3.0
VECTORS_RETRY_S = 2.0
FIRST_WAIT_S = 2.0
WAIT_S = 1.0
DATABASE_TIMEOUT_S = 30.0


class ReferenceIndex:
    """Has the present `References`. Belongs to one event loop; nothing runs while nobody asks."""

    def __init__(
        self, store: VectorStoreSettings, model: str, most_bytes: int = MAX_VECTOR_BYTES
    ) -> None:
        """`model` is the embedding model's name, '' for none; `most_bytes` is for vectors."""
        self._store = store
        self._target = f"{store.collection}/{model}/" if model else ""
        self._most_bytes = most_bytes
        self._state: References | None = None
        self._following: asyncio.Task[None] | None = None
        self._next_check = float("-inf")
        self._vectors_at = float("-inf")
        self._lacks_vectors = False

    async def follow(self) -> None:
        """Read what has changed, vectors too, however long that takes."""
        await self.current()
        if self._following is not None:
            await asyncio.wait({self._following})

    async def current(self) -> References | None:
        """The documents as they are, or as they were while changes take more than a second.

        None where they cannot be read, or not within two seconds.
        """
        loop = asyncio.get_running_loop()
        if self._following is None or self._following.done():
            if loop.time() < self._next_check:
                return self._state
            self._following = loop.create_task(self._follow())
        wait_s = FIRST_WAIT_S if self._state is None else WAIT_S
        if not (self._state and self._lacks_vectors):
            await asyncio.wait({self._following}, timeout=wait_s)
        return self._state

    @property
    def is_loading(self) -> bool:
        """Whether the first vectors are still being read."""
        is_following = self._following is not None and not self._following.done()
        return is_following and not (self._state and self._state.index.vectors.has_vectors)

    async def close(self) -> None:
        """Follow no more."""
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            if await self._follow_rows() or (self._lacks_vectors and began >= self._vectors_at):
                await self._follow_vectors()
        except (DatabaseError, TimeoutError):
            logger.warning("reference documents are searched as they were; the database is away")
        except Exception:
            # Whatever a strange row does to the index, the earlier one goes on being searched.
            logger.exception("reference documents cannot be indexed")
        work_s = loop.time() - began
        rest_s = min(MOST_REST_S, REST_PER_WORK * work_s)
        self._next_check = loop.time() + max(CHECK_INTERVAL_S, rest_s)

    async def _follow_rows(self) -> bool:
        before = self._state or References()
        changes = await _read_rows(read_changes, before)
        if changes is None:
            self._state = before
            return False
        self._state = await asyncio.to_thread(with_changes, before, changes)
        return True

    async def _follow_vectors(self) -> None:
        state = self._state
        if state is None or not self._target:
            return
        wanted = wanted_vectors(state, self._target, self._most_bytes)
        missing = [key for key, stamp in wanted.items() if state.vectors.get(key) != stamp]
        draft = VectorDraft(state, wanted)
        try:
            await self._take_vectors(draft, missing)
        except (VectorStoreError, EmbeddingError) as error:
            logger.warning("the meaning of reference documents waits: %s", error)
        state = self._state = await asyncio.to_thread(draft.finish)
        self._lacks_vectors = any(state.vectors.get(key) != stamp for key, stamp in wanted.items())
        self._vectors_at = asyncio.get_running_loop().time() + VECTORS_RETRY_S

    async def _take_vectors(self, draft: VectorDraft, missing: Sequence[str]) -> None:
        async with VectorReader(self._store) as reader:
            for start in range(0, len(missing), PAGE_VECTORS):
                vectors = await reader.read_vectors(missing[start : start + PAGE_VECTORS])
                await asyncio.to_thread(draft.take, vectors)


async def _read_rows(verb: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `verb` returns, in a thread whose connection is closed when it is done."""

    def read() -> T:
        try:
            return verb(*args, **kwargs)
        finally:
            connections.close_all()

    async with asyncio.timeout(DATABASE_TIMEOUT_S):
        return await asyncio.to_thread(read)
