"""Concepts that a query means without naming them."""

import numpy as np

from core.retrieval.glossary import Concept, Glossary
from core.retrieval.index import ToolIndex
from core.retrieval.model import Tool
from core.retrieval.ranker import ToolRanker
from core.retrieval.request import SearchQuery
from core.retrieval.soft_glossary import ConceptVectors, combine_terms
from core.retrieval.tool_texts import IndexEntry

COUNT = 24
# Each concept lies in a direction of its own, in both languages beside what their texts have in common.
TERMS = {
    (f"c{number}", language): np.eye(COUNT + 2)[number] + 3 * np.eye(COUNT + 2)[COUNT + place]
    for number in range(COUNT)
    for place, language in enumerate(("en", "ko"))
}
VECTORS = ConceptVectors(combine_terms(TERMS))


def test_nearest_concepts_come_without_those_that_are_named() -> None:
    query = np.zeros(COUNT + 2)
    query[[3, 4, 5]] = 3, 2, 1
    query[COUNT] = 9

    assert VECTORS.nearest(query, {"c4"}, 2) == ["c3", "c5"]


def test_nothing_is_meant_without_a_vector_or_with_one_of_another_model() -> None:
    assert VECTORS.nearest(None, (), 5) == ()
    assert VECTORS.nearest([1.0, 2.0], (), 5) == ()
    assert VECTORS.only({"c1", "c2"}).nearest(np.ones(COUNT + 2), (), 5) == ()


def test_meant_concept_finds_a_tool_of_another_language() -> None:
    concepts = [
        Concept(f"c{number}", {"ko": (f"낱말{chr(0xAC00 + number * 28)}",)})
        for number in range(COUNT)
    ]
    index = ToolIndex(Glossary(concepts, VECTORS))
    for name, number in (("a_tool", 7), ("b_tool", 3)):
        description = f"{concepts[number].terms['ko'][0]} 조회"
        vectors = (np.ones(COUNT + 2), np.ones(COUNT + 2))
        index.put(IndexEntry(Tool(name, description=description), vectors))
    query = SearchQuery("what nobody named", np.eye(COUNT + 2)[3])

    found = ToolRanker(index).rank(query)

    assert [tool.name for tool in found] == ["b_tool", "a_tool"]
    assert found[0].matched.meant == ("c3",)
