"""An index that changed tool by tool ranks as one that was made anew."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import EmbeddingError
from core.retrieval.glossary import Concept, Glossary
from core.retrieval.index import ToolIndex
from core.retrieval.model import Tool
from core.retrieval.profiles import PROFILES
from core.retrieval.ranker import ToolRanker
from core.retrieval.request import SearchQuery
from core.retrieval.tool_texts import IndexEntry
from tests.core.retrieval.catalogue import TOOLS, make_index

VECTORS = np.random.default_rng(5).standard_normal((len(TOOLS), 2, 4))
QUERY = SearchQuery("사용자 users 注文 delete", [0.3, -0.1, 0.7, 0.2], limit=20)
changes = st.lists(st.tuples(st.sampled_from(range(len(TOOLS))), st.booleans()), max_size=8)


def entry_of(number: int) -> IndexEntry:
    return IndexEntry(TOOLS[number], (VECTORS[number, 0], VECTORS[number, 1]))


@settings(max_examples=12, deadline=None)
@given(changes)
def test_changed_index_ranks_as_a_new_one(given_changes: list[tuple[int, bool]]) -> None:
    index = make_index()
    present = set(range(len(TOOLS)))
    for number in range(len(TOOLS)):
        index.put(entry_of(number))
    for number, is_put in given_changes:
        index = index.copy()
        index.put(entry_of(number)) if is_put else index.remove(TOOLS[number].name)
        (present.add if is_put else present.discard)(number)

    fresh = ToolIndex(index.glossary)
    for number in sorted(present):
        fresh.put(entry_of(number))
    assert set(index.names) == {TOOLS[number].name for number in present}
    for profile in PROFILES.values():
        changed = ToolRanker(index).rank(QUERY, profile=profile)
        anew = ToolRanker(fresh).rank(QUERY, profile=profile)
        assert [tool.name for tool in changed] == [tool.name for tool in anew]
        assert [tool.score for tool in changed] == pytest.approx(
            [tool.score for tool in anew], abs=1e-4
        )


def test_tool_put_again_replaces_itself() -> None:
    index = make_index(Tool("x", description="old words"))
    index.put(IndexEntry(Tool("x", description="new text")))
    ranker = ToolRanker(index)

    assert ranker.rank(SearchQuery("old words")) == []
    assert [tool.name for tool in ranker.rank(SearchQuery("new text"))] == ["x"]
    assert len(index) == 1


def test_copy_and_original_change_apart() -> None:
    index = make_index()
    twin = index.copy()
    twin.remove("get_user")
    twin.put(IndexEntry(Tool("put_user")))

    assert "get_user" in index.names
    assert "put_user" not in index.names
    assert "put_user" in twin.names
    assert "get_user" not in twin.names


def test_refused_vectors_change_nothing() -> None:
    index = make_index()
    index.put(entry_of(0))

    with pytest.raises(EmbeddingError):
        index.put(IndexEntry(Tool("new_tool"), ([1.0], [1.0])))

    assert "new_tool" not in index.names
    assert len(index) == len(TOOLS)
    assert ToolRanker(index).rank(SearchQuery("new tool")) == []


def test_unknown_tool_can_be_removed() -> None:
    index = make_index()
    index.remove("no_such_tool")

    assert len(index) == len(TOOLS)


def test_vectors_that_come_later_rank_as_those_that_came_with_the_tool() -> None:
    index, late = make_index(), make_index()
    for number in range(len(TOOLS)):
        index.put(entry_of(number))
        ToolRanker(late).rank(QUERY)
        late = late.copy()
        late.put_vectors(entry_of(number))

    assert ToolRanker(late).rank(QUERY) == ToolRanker(index).rank(QUERY)


def test_vectors_of_an_unknown_tool_are_left_out() -> None:
    index = make_index()
    index.put_vectors(IndexEntry(Tool("no_such_tool"), ([1.0], [1.0])))

    assert not index.vectors.has_vectors


def test_other_glossary_is_looked_up_in_the_same_tools() -> None:
    index = make_index()
    index.put(entry_of(0))
    entries = [IndexEntry(tool) for tool in TOOLS]
    twin = index.with_glossary(
        Glossary([Concept("x", {"en": ("user",), "ko": ("꿀벌",)})]), entries
    )

    assert ToolRanker(index).rank(SearchQuery("꿀벌")) == []
    assert ToolRanker(twin).rank(SearchQuery("꿀벌"))
    assert twin.vectors.has_vectors
