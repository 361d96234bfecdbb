"""What changed lately is found soon, also beside a run over everything."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper

from catalog.documents.indexing import INDEXING_LOCK
from catalog.documents.pending import (
    PENDING_LOCK,
    has_pending,
    index_pending,
    index_pending_for,
)
from catalog.documents.portions import PORTION_LOCK, IndexingBusyError, IndexReport, take_lock
from catalog.documents.stored import make_row, upsert_rows
from catalog.documents.vector_services import embedding_settings, vector_store_settings
from catalog.models import ReferenceDocument, RemovedDocument
from core.errors import VectorStoreError
from gateways.embeddings.client import EmbeddingClient
from gateways.vectors.store import VectorStore
from tests.catalog.documents.conftest import Indexing, column, columns, load

pytestmark = pytest.mark.django_db


def run(portions: int = 1_000) -> IndexReport:
    """One run, told to stop after so many portions."""
    return async_to_sync(_run)(portions)


async def _run(portions: int) -> IndexReport:
    left = iter(range(portions))
    async with VectorStore(vector_store_settings()) as store:
        embedder = EmbeddingClient(embedding_settings())
        try:
            return await index_pending(embedder, store, lambda: next(left, None) is None)
        finally:
            await embedder.close()


def lock(number: int) -> BaseDatabaseWrapper:
    """A session that holds this lock until it is closed."""
    session = connection.copy()
    session.inc_thread_sharing()
    with session.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [number])
    return session


def test_changed_document_is_found_by_its_new_text(indexing: Indexing) -> None:
    load(column("a"), column("b"))
    indexing.run()
    load(column("a"), column("b", description="weight in kilograms"))

    assert run().embedded == 1
    assert indexing.find("weight in kilograms", 1) == ["column:users.b"]
    assert not has_pending()


def test_first_documents_make_the_collection(indexing: Indexing) -> None:
    load(column("a"))

    assert run().embedded == 1
    assert indexing.find("a", 1) == ["column:users.a"]


def test_vector_of_a_deleted_document_is_removed(indexing: Indexing) -> None:
    load(column("a"), column("b"))
    indexing.run()
    ReferenceDocument.objects.get(key="column:users.a").delete()

    report = run()

    assert (report.removed, report.embedded) == (1, 0)
    assert indexing.find("a", 9) == ["column:users.b"]
    assert not RemovedDocument.objects.exists()


def test_deleted_documents_go_while_the_model_is_away(indexing: Indexing, settings: Any) -> None:
    load(*columns(3))
    indexing.run()
    ReferenceDocument.objects.filter(key="column:users.c0").delete()
    ReferenceDocument.objects.update(content_hash="changed")
    url, settings.TEXT_EMBEDDING_MODEL_URL = (
        settings.TEXT_EMBEDDING_MODEL_URL,
        "http://127.0.0.1:9",
    )

    assert index_pending_for() is False

    settings.TEXT_EMBEDDING_MODEL_URL = url
    assert "column:users.c0" not in indexing.find("column number 0", 9)
    assert has_pending()


def test_document_that_came_back_keeps_its_vector(indexing: Indexing) -> None:
    load(column("a"))
    indexing.run()
    ReferenceDocument.objects.all().delete()
    load(column("a"))

    report = run()

    assert (report.removed, report.embedded) == (0, 1)
    assert indexing.find("a", 9) == ["column:users.a"]


def test_edit_is_embedded_before_a_scan(indexing: Indexing) -> None:
    load(*columns(70), source="scan")
    row = make_row("edit", column("edited"))
    row.is_urgent = True
    upsert_rows([row])
    load(*columns(70), source="scan")

    report = run(portions=1)

    assert report.embedded == 32
    assert ReferenceDocument.objects.get(key="column:users.edited").is_indexed
    assert has_pending()


def test_run_works_beside_one_over_everything(indexing: Indexing) -> None:
    load(column("a"))
    other = lock(INDEXING_LOCK)

    assert run().embedded == 1

    other.close()


def test_second_run_leaves_it_to_the_first(indexing: Indexing) -> None:
    load(column("a"))
    other = lock(PENDING_LOCK)

    with pytest.raises(IndexingBusyError):
        run()
    assert index_pending_for() is False

    other.close()
    assert run().embedded == 1


def test_portion_waits_for_that_of_another_run(indexing: Indexing) -> None:
    load(column("a"))
    other = lock(PORTION_LOCK)
    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"

    with ThreadPoolExecutor(1) as pool:
        released = pool.submit(_close_when, other, waiting)
        report = run()

    assert released.result() == 1
    assert report.embedded == 1


def _close_when(session: BaseDatabaseWrapper, waiting: str) -> int:
    """Close the session as soon as somebody waits for its lock; how many do."""
    with session.cursor() as cursor:
        while True:
            cursor.execute(waiting)
            if (count := cursor.fetchone()[0]) > 0:
                break
            time.sleep(0.01)
    session.close()
    return int(count)


def test_refused_document_is_tried_once_and_keeps_no_other(indexing: Indexing) -> None:
    load(*columns(3))
    ReferenceDocument.objects.create(key="empty", kind="text", text=" ", content_hash="new")

    report = run()

    assert (report.embedded, list(report.failed)) == (3, ["empty"])
    assert index_pending_for() is False


def test_time_that_is_over_leaves_the_rest_to_another_run(indexing: Indexing) -> None:
    load(*columns(3))

    assert index_pending_for(0) is True
    assert index_pending_for() is False


def test_vectors_of_another_model_are_left_alone(indexing: Indexing, settings: Any) -> None:
    load(column("a"))
    indexing.run()
    load(column("a", description="changed"))
    settings.TEXT_EMBEDDING_MODEL_NAME = "renamed"

    with pytest.raises(VectorStoreError, match=r"manage\.py index_documents"):
        run()


def test_without_a_model_there_is_nothing_to_do(settings: Any) -> None:
    settings.TEXT_EMBEDDING_MODEL_URL = ""
    load(column("a"))

    assert index_pending_for() is False


def test_full_run_forgets_what_was_removed(indexing: Indexing) -> None:
    load(column("a"), column("b"))
    indexing.run()
    ReferenceDocument.objects.get(key="column:users.a").delete()

    assert indexing.run().removed == 1
    assert not RemovedDocument.objects.exists()


def test_lock_ends_with_its_session_where_connections_are_pooled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool = {"min_size": 1, "max_size": 2}
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "pool", pool)
    monkeypatch.setitem(connection.settings_dict, "CONN_MAX_AGE", 0)

    take_lock(PENDING_LOCK).close()

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted")
        assert cursor.fetchone() == (0,)
