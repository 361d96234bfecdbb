"""The documents of the shop describe the shop that is there, and its queries run."""

import json

import psycopg
import pytest
from django.db import connection

from catalog.document_files import read_files
from catalog.documents import search_documents_by_text
from catalog.models import DocumentKind, ReferenceDocument
from config.demo.loading import FOLDER, load_documents

PATH = FOLDER / "documents.jsonl"
ROWS = [json.loads(line) for line in PATH.read_text("utf-8").splitlines()]
COLUMNS = [row for row in ROWS if "column_name" in row]
QUERIES = [row for row in ROWS if "sql" in row]


@pytest.fixture
def forgetful(db: None) -> None:
    """The table as if nothing had ever been written to it; sequences know no rollback."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT setval('h_reference_document_id_seq', 1, false)")


def test_file_is_faultless() -> None:
    documents, faults = read_files([PATH])

    assert (len(documents), faults) == (len(ROWS), [])


def test_every_column_of_the_shop_is_described_by_its_comment(reader: psycopg.Connection) -> None:
    described = {(row["table"], row["column_name"]): row["description"] for row in COLUMNS}

    rows = reader.execute(
        "SELECT relname, attname, col_description(attrelid, attnum) FROM pg_attribute"
        " JOIN pg_class ON pg_class.oid = attrelid AND relkind = 'r'"
        " AND relnamespace = 'public'::regnamespace WHERE attnum > 0 AND NOT attisdropped"
    )

    assert described == {(table, name): comment for table, name, comment in rows}


def test_every_column_has_type_and_example() -> None:
    assert all(row["data_type"] and row["example"] for row in COLUMNS)


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
    assert ReferenceDocument.objects.filter(kind=DocumentKind.COLUMN).count() == len(COLUMNS)


@pytest.mark.usefixtures("forgetful")
def test_removed_documents_do_not_come_back() -> None:
    load_documents()
    ReferenceDocument.objects.all().delete()

    assert load_documents() == 0


@pytest.mark.usefixtures("forgetful")
@pytest.mark.parametrize(
    ("question", "found"),
    [
        pytest.param("가입한 사용자의 이메일 주소", "column: email", id="Korean"),
        pytest.param("店舗の売場面積", "column: floor_area_m2", id="Japanese"),
        pytest.param("shipping fee of an order", "column: shipping_fee", id="English"),
    ],
)
def test_documents_are_found_by_words(question: str, found: str) -> None:
    load_documents()

    assert any(found in text for text in search_documents_by_text(question, 5))
