"""A move of a question's tool is explained by the tool that passed it and the part of the score that did it."""

import numpy as np
import pytest

from core.retrieval.profiles import PROFILES, Profile
from core.retrieval.rank_moves import QuestionOutcome, explain_move
from core.retrieval.ranker import ToolRanker
from core.retrieval.request import SearchQuery
from core.retrieval.tool_texts import IndexEntry
from tests.core.retrieval.catalogue import TOOLS, make_index

SERVED = {"own", "rival", "other"}
FIRST = QuestionOutcome("own", 1, (), {"own": {"bm25": 1.0, "use": 0.5}, "rival": {"bm25": 0.8}})
SECOND = QuestionOutcome("own", 2, ("rival",), {"own": {"bm25": 1.0}, "rival": {"bm25": 1.2}})


def test_fall_names_the_tool_that_passed_and_the_part_that_changed_most() -> None:
    move = explain_move(FIRST, SECOND, {"rival"}, SERVED)

    assert move is not None
    assert (move.before, move.after, move.is_fall) == (1, 2, True)
    assert (move.cause, move.rival, move.source, move.how) == ("rival", "rival", "use", "changed")
    assert move.change == pytest.approx(-0.5)


def test_rise_is_told_the_other_way_round() -> None:
    move = explain_move(SECOND, FIRST, {"own", "rival"}, SERVED)

    assert move is not None
    assert (move.is_fall, move.cause, move.source) == (False, "own", "use")
    assert move.change == pytest.approx(0.5)


def test_new_rival_is_ahead_by_all_of_the_difference() -> None:
    before = QuestionOutcome("own", 1, (), {"own": {"bm25": 1.0}})

    move = explain_move(before, SECOND, {"rival"}, SERVED)

    assert move is not None
    assert (move.how, move.source) == ("new", "bm25")
    assert move.change == pytest.approx(-0.2)


def test_rival_that_is_gone_is_the_cause() -> None:
    move = explain_move(SECOND, FIRST, (), {"own"})

    assert move is not None
    assert (move.cause, move.rival, move.how, move.source) == ("rival", "rival", "gone", "")


def test_changed_rival_explains_more_than_one_that_only_came_along() -> None:
    after = QuestionOutcome("own", 3, ("other", "rival"), SECOND.parts)

    move = explain_move(FIRST, after, {"rival"}, SERVED)

    assert move is not None
    assert move.rival == "rival"


def test_same_rank_is_no_move_and_a_tool_that_is_no_longer_served_is_not_found() -> None:
    assert explain_move(FIRST, QuestionOutcome("own", 1), {"own"}, SERVED) is None
    move = explain_move(FIRST, QuestionOutcome("own", None, ("other",)), {"own"}, {"other"})
    assert move is not None
    assert (move.after, move.is_fall, move.cause) == (None, True, "own")


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_parts_make_the_score(profile: Profile) -> None:
    index = make_index(*TOOLS)
    for tool, pair in zip(TOOLS, np.random.default_rng(5).standard_normal((8, 2, 4)), strict=True):
        index.put(IndexEntry(tool, (pair[0], pair[1])))
    query = SearchQuery("delete the user", np.ones(4, dtype=np.float32), limit=20)
    ranker = ToolRanker(index)

    ranked = ranker.rank(query, None, profile)
    parts = ranker.split_scores(query, [tool.name for tool in ranked], None, profile)

    scores = {tool.name: tool.score for tool in ranked}
    assert {name: sum(own.values()) for name, own in parts.items()} == pytest.approx(scores)
