"""Scores by words are those of the formula, however the index came about."""

from collections.abc import Sequence
from math import log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.retrieval.bm25f import FIELD_WEIGHTS, LENGTH_PENALTY, SATURATION, Bm25fIndex

Document = Sequence[Sequence[str]]
TERMS = ["a", "b", "c", "§d", "¤e"]
fields = st.lists(st.sampled_from(TERMS), max_size=5)
documents = st.lists(st.tuples(fields, fields, fields, fields), min_size=1, max_size=20)


def index_of(given_documents: Sequence[Document]) -> Bm25fIndex:
    index = Bm25fIndex()
    for row, document in enumerate(given_documents):
        index.put(row, document)
    return index


def length(terms: Sequence[str]) -> int:
    return sum(term[0] not in "§¤" for term in terms)


def naive_score(given_documents: Sequence[Document], number: int, term: str) -> float:
    """The formula of simple BM25F, written down for one term and one document."""
    having = sum(any(term in terms for terms in document) for document in given_documents)
    weighted = 0.0
    for place, terms in enumerate(given_documents[number]):
        mean = sum(length(document[place]) for document in given_documents) / len(given_documents)
        relative = length(terms) / mean if mean else 0
        norm = 1 - LENGTH_PENALTY + LENGTH_PENALTY * relative
        weighted += FIELD_WEIGHTS[place] * terms.count(term) / norm
    rarity = log1p((len(given_documents) - having + 0.5) / (having + 0.5))
    return rarity * weighted / (SATURATION + weighted)


@settings(max_examples=40, deadline=None)
@given(documents, st.sets(st.sampled_from(TERMS)))
def test_scores_are_those_of_the_formula(given_documents: list[Document], query: set[str]) -> None:
    scores = index_of(given_documents).score(sorted(query))

    for number in range(len(given_documents)):
        naive = sum(naive_score(given_documents, number, term) for term in query)
        assert scores[number] == pytest.approx(naive, rel=1e-4, abs=1e-6)


@settings(max_examples=40, deadline=None)
@given(documents, st.data())
def test_changed_index_is_the_same_as_a_new_one(
    given_documents: list[Document], data: st.DataObject
) -> None:
    index = index_of(given_documents)
    row = data.draw(st.integers(0, len(given_documents) - 1))
    index.score(TERMS)
    index.put(row, ((), ("a", "b"), (), ()))
    index.remove(row)
    index.put(row, given_documents[row])

    expected = index_of(given_documents).score(TERMS)
    assert np.array_equal(index.score(TERMS), expected)


def test_removed_document_has_no_score_and_no_weight() -> None:
    index = index_of([(["a"], [], [], []), (["b"], [], [], [])])
    index.remove(1)

    assert index.score(["b"])[1] == 0
    assert index.score(["a"])[0] == index_of([(["a"], [], [], [])]).score(["a"])[0]
    assert len(index) == 1


def test_copy_and_original_change_apart() -> None:
    index = index_of([(["a"], [], [], [])])
    before = index.score(["a", "b"])
    twin = index.copy()
    twin.put(1, (["a", "b"], [], [], []))
    index.put(2, (["b"], [], [], []))
    index.remove(2)

    assert np.array_equal(index.score(["a", "b"])[:1], before)
    assert twin.score(["b"])[1] > 0
    assert twin.score(["b"])[0] == 0


def test_terms_of_a_document_can_be_asked() -> None:
    index = index_of([(["a"], ["b"], [], [])])

    assert index.lookup(["b", "c", "a"]).terms_in(0) == {"a", "b"}
    assert index.lookup(["a"]).terms_in(7) == set()


def test_unknown_terms_do_not_grow_the_index() -> None:
    index = index_of([(["a"], [], [], [])])

    assert not index.score([f"x{number}" for number in range(100)]).any()
    assert index._ids == {"a": 0}
    assert not index._cached
