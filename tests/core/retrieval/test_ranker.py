"""A ranking shows only what it may, breaks ties by name, explains itself and bears any input."""

from dataclasses import replace

import numpy as np
import pytest

from core.errors import EmbeddingError
from core.retrieval.actions import Kind
from core.retrieval.index import ToolIndex
from core.retrieval.model import Tool
from core.retrieval.profiles import PROFILES, RRF, SEED, Z_LINEAR, Profile
from core.retrieval.ranker import MatchedTerms, RankedTool, ToolRanker
from core.retrieval.request import MAX_RESULTS, SearchQuery
from core.retrieval.tool_graph import RelatedTools
from core.retrieval.tool_texts import IndexEntry
from tests.core.retrieval.catalogue import DELETES, READS, TOOLS, make_index, make_ranker

each_profile = pytest.mark.parametrize(
    "profile", [pytest.param(profile, id=name) for name, profile in PROFILES.items()]
)
tuned_profiles = pytest.mark.parametrize(
    "profile", [pytest.param(RRF, id="rrf"), pytest.param(Z_LINEAR, id="z_linear")]
)
NAMES = frozenset(tool.name for tool in TOOLS)


def names(found: list[RankedTool]) -> list[str]:
    return [tool.name for tool in found]


def with_vectors(*tools: Tool) -> ToolIndex:
    index = make_index(*tools)
    numbers = np.random.default_rng(3).standard_normal((len(tools), 2, 4))
    for tool, (of_name, of_text) in zip(tools, numbers, strict=True):
        index.put(IndexEntry(tool, (of_name, of_text)))
    return index


@each_profile
def test_ties_are_ordered_by_name(profile: Profile) -> None:
    tools = [Tool(name, description="same words") for name in ("d", "b", "e", "a", "c")]

    found = make_ranker(*tools).rank(SearchQuery("same words", limit=3), profile=profile)

    assert names(found) == ["a", "b", "c"]


@each_profile
@pytest.mark.parametrize("vector", [None, [0.5, -0.2, 0.8, 0.1]], ids=["words", "vectors"])
def test_scores_descend(profile: Profile, vector: list[float] | None) -> None:
    ranker = ToolRanker(with_vectors(*TOOLS))

    scores = [
        tool.score for tool in ranker.rank(SearchQuery("users", vector, limit=9), None, profile)
    ]

    assert scores == sorted(scores, reverse=True)
    assert len(scores) > 3


@each_profile
def test_tool_that_is_not_allowed_takes_no_rank_and_sways_no_score(profile: Profile) -> None:
    # Rarities of words and means of languages are of all tools; so the others stay in the index.
    hidden = {"get_user", "delete_user"}
    ranker = ToolRanker(with_vectors(*TOOLS))
    changed = with_vectors(*TOOLS)
    changed.table.related_tools = RelatedTools(
        Tool(tool.name, tags=("other",)) if tool.name in hidden else tool for tool in TOOLS
    )
    query = SearchQuery("delete user", [0.1, 0.2, 0.3, 0.4], limit=20)

    found = ranker.rank(query, NAMES - hidden, profile)

    assert not hidden & set(names(found))
    related = {name: ranker.find_related(name, NAMES - hidden) for name in names(found)}
    assert not hidden & {name for others in related.values() for name in others}
    assert found == ToolRanker(changed).rank(query, NAMES - hidden, profile)


@tuned_profiles
def test_ranks_are_those_among_the_allowed_tools(profile: Profile) -> None:
    tools = [Tool(f"t{number}", description="word " * (9 - number)) for number in range(6)]
    found = make_ranker(*tools).rank(SearchQuery("word"), {"t4", "t5"}, profile)
    alone = make_ranker(*tools).rank(
        SearchQuery("word"), np.array([False] * 4 + [True] * 2), profile
    )

    assert names(found) == names(alone) == ["t4", "t5"]
    if profile == RRF:
        assert [tool.score for tool in found] == [1 / 21, 1 / 22]


def test_same_frozenset_costs_one_mask() -> None:
    table = make_index().table

    assert table.mask_of(frozenset({"get_user"})) is table.mask_of(frozenset({"get_user"}))


def test_unknown_names_may_be_allowed() -> None:
    assert make_ranker().rank(SearchQuery("user"), {"no_such_tool"}) == []


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        pytest.param("read", {"get_user", "list_users", "list_orders"}, id="read"),
        pytest.param("write", {"create_user", "update_user"}, id="write"),
        pytest.param("delete", {"delete_user"}, id="delete"),
    ],
)
def test_only_tools_of_the_wanted_kind_are_found(kind: Kind, expected: set[str]) -> None:
    found = make_ranker().rank(SearchQuery("user", kind=kind, limit=20))

    assert set(names(found)) == expected


@tuned_profiles
def test_read_request_has_no_deleting_tool_first(profile: Profile) -> None:
    ranker = make_ranker(
        Tool("delete_coupon", description="coupon code discount", annotations=DELETES),
        Tool("drop_coupon", description="coupon code discount", annotations=DELETES),
        Tool("list_things", description="all kinds of code", annotations=READS),
    )

    found = ranker.rank(SearchQuery("show coupon code discount", limit=3), profile=profile)
    first = ranker.rank(SearchQuery("show coupon code discount", limit=1), profile=profile)

    assert names(found) == ["list_things", "delete_coupon", "drop_coupon"]
    assert names(first) == ["list_things"]
    assert found[0].score > found[1].score


