"""Sources are made one by ranks that equals share, or by how far scores stand out."""

import numpy as np
import pytest

from core.retrieval.fusion import fuse_ranks, rank_scores, standardize

NAN = float("nan")


def test_equal_scores_share_the_best_of_their_ranks() -> None:
    assert rank_scores(np.array([1.0, 3.0, 2.0, 3.0, 2.0])).tolist() == [5, 1, 3, 1, 3]


def test_ordinal_ranks_go_by_the_order_of_the_candidates() -> None:
    assert rank_scores(np.array([2.0, 3.0, 2.0]), shared=False).tolist() == [2, 1, 3]


def test_ranks_are_fused_by_the_formula() -> None:
    sources = [(np.array([3.0, 2.0, NAN]), 1.0), (np.array([NAN, 0.5, 0.5]), 0.2)]

    fused = fuse_ranks(sources, 60)

    assert fused.tolist() == pytest.approx([1 / 61, 1 / 62 + 0.2 / 61, 0.2 / 61])


def test_source_without_opinion_changes_nothing() -> None:
    words = (np.array([1.0, 2.0]), 1.0)
    nothing = (np.array([NAN, NAN]), 5.0)

    assert np.array_equal(fuse_ranks([words, nothing], 20), fuse_ranks([words], 20))


def test_standard_scores_have_mean_zero_and_deviation_one() -> None:
    scores = standardize(np.array([1.0, 2.0, 6.0, NAN]))

    assert scores[:3].mean() == pytest.approx(0)
    assert scores[:3].std() == pytest.approx(1)
    assert scores[3] == 0


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param([], id="none"),
        pytest.param([4.0], id="one"),
        pytest.param([4.0, 4.0], id="equal"),
        pytest.param([NAN], id="unknown"),
    ],
)
def test_scores_that_do_not_differ_stand_out_by_nothing(scores: list[float]) -> None:
    assert standardize(np.array(scores)).tolist() == [0.0] * len(scores)
