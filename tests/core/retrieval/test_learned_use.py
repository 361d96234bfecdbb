"""What agents called after they had searched counts, little by little, and one key counts little."""

import pytest

from core.retrieval.learned_use import LearnedUse, weigh_uses
from core.retrieval.model import Tool
from core.retrieval.profiles import DEFAULT, SEED
from core.retrieval.ranker import ToolRanker
from core.retrieval.request import SearchQuery
from tests.core.retrieval.catalogue import READS, TOOLS, make_index

TWINS = tuple(
    Tool(name, "", "Returns what a member bought, an order each.", (), READS)
    for name in ("bought_x", "bought_y")
)


def keys(count: int, tool: str = "bought_y", days: int = 3) -> list[LearnedUse]:
    return [LearnedUse("order", tool, f"key {number}", days) for number in range(count)]


def rank(*uses: LearnedUse, weight: float = DEFAULT.use_weight) -> list[str]:
    index = make_index(*TOOLS, *TWINS).with_priors(weigh_uses(uses) if weight else {})
    found = ToolRanker(index).rank(SearchQuery("what did a member order, bought"))
    return [tool.name for tool in found if tool.name in {"bought_x", "bought_y"}]


@pytest.mark.parametrize(
    ("uses", "prior"),
    [
        pytest.param(keys(1, days=1), 1 / 7, id="one key on one day"),
        pytest.param(keys(1, days=90), 1 / 3, id="one key every day"),
        pytest.param(keys(8), 8 / 10, id="eight keys"),
        pytest.param([*keys(1, days=90), *keys(8, "bought_x")], 1 / 3, id="eight for another tool"),
        pytest.param(
            [*keys(2), LearnedUse("user", "bought_y", "other", 9)], 2 / 5, id="also for others"
        ),
    ],
)
def test_prior_grows_with_keys_not_with_repetition(uses: list[LearnedUse], prior: float) -> None:
    assert weigh_uses(uses)["order"]["bought_y"] == pytest.approx(prior)


def test_tool_that_was_called_comes_before_its_twin() -> None:
    assert rank() == ["bought_x", "bought_y"]
    assert rank(*keys(4)) == ["bought_y", "bought_x"]


def test_use_is_explained_by_concepts_that_make_the_signal() -> None:
    uses = [*keys(2), LearnedUse("user", "bought_y", "key", 3)]
    index = make_index(*TOOLS, *TWINS).with_priors(weigh_uses(uses))

    found = ToolRanker(index).rank(SearchQuery("what did a member order"), {"bought_y"})[0]

    assert dict(found.used) == pytest.approx({"user": 1 / 10, "order": 2 / 10})
    assert found.signals["use"] == pytest.approx(3 / 10)
    plain = ToolRanker(index).rank(SearchQuery("what did a member order"), {"bought_y"}, SEED)[0]
    assert (plain.used, plain.signals["use"]) == ((), 0.0)


def test_tools_that_left_are_forgotten_and_others_keep_their_priors() -> None:
    index = make_index(*TOOLS, *TWINS).with_priors(weigh_uses(keys(4)))
    index.remove("bought_y")

    assert [tool.used for tool in ToolRanker(index).rank(SearchQuery("a member's order"))] == [
        () for _ in range(5)
    ]
