"""Queries: the text whose vector is searched with."""

import pytest

from core.retrieval.request import MAX_QUERY_CHARACTERS, SearchQuery


@pytest.mark.parametrize(
    ("text", "embedded"),
    [
        pytest.param("cancel order SO-2026-118001", "cancel order", id="code"),
        pytest.param("注文SO-2026-119402、取り消して", "注文 、取り消して", id="code in Japanese"),
        pytest.param("청구서 INV-2041 보여줘", "청구서 보여줘", id="code in Korean"),
        pytest.param("close #482", "close", id="number of an issue"),
        pytest.param("output of job 55120", "output of job", id="long number"),
        pytest.param("invite kim@example.com", "invite", id="e-mail"),
        pytest.param("check https://example.com/a?b=1 now", "check now", id="link"),
        pytest.param("sales of Q1 2026", "sales of Q1 2026", id="quarter and year"),
        pytest.param("orders since 2026-10-01", "orders since 2026-10-01", id="date"),
        pytest.param("ship 500kg for 1,250,000", "ship 500kg for 1,250,000", id="amounts"),
        pytest.param("SO-2026-118001", "SO-2026-118001", id="nothing but a code"),
    ],
)
def test_vector_is_that_of_the_words_without_records(text: str, embedded: str) -> None:
    assert SearchQuery(text).embedded_text == embedded


def test_only_the_beginning_of_a_long_query_is_embedded() -> None:
    assert len(SearchQuery("word " * MAX_QUERY_CHARACTERS).embedded_text) <= MAX_QUERY_CHARACTERS
