"""The documents of the shop describe the shop that is there, and its queries run."""

import json

import psycopg
import pytest
from django.db import connection

from catalog.documents.files import read_files
from catalog.models import ReferenceDocument
from config.demo.loading import FOLDER, load_documents

PATH = FOLDER / "documents.jsonl"
ROWS = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]
QUERIES = [row for row in ROWS if "sql" in row]


@pytest.fixture
def forgetful(db: None) -> None:
    """The table as if nothing had ever been written to it; sequences know no rollback."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval('h_reference_document_id_seq', 1, false)")


def test_file_is_faultless() -> None:
    documents, faults = read_files([PATH])

    assert (len(documents), faults) == (len(ROWS), [])


def test_columns_are_left_to_the_catalogue() -> None:
    assert all("question" in row or "text" in row for row in ROWS)


@pytest.mark.parametrize("row", QUERIES, ids=lambda row: row["question"])
def test_example_query_gives_rows(reader: psycopg.Connection, row: dict[str, str]) -> None:
    # The months in which there are sales end before some day that this test will run on.
    statement = row["sql"].replace("current_date", "date '2026-08-15'")

    assert reader.execute(statement.encode()).fetchall()


def test_there_are_example_queries_in_three_languages() -> None:
    questions = " ".join(row["question"] for row in QUERIES)

    assert len(QUERIES) >= 12
    assert all(word in questions for word in ("매장별", "orders", "店舗"))


@pytest.mark.usefixtures("forgetful")
def test_documents_are_written_once() -> None:
    assert load_documents() == len(ROWS)
    assert load_documents() == 0


@pytest.mark.usefixtures("forgetful")
def test_removed_documents_do_not_come_back() -> None:
    load_documents()
    ReferenceDocument.objects.all().delete()

    assert load_documents() == 0
