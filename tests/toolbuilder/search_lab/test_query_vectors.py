"""Questions are embedded once, within a deadline, and never at the cost of the search."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest

from config.services.ports import choose_free_port
from tests.toolbuilder.search_lab.conftest import MODEL
from toolbuilder.search_lab.query_vectors import embed_question, embed_questions


@pytest.fixture
def silent_server(settings: Any) -> Iterator[None]:
    """A server that takes requests and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.TEXT_EMBEDDING_MODEL_URL = f"http://127.0.0.1:{server.getsockname()[1]}"
        settings.TEXT_EMBEDDING_MODEL_NAME = MODEL
        yield


@pytest.mark.usefixtures("silent_server")
def test_silent_server_leaves_a_search_by_words_after_its_deadline() -> None:
    assert embed_question("orders") is None


def test_server_that_is_down_gives_no_vectors(settings: Any) -> None:
    settings.TEXT_EMBEDDING_MODEL_URL = f"http://127.0.0.1:{choose_free_port()}"
    settings.TEXT_EMBEDDING_MODEL_NAME = MODEL

    assert embed_questions(["a", "b"]) == {}


def test_no_server_is_asked_where_none_is_set(settings: Any) -> None:
    settings.TEXT_EMBEDDING_MODEL_URL = ""

    assert embed_question("orders") is None
