"""Documents become vectors once, whatever happens in between."""

from typing import Any

import pytest
from django.db import connection

from catalog.documents.indexing import INDEXING_LOCK, count_pending
from catalog.documents.portions import IndexingBusyError, IndexTarget
from catalog.documents.rows import read_row
from catalog.documents.searchable import embedded_text
from catalog.models import ReferenceDocument
from config.services.embeddings import EmbeddedEmbeddings
from core.errors import (
    EmbeddingUnavailableError,
    VectorStoreError,
    VectorStoreUnavailableError,
)
from tests.catalog.documents.conftest import Indexing, column, columns, load

pytestmark = pytest.mark.django_db


def indexed() -> int:
    return sum(row.is_indexed for row in ReferenceDocument.objects.all())


def test_documents_are_found_by_their_vectors(indexing: Indexing) -> None:
    load(column("email"), column("city", description="Where the user lives"))

    report = indexing.run()

    assert (report.embedded, report.current, report.removed) == (2, 0, 0)
    assert indexing.find("where does the user live", 1) == ["column:users.city"]
    assert indexed() == 2


def test_meaning_finds_a_document_in_another_language(
    indexing: Indexing, embedded_model: EmbeddedEmbeddings, settings: Any
) -> None:
    settings.TEXT_EMBEDDING_MODEL_URL = embedded_model.url
    settings.TEXT_EMBEDDING_MODEL_NAME = embedded_model.model
    settings.TEXT_EMBEDDING_ROLE_STYLE = "input_type"
    load(
        column("email", description="사용자 이메일 주소"),
        column("birth_date", description="생년월일"),
        column("phone", description="전화번호"),
    )
    indexing.run()

    assert indexing.find("telephone number", 1) == ["column:users.phone"]


def test_second_run_embeds_nothing(indexing: Indexing) -> None:
    load(*columns(40))
    indexing.run()

    report = indexing.run()

    assert (report.embedded, report.current) == (0, 40)
    assert indexing.progress == []


def test_only_what_changed_is_embedded(indexing: Indexing) -> None:
    load(column("a"), column("b"), column("c"))
    indexing.run()
    load(column("a"), column("b", description="weight in kilograms"))

    report = indexing.run()

    assert (report.embedded, report.current, report.removed) == (1, 1, 1)
    assert indexing.find("weight in kilograms", 9) == ["column:users.b", "column:users.a"]


def test_run_that_was_stopped_is_continued(indexing: Indexing) -> None:
    load(*columns(70))

    first, second = indexing.run(portions=1), indexing.run()

    assert (first.embedded, first.remaining) == (32, 38)
    assert (second.embedded, second.current, second.remaining) == (38, 32, 0)
    assert indexing.progress == [(32, 38), (38, 38)]


def test_vectors_that_a_killed_run_did_not_note_are_not_embedded_again(indexing: Indexing) -> None:
    load(*columns(3))
    indexing.run()
    ReferenceDocument.objects.update(indexed_hash="", indexed_with="", indexed_at=None)

    report = indexing.run()

    assert (report.embedded, report.current) == (0, 3)
    assert indexed() == 3


def test_vectors_that_the_store_lost_are_embedded_again(indexing: Indexing) -> None:
    load(*columns(3))
    indexing.run()
    indexing.drop()

    assert indexing.run().embedded == 3


def test_rebuild_makes_every_vector_anew(indexing: Indexing) -> None:
    load(*columns(3))
    indexing.run()

    report = indexing.run(rebuild=True)

    assert (report.is_rebuilt, report.embedded, report.current) == (True, 3, 0)
    assert len(indexing.find("column", 9)) == 3


def test_other_model_makes_every_vector_anew(
    indexing: Indexing, embedded_model: EmbeddedEmbeddings, settings: Any
) -> None:
    load(*columns(3))
    indexing.run()
    settings.TEXT_EMBEDDING_MODEL_URL = embedded_model.url
    settings.TEXT_EMBEDDING_MODEL_NAME = embedded_model.model

    report = indexing.run()

    assert (report.is_rebuilt, report.embedded) == (True, 3)
    assert len(indexing.find("column", 9)) == 3


