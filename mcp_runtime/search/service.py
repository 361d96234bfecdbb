"""The search for tools as a whole: opened with the runtime, closed with it."""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import Error as DatabaseError

from access.call_arguments import shorten_text
from access.database_thread import DatabaseThread
from access.record_buffers import RecordBuffer
from core.bindings import CallerFacts
from core.errors import EmbeddingError
from core.execution import CompiledTool
from core.languages import describe_tool
from core.retrieval.profiles import PROFILES
from core.retrieval.ranker import RankedTool
from core.retrieval.request import SearchQuery
from core.tool_entry import make_entry
from gateways.embeddings.client import EmbeddingClient
from mcp_runtime.endpoints import LANGUAGE
from mcp_runtime.search.records import write_searches
from mcp_runtime.snapshot import Snapshot
from tools.builtin.search_tools import SIGNALS
from tools.finding.follower import IndexFollower
from tools.finding.query_vectors import QueryVectors
from tools.finding.vector_maker import VectorMaker
from tools.models import ToolSearch

logger = logging.getLogger(__name__)

_DECIMALS = 4
# A model that changes its vectors all the time must not have all tools embedded all the time.
RENEWAL_INTERVAL_S = 60.0


class ToolSearchService:
    """Finds tools of the current snapshot; its jobs keep the index, the vectors and the records."""

    def __init__(
        self, snapshot: Callable[[], Snapshot], embedder: EmbeddingClient, runtime_id: UUID
    ) -> None:
        self._snapshot = snapshot
        self._runtime_id = runtime_id
        self._profile = PROFILES[settings.MCP_SEARCH_PROFILE]
        # Its own: reading thousands of vectors must not hold up the registry.
        self._database = DatabaseThread("search")
        model = embedder.settings.model if embedder.settings.is_complete else ""
        self.index = IndexFollower(snapshot, self._database, model)
        self._vectors = VectorMaker(self.index, embedder, self._database)
        self._queries = QueryVectors(embedder)
        # While the database is away the oldest searches are dropped.
        self._recorder: RecordBuffer[ToolSearch] = RecordBuffer(
            "search",
            lambda searches: self._database.call(write_searches, searches),
            max_waiting=5_000,
            batch_size=200,
        )
        self._renewed_at = float("-inf")

    def jobs(self) -> list[tuple[str, Coroutine[Any, Any, None]]]:
        """What has to run while tools are searched, with names."""
        self.index.notice()
        return [
            ("index tools", self.index.run()),
            ("embed tools", self._vectors.run()),
            ("record searches", self._recorder.run()),
        ]

    async def close(self) -> None:
        """Close what it holds open; its jobs have ended."""
        await self._queries.close()
        await self._database.close()

    async def find(self, text: str, limit: int, facts: CallerFacts) -> dict[str, Any]:
        """The answer of `search_tools`: at most `limit` tools that the caller may see, best first."""
        began = time.perf_counter()
        query = SearchQuery(text, limit=limit)
        keeps_texts = settings.CALL_LOG_ARGUMENTS == "full"
        record = ToolSearch(
            at=datetime.now(UTC),
            query=shorten_text(query.clipped) if keeps_texts else "",
            caller=facts.name,
            key_id=facts.key_id,
            runtime_id=self._runtime_id,
        )
        await self.index.ready.wait()
        if self.index.dimension:
            query = replace(query, vector=await self._queries.find(query.embedded_text))
        ranked, is_degraded = await self._rank(query, facts)
        if settings.MCP_SEARCH_LEARNING:
            record.concepts = list(self.index.ranker.find_concepts(query, self._profile))
        record.names = [tool.name for tool in ranked]
        record.scores = [tool.score for tool in ranked]
        record.degraded, record.duration_ms = is_degraded, (time.perf_counter() - began) * 1_000
        self._recorder.add(record)
        return {"tools": list(self._describe(ranked)), "degraded": is_degraded}

    async def _rank(self, query: SearchQuery, facts: CallerFacts) -> tuple[list[RankedTool], bool]:
        """What is found, without tools that left meanwhile, and whether it was by words alone."""
        ranker, allowed = self.index.ranker, self._snapshot().names_for(facts)
        try:
            ranked = await asyncio.to_thread(ranker.rank, query, allowed, self._profile)
        except EmbeddingError:
            now = time.monotonic()
            if query.vector is not None and now - self._renewed_at > RENEWAL_INTERVAL_S:
                self._renewed_at = now
                with suppress(DatabaseError, TimeoutError):
                    await self._vectors.renew(len(query.vector))
            return await self._rank(replace(query, vector=None), facts)
        snapshot = self._snapshot()
        found = [
            tool
            for tool in ranked
            if snapshot.find(tool.name) and snapshot.is_seen(facts, tool.name)
        ]
        return found, ranker.is_degraded(query)

    def _describe(self, ranked: Iterable[RankedTool]) -> Iterator[dict[str, Any]]:
        snapshot, language = self._snapshot(), LANGUAGE.get()
        for found in ranked:
            if (tool := snapshot.find(found.name)) is None:
                continue
            if isinstance(tool, CompiledTool):
                entry = describe_tool(tool, {}, language)
            else:
                entry = make_entry(tool.spec, tool.input_schema, {})
            yield {
                "name": entry.name,
                "title": entry.title,
                "description": entry.description or "",
                "parameters": entry.input_schema,
                "annotations": entry.annotations,
                "score": round(found.score, _DECIMALS),
                "signals": {key: round(found.signals[key], _DECIMALS) for key in SIGNALS},
            }
