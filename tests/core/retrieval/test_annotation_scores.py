"""Annotations that fit the intent score high, others low, and unknown ones not at all."""

import pytest

from core.retrieval.annotation_scores import compute_annotation_scores
from core.retrieval.intent import QueryIntent
from core.retrieval.model import MCPAnnotations, Tool

READ = QueryIntent(read_intent=1.0)
WRITE = QueryIntent(write_intent=1.0)
DELETE = QueryIntent(delete_intent=1.0)


@pytest.mark.parametrize(
    ("intent", "annotations", "score"),
    [
        pytest.param(READ, MCPAnnotations(read_only=True), 1.0, id="read, reads"),
        pytest.param(READ, MCPAnnotations(read_only=False), 0.3, id="read, writes"),
        pytest.param(WRITE, MCPAnnotations(read_only=True), 0.0, id="write, reads"),
        pytest.param(WRITE, MCPAnnotations(read_only=False), 1.0, id="write, writes"),
        pytest.param(DELETE, MCPAnnotations(destructive=True), 1.0, id="delete, destroys"),
        pytest.param(DELETE, MCPAnnotations(destructive=False), 0.1, id="delete, spares"),
        pytest.param(DELETE, MCPAnnotations(True, False), 0.0, id="delete, reads"),
        pytest.param(
            QueryIntent(0.5, 0.0, 0.5), MCPAnnotations(False, True), 0.65, id="mixed by shares"
        ),
    ],
)
def test_score_of_an_intent_and_annotations(
    intent: QueryIntent, annotations: MCPAnnotations, score: float
) -> None:
    scores = compute_annotation_scores(intent, [Tool("tool", annotations=annotations)])

    assert scores == {"tool": pytest.approx(score)}


@pytest.mark.parametrize(
    ("intent", "annotations"),
    [
        pytest.param(QueryIntent(), MCPAnnotations(True), id="neutral intent"),
        pytest.param(DELETE, None, id="no annotations"),
        pytest.param(READ, MCPAnnotations(), id="nothing said"),
        pytest.param(WRITE, MCPAnnotations(destructive=True), id="other hints only"),
    ],
)
def test_what_is_neither_good_nor_bad_is_left_out(
    intent: QueryIntent, annotations: MCPAnnotations | None
) -> None:
    assert compute_annotation_scores(intent, [Tool("tool", annotations=annotations)]) == {}


def test_tools_may_be_given_by_name() -> None:
    tools = {"a": Tool("a", annotations=MCPAnnotations(True)), "b": Tool("b")}

    assert compute_annotation_scores(READ, tools) == {"a": 1.0}
