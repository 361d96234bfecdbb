"""A scripted model and a served side that the playground is told of."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from config.services.postgres import EmbeddedPostgres
from mcp_runtime.server import Runtime
from tests.chat_model import API_KEY, ScriptedModel, saying, scripted_model
from tests.mcp_runtime.conftest import listening

__all__ = ["model", "served_side"]
START_S = 60


@pytest.fixture
def model(settings: Any) -> Iterator[ScriptedModel]:
    """The language model of the settings; until a test says otherwise it says "Hello."."""
    with scripted_model(lambda _request: saying("Hello.")) as running:
        settings.LLM_BASE_URL, settings.LLM_MODEL = running.url, "scripted"
        settings.LLM_API_KEY, settings.LLM_TIMEOUT_S = API_KEY, 20
        yield running


@pytest.fixture
def served_side(
    transactional_db: None, embedded_postgres: EmbeddedPostgres, settings: Any
) -> Iterator[str]:
    """The address of a runtime with the tools that the test has made, as agents reach it."""
    addresses: list[str] = []
    started, ended = threading.Event(), threading.Event()

    async def serve() -> None:
        async with listening(Runtime()) as url:
            addresses.append(url)
            started.set()
            await asyncio.to_thread(ended.wait)

    thread = threading.Thread(target=asyncio.run, args=(serve(),), daemon=True)
    thread.start()
    assert started.wait(START_S)
    settings.MCP_PUBLIC_URL = addresses[0]
    yield addresses[0]
    ended.set()
    thread.join(START_S)
