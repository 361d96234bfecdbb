"""From a question and described columns to SQL, in three languages."""

import pytest

from tests.agents.demo_llm.library import CATALOGUE, DOCUMENTS
from tests.agents.demo_llm.plan import Planner
from tests.agents.demo_llm.reading import read_question
from tests.agents.demo_llm.schema import Schema, read_schema
from tests.agents.demo_llm.sql import write_sql

FEES_BY_BRANCH = (
    "SELECT branches.branch_name, sum(loans.fee) AS sum_fee FROM lib.loans"
    " JOIN lib.branches ON branches.branch_no = loans.branch_no WHERE loans.lent_on >= '2024-01-01'"
    " GROUP BY branches.branch_no, branches.branch_name ORDER BY sum_fee DESC"
)
LOANS_BY_GENRE = (
    "SELECT books.genre, count(*) AS row_count FROM lib.loans JOIN lib.books ON books.book_no = loans.book_no"
    " GROUP BY books.genre ORDER BY row_count DESC"
)
LONGEST_BOOKS = "SELECT books.title, books.pages FROM lib.books ORDER BY books.pages DESC LIMIT 3"
AVERAGE_FEE_OF_POETRY = (
    "SELECT date_trunc('month', loans.lent_on)::date AS month, round(avg(loans.fee), 2) AS avg_fee"
    " FROM lib.loans JOIN lib.books ON books.book_no = loans.book_no WHERE books.genre = 'POETRY'"
    " GROUP BY month ORDER BY month"
)


def sql_for(question: str, schema: Schema) -> str | None:
    """On one line; None where nothing fits."""
    reading = read_question(question)
    plan = Planner(schema, list(schema.columns.values())).plan(reading)
    return " ".join(write_sql(plan, reading, schema).split()) if plan else None


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        pytest.param("2024년 1월 이후 분관별 대출료 합계", FEES_BY_BRANCH, id="ko-sum"),
        pytest.param("2024年1月以降の分館別の貸出料合計を教えて", FEES_BY_BRANCH, id="ja-sum"),
        pytest.param("Total fee per branch since January 2024", FEES_BY_BRANCH, id="en-sum"),
        pytest.param("장르별 대출 건수를 알려줘", LOANS_BY_GENRE, id="ko-count"),
        pytest.param("ジャンル別の貸出件数", LOANS_BY_GENRE, id="ja-count"),
        pytest.param("How many loans for each genre?", LOANS_BY_GENRE, id="en-count"),
        pytest.param("쪽수가 가장 많은 도서 3개", LONGEST_BOOKS, id="ko-top"),
        pytest.param("Top 3 books by pages", LONGEST_BOOKS, id="en-top"),
        pytest.param("average fee by month for POETRY", AVERAGE_FEE_OF_POETRY, id="en-value"),
        pytest.param("POETRYの月別平均貸出料", AVERAGE_FEE_OF_POETRY, id="ja-value"),
        pytest.param("the airspeed of a swallow", None, id="nothing-fits"),
    ],
)
def test_question_becomes_sql(question: str, expected: str | None) -> None:
    assert sql_for(question, read_schema(CATALOGUE, DOCUMENTS)) == expected


@pytest.mark.parametrize(
    ("question", "condition"),
    [
        pytest.param("books with pages over 300", "books.pages > 300", id="en"),
        pytest.param("쪽수가 300 이상인 도서", "books.pages >= 300", id="ko"),
        pytest.param("ページ数が1,000以下の図書", "books.pages <= 1000", id="ja"),
        pytest.param("list the SCIENCE books", "books.genre = 'SCIENCE'", id="value"),
    ],
)
def test_condition_on_a_column(question: str, condition: str) -> None:
    sql = sql_for(question, read_schema(CATALOGUE, DOCUMENTS))

    assert sql
    assert f"FROM lib.books WHERE {condition}" in sql


def test_nothing_is_known_without_documents() -> None:
    assert sql_for("Total fee per branch", read_schema("", "")) is None


def test_join_never_multiplies_rows() -> None:
    schema = read_schema(CATALOGUE, DOCUMENTS)

    assert schema.path("branches", "loans") is None
    assert [key.name for key in schema.path("loans", "branches") or []] == ["branch_no"]
