"""Likeness in meaning is compared on equal terms between languages."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from core.errors import EmbeddingError
from core.retrieval.dense import SHRINKAGE, DenseIndex
from core.retrieval.tokens import Language

Numbers = NDArray[np.float64]
WEIGHTS = (0.3, 0.7)
VECTORS = np.random.default_rng(7).standard_normal((12, 2, 5))
SPOKEN: list[Language] = ["ko", "ja", "en"] * 4
QUERY = np.array([0.2, -0.4, 0.1, 0.9, 0.3])


def index_of(rows: range) -> DenseIndex:
    index = DenseIndex()
    for row in rows:
        index.put(row, SPOKEN[row], (VECTORS[row, 0], VECTORS[row, 1]))
    return index


def unit(vectors: Numbers) -> Numbers:
    lengths: Numbers = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Numbers = vectors / lengths
    return scaled


def test_scores_are_cosines_less_the_mean_of_the_language() -> None:
    mixed = np.tensordot(unit(VECTORS), np.array(WEIGHTS), axes=([1], [0]))
    drawn = SHRINKAGE * mixed.mean(axis=0)
    sums = [mixed[row % 3 :: 3].sum(axis=0) for row in range(12)]
    means = np.stack([(total + drawn) / (4 + SHRINKAGE) for total in sums])
    expected = (mixed - means) @ unit(QUERY)

    assert index_of(range(12)).score(QUERY, WEIGHTS)[:12] == pytest.approx(expected, abs=1e-5)


def test_offset_changes_no_order_within_one_language() -> None:
    index = DenseIndex()
    for row in range(12):
        index.put(row, "en", (VECTORS[row, 0], VECTORS[row, 1]))

    plain = index.score(QUERY, WEIGHTS, language_offset=False)[:12]
    offset = index.score(QUERY, WEIGHTS)[:12]
    assert np.array_equal(np.argsort(plain), np.argsort(offset))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 11), max_size=8))
def test_changed_vectors_are_the_same_as_new_ones(removed: list[int]) -> None:
    index = index_of(range(12))
    for row in removed:
        index.remove(row)
    for row in set(removed):
        index.put(row, SPOKEN[row], (VECTORS[row, 0], VECTORS[row, 1]))

    expected = index_of(range(12)).score(QUERY, WEIGHTS)[:12]
    assert index.score(QUERY, WEIGHTS)[:12] == pytest.approx(expected, abs=2e-6)


def test_only_row_of_a_language_is_found_by_its_meaning() -> None:
    index = DenseIndex()
    for row in range(1, 12):
        index.put(row, "en", (VECTORS[row, 0], VECTORS[row, 1]))
    index.put(0, "ko", (QUERY, QUERY))

    assert np.nanargmax(index.score(QUERY, WEIGHTS)) == 0


def test_row_without_vectors_has_no_score() -> None:
    index = index_of(range(3))
    index.remove(1)

    assert np.isnan(index.score(QUERY, WEIGHTS)).tolist()[:3] == [False, True, False]


def test_equal_vectors_score_alike_in_every_row() -> None:
    index = DenseIndex()
    for row in range(33):
        index.put(row, "en", (VECTORS[0, 0], VECTORS[0, 1]))

    assert len(set(index.score(QUERY, WEIGHTS)[:33].tolist())) == 1


def test_copy_and_original_change_apart() -> None:
    index = index_of(range(3))
    before = index.score(QUERY, WEIGHTS)
    index.copy().put(0, "ko", (QUERY, QUERY))

    assert np.array_equal(index.score(QUERY, WEIGHTS), before, equal_nan=True)


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        pytest.param([1.0, 2.0], "must have 5 numbers like the others, not 2", id="dimension"),
        pytest.param([0.0] * 5, "not all of them 0", id="zero"),
        pytest.param([float("nan")] * 5, "a list of numbers", id="NaN"),
        pytest.param([[1.0] * 5], "a list of numbers", id="matrix"),
    ],
)
def test_vector_that_does_not_fit_is_refused(vector: list[float], message: str) -> None:
    with pytest.raises(EmbeddingError, match=message):
        index_of(range(3)).score(vector, WEIGHTS)
