"""Runtimes that serve the search and no other built-in tool, with and without an embedding server."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.gateways.embeddings.scripted_server import ScriptedServer, scripted
from tests.mcp_runtime.conftest import Served
from tests.tools.finding.meanings import meanings
from tests.waiting import LIMIT_S
from tools.finding import query_vectors


@pytest.fixture(autouse=True)
def _only_searching(settings: Any) -> None:
    settings.MCP_BUILTIN_TOOLS = ["search_tools", "call_tool"]


@pytest.fixture
async def model(settings: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ScriptedServer]:
    """The embedding server that the settings name; it plays other `replies` if told to.

    Searches wait for it on a busy machine too; a test whose server is silent sets its own deadline.
    """
    monkeypatch.setattr(query_vectors, "DEADLINE_S", LIMIT_S)
    async with scripted(meanings) as server:
        settings.TEXT_EMBEDDING_MODEL_URL = server.url
        settings.TEXT_EMBEDDING_MODEL_NAME = "meanings"
        yield server


async def search(served: Served, query: str, **more: Any) -> dict[str, Any]:
    """The answer of search_tools."""
    answer: dict[str, Any] = (
        await served.call("search_tools", query=query, **more)
    ).structured_content
    return answer


async def found(served: Served, query: str, **more: Any) -> list[str]:
    """The names of the tools found, best first."""
    return [tool["name"] for tool in (await search(served, query, **more))["tools"]]


def has_all_vectors(served: Served) -> bool:
    """Whether every tool can be found by its meaning."""
    index = served.runtime.search.index
    return index.ready.is_set() and bool(index.dimension) and not index.lacking
