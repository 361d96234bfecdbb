"""Name coverage: which share of a tool's name a query says, in whatever language."""

import pytest

from core.retrieval.glossary import Glossary
from core.retrieval.name_coverage import MOST_WORDS, NameCoverage, words_of_name
from core.retrieval.profiles import DEFAULT
from core.retrieval.request import SearchQuery, parse_query
from tests.core.retrieval.catalogue import CONCEPTS

GLOSSARY = Glossary(CONCEPTS)


def share_of(name: str, query: str) -> float:
    coverage = NameCoverage()
    coverage.put(3, words_of_name(name, GLOSSARY))
    return float(coverage.shares(parse_query(SearchQuery(query), GLOSSARY, DEFAULT).terms, 4)[3])


@pytest.mark.parametrize(
    ("name", "query", "share"),
    [
        pytest.param("list_users", "list the users", 1.0, id="words"),
        pytest.param("list_users", "사용자 목록", 1.0, id="Korean"),
        pytest.param("list_users", "ユーザーの一覧", 1.0, id="Japanese"),
        pytest.param("listUsers", "list users", 1.0, id="capitals"),
        pytest.param("list_users_of_order", "list users", 2 / 3, id="a name that says more"),
        pytest.param("get_shipping_fee", "배송비", 2 / 3, id="a concept of two words"),
        pytest.param("get_weather", "cancel the order", 0.0, id="nothing"),
        pytest.param("get_2", "get", 1.0, id="numbers do not count"),
        pytest.param("의", "get", 0.0, id="a name of no words"),
    ],
)
def test_share_of_a_name_that_a_query_says(name: str, query: str, share: float) -> None:
    assert share_of(name, query) == pytest.approx(share)


def test_word_said_in_two_ways_counts_once() -> None:
    assert share_of("user_order", "user 사용자") == 0.5


def test_only_the_first_words_of_a_name_count() -> None:
    letters = [chr(ord("a") + number) * 3 for number in range(MOST_WORDS + 4)]

    assert share_of("_".join(letters), " ".join(letters[:MOST_WORDS])) == 1.0


def test_copy_changes_apart() -> None:
    first = NameCoverage()
    first.put(0, [["user"]])
    second = first.copy()
    second.put(0, [["order"]])
    second.put(200, [["user"]])
    first.put(1, [["user"]])

    assert first.shares(["user"], 2).tolist() == [1.0, 1.0]
    assert second.shares(["user"], 201).nonzero()[0].tolist() == [200]


def test_removed_name_is_said_by_nothing() -> None:
    coverage = NameCoverage()
    coverage.put(0, [["user"], ["list"]])
    coverage.shares(["user"], 1)
    coverage.remove(0)
    coverage.remove(7)

    assert coverage.shares(["user", "list"], 1).tolist() == [0.0]