def test_stopped_rebuild_is_continued_and_not_begun_again(
    indexing: Indexing, settings: Any
) -> None:
    load(*columns(40))
    indexing.run()
    settings.TEXT_EMBEDDING_MODEL_NAME = "renamed"

    first, second = indexing.run(portions=1), indexing.run()

    assert (first.is_rebuilt, first.embedded) == (True, 32)
    assert (second.is_rebuilt, second.embedded) == (False, 8)


def test_collection_that_these_rows_did_not_make_needs_a_word(
    indexing: Indexing, settings: Any
) -> None:
    load(*columns(3))
    indexing.run()
    ReferenceDocument.objects.update(indexed_hash="", indexed_with="")
    settings.TEXT_EMBEDDING_MODEL_NAME = "renamed"

    with pytest.raises(VectorStoreError, match="--rebuild"):
        indexing.run()

    assert indexing.run(rebuild=True).embedded == 3


def test_other_format_is_embedded_and_served(indexing: Indexing, settings: Any) -> None:
    load(column())
    indexing.run()
    settings.SQL_REFERENCE_FORMAT = "json"

    assert indexing.run().embedded == 1
    assert ReferenceDocument.objects.get().text.startswith('{"table": "users"')


def test_refused_document_does_not_keep_the_others(indexing: Indexing) -> None:
    load(*columns(5))
    ReferenceDocument.objects.create(key="empty", kind="text", text=" ")

    report = indexing.run()

    assert (report.embedded, list(report.failed)) == (5, ["empty"])
    assert "is empty" in report.failed["empty"]


@pytest.mark.parametrize("metadata", [["a"], {"tags": ["a"], "": 1, "kind": "b"}], ids=str)
def test_strange_metadata_of_another_program_stops_nothing(
    indexing: Indexing, metadata: Any
) -> None:
    ReferenceDocument.objects.create(key="a", kind="text", text="words", metadata=metadata)

    assert indexing.run().embedded == 1
    assert indexing.find("words", 1) == ["a"]


def test_long_document_is_named(indexing: Indexing) -> None:
    load(column("short"), read_row({"key": "long", "text": "word " * 500}))

    assert indexing.run().truncated == ["long"]


def test_column_is_embedded_with_what_its_table_is_called(indexing: Indexing) -> None:
    load(column("email", table_title="고객 명부"), column("city", description="Where one lives"))
    indexing.run()
    row = ReferenceDocument.objects.get(key="column:users.email")

    assert embedded_text(row) == "users 고객 명부: email: 사용자 이메일 주소"
    assert "고객 명부" not in row.text
    assert indexing.find("users 고객 명부: email", 1) == ["column:users.email"]


def test_column_whose_table_is_called_otherwise_is_embedded_again(indexing: Indexing) -> None:
    load(column("email"), column("city"))
    indexing.run()
    load(column("email", table_title="Customers"), column("city"))

    assert indexing.run().embedded == 1
    assert indexing.run().embedded == 0


def test_rows_say_what_is_left_to_do(indexing: Indexing, settings: Any) -> None:
    load(*columns(3))
    indexing.run()
    target = IndexTarget(settings.CHROMADB_COLLECTION_NAME, settings.TEXT_EMBEDDING_MODEL_NAME)
    before = count_pending(target)
    load(column("c0", example="changed"), column("new"))

    assert (before, count_pending(target)) == (0, 2)
    assert count_pending(IndexTarget("another", "model")) == 2


def test_second_run_at_once_is_refused(indexing: Indexing) -> None:
    other = connection.copy()
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [INDEXING_LOCK])

    with pytest.raises(IndexingBusyError, match="another run"):
        indexing.run()

    other.close()
    assert indexing.run().embedded == 0


@pytest.mark.parametrize(
    ("setting", "error"),
    [
        pytest.param("TEXT_EMBEDDING_MODEL_URL", EmbeddingUnavailableError, id="model"),
        pytest.param("CHROMADB_PORT", VectorStoreUnavailableError, id="store"),
    ],
)
def test_server_that_is_away_is_said_and_the_next_run_goes_on(
    indexing: Indexing, settings: Any, setting: str, error: type[Exception]
) -> None:
    load(column())
    right = getattr(settings, setting)
    setattr(settings, setting, 9 if isinstance(right, int) else "http://127.0.0.1:9")

    with pytest.raises(error):
        indexing.run()

    setattr(settings, setting, right)
    assert indexing.run().embedded == 1