@tuned_profiles
@pytest.mark.parametrize(
    "query",
    [
        pytest.param("show what delete_coupon does with coupon codes", id="name"),
        pytest.param("show me the delete coupon tool", id="words of the name"),
        pytest.param("delete the coupon code", id="deleting is asked for"),
    ],
)
def test_deleting_tool_may_be_first_when_it_is_asked_for(profile: Profile, query: str) -> None:
    ranker = make_ranker(
        Tool("delete_coupon", description="coupon code discount", annotations=DELETES),
        Tool("list_things", description="all kinds of code", annotations=READS),
    )

    assert ranker.rank(SearchQuery(query), profile=profile)[0].name == "delete_coupon"


def test_deleting_tools_are_found_where_there_are_no_others() -> None:
    ranker = make_ranker(Tool("delete_coupon", annotations=DELETES))

    assert names(ranker.rank(SearchQuery("show coupon"))) == ["delete_coupon"]


def test_tool_says_why_it_was_found() -> None:
    found = make_ranker().rank(SearchQuery("회원을 지워줘 user", limit=1))[0]

    assert found.name == "delete_user"
    assert found.matched == MatchedTerms(words=("user",), concepts=("user",), action="delete")
    assert found.signals["name"] == 1.0
    assert found.signals["annotation"] == 1.0
    assert found.signals["bm25"] > 0
    assert found.signals["embedding"] == 0


def test_tools_that_are_used_with_one_are_related() -> None:
    related = make_ranker().find_related("delete_user")

    assert related == ("create_user", "get_user", "list_users")


def test_glossary_finds_tools_of_another_language() -> None:
    found = make_ranker().rank(SearchQuery("회원 ユーザー", limit=20))

    assert {"get_user", "create_user", "delete_user"} <= set(names(found))
    assert names(make_ranker().rank(SearchQuery("회원"), profile=SEED)) == []


def test_name_that_says_no_more_than_the_query_comes_first() -> None:
    told = "Lists users of an order, with the users of other orders."
    ranker = make_ranker(Tool("list_users_of_order", "", told), Tool("list_users", "", "Users."))

    found = ranker.rank(SearchQuery("list users"))

    assert names(found) == ["list_users", "list_users_of_order"]
    assert [one.signals["name"] for one in found] == [1.0, pytest.approx(2 / 3)]


def test_concepts_count_less_where_the_words_themselves_may_stand() -> None:
    english, korean = Tool("a", "", "The shipping fee."), Tool("b", "", "배송비를 알려 준다.")
    ranker = make_ranker(english, korean)
    both = replace(Z_LINEAR, same_language_concept_weight=Z_LINEAR.concept_weight)

    def words_of(name: str, profile: Profile) -> float:
        found = ranker.rank(SearchQuery("shipping fee"), profile=profile)
        return next(one.signals["bm25"] for one in found if one.name == name)

    assert words_of("a", Z_LINEAR) < words_of("a", both)
    assert words_of("b", Z_LINEAR) == words_of("b", both)


def test_what_people_read_is_searched_too() -> None:
    index = make_index(Tool("x", description="Agents read this."))
    index.put(IndexEntry(Tool("x"), description_user="고객 등급표"))

    assert names(ToolRanker(index).rank(SearchQuery("등급표"))) == ["x"]


@each_profile
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param(" \n\t", id="white space"),
        pytest.param("🎉🔥", id="emoji"),
        pytest.param("--;'\"()", id="marks"),
        pytest.param("\ud800\0", id="surrogate and NUL"),
    ],
)
def test_query_without_words_finds_nothing(profile: Profile, text: str) -> None:
    assert (
        ToolRanker(with_vectors(*TOOLS)).rank(SearchQuery(text, [1, 0, 0, 0]), None, profile) == []
    )


@each_profile
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("user " * 2_000, id="10,000 characters"),
        pytest.param("SELECT * FROM users; DROP TABLE users; --", id="SQL"),
        pytest.param("user 🎉 ünïcode §delete ¤user", id="odd characters"),
        pytest.param("Удалить user", id="other language"),
    ],
)
def test_odd_query_is_answered(profile: Profile, text: str) -> None:
    assert make_ranker().rank(SearchQuery(text), profile=profile)


def test_rest_of_a_long_query_is_left_out() -> None:
    assert names(make_ranker().rank(SearchQuery("weather " + "x " * 600 + "order"))) == [
        "get_weather"
    ]


@pytest.mark.parametrize(
    ("limit", "count"),
    [
        pytest.param(0, 0, id="0"),
        pytest.param(-5, 0, id="-5"),
        pytest.param(10_000, 200, id="10,000"),
    ],
)
def test_limit_is_held_within_bounds(limit: int, count: int) -> None:
    ranker = make_ranker(*(Tool(f"user_{number}") for number in range(MAX_RESULTS + 50)))

    assert len(ranker.rank(SearchQuery("user", limit=limit))) == count


def test_empty_index_finds_nothing() -> None:
    assert ToolRanker(ToolIndex()).rank(SearchQuery("user", [1.0])) == []


def test_ranking_is_degraded_without_a_vector() -> None:
    ranker = ToolRanker(with_vectors(*TOOLS))

    assert ranker.is_degraded(SearchQuery("user"))
    assert not ranker.is_degraded(SearchQuery("user", [1, 0, 0, 0]))
    assert make_ranker().is_degraded(SearchQuery("user", [1, 0, 0, 0]))


def test_vector_of_another_model_is_refused() -> None:
    with pytest.raises(EmbeddingError, match="must have 4 numbers like the others, not 2"):
        ToolRanker(with_vectors(*TOOLS)).rank(SearchQuery("user", [1, 0]))
