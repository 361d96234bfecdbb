"""Real embedding servers of a test run, started when the first test needs them."""

import signal
from collections.abc import Iterator

import pytest

from config.services.embeddings import EmbeddedEmbeddings, EmbeddedNgrams
from config.services.ports import choose_free_port
from config.services.processes import Keeper, start, stop
from tests.plugin import DIRECTORY
from tests.waiting import LIMIT_S, wait_until


@pytest.fixture(scope="session")
def embedded_model(keeper: Keeper) -> Iterator[EmbeddedEmbeddings]:
    """multilingual-e5-small, as `up` runs it."""
    yield from _run(EmbeddedEmbeddings(choose_free_port(), DIRECTORY / "embeddings.log"), keeper)


@pytest.fixture(scope="session")
def ngram_model(keeper: Keeper) -> Iterator[EmbeddedEmbeddings]:
    """The stand-in for systems without the model's wheel."""
    yield from _run(EmbeddedNgrams(choose_free_port(), DIRECTORY / "ngrams.log"), keeper)


@pytest.fixture(scope="session")
def embedding_url(embedded_model: EmbeddedEmbeddings) -> str:
    """The TEXT_EMBEDDING_MODEL_URL of the embedded model."""
    return embedded_model.url


def _run(server: EmbeddedEmbeddings, keeper: Keeper) -> Iterator[EmbeddedEmbeddings]:
    process = start(server.command(), keeper)
    wait_until(lambda: process.poll() is not None or server.is_ready())
    assert process.poll() is None, f"{server.model} ended at its start"
    yield server
    stop(process, signal.SIGTERM, timeout_s=LIMIT_S)
    keeper.forget(process.pid)
