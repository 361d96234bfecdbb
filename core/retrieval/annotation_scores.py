"""How well what a tool says of its behaviour fits what a query wants."""

from collections.abc import Iterable, Mapping
from math import isclose

from core.retrieval.intent import QueryIntent
from core.retrieval.model import MCPAnnotations, Tool

NEUTRAL = 0.5
_READS = {True: 1.0, False: 0.3}
_WRITES = {True: 0.0, False: 1.0}
_DELETES = {True: 1.0, False: 0.1}


def compute_annotation_scores(
    intent: QueryIntent, tools: Iterable[Tool] | Mapping[str, Tool]
) -> dict[str, float]:
    """Scores 0 to 1 by name, without tools that fit neither well nor badly; none for a neutral intent."""
    each = tools.values() if isinstance(tools, Mapping) else tools
    scores = {tool.name: score_annotations(intent, tool.annotations) for tool in each}
    return {name: score for name, score in scores.items() if not isclose(score, NEUTRAL)}


def score_annotations(intent: QueryIntent, annotations: MCPAnnotations | None) -> float:
    """The score of one tool, 0.5 where nothing is known; a mixed intent weighs by its shares."""
    if intent.is_neutral or annotations is None:
        return NEUTRAL
    return (
        intent.read_intent * _of(_READS, annotations.read_only)
        + intent.write_intent * _of(_WRITES, annotations.read_only)
        + intent.delete_intent * _score_delete(annotations)
    )


def _score_delete(annotations: MCPAnnotations) -> float:
    if annotations.read_only:
        return 0.0
    return _of(_DELETES, annotations.destructive)


def _of(scores: Mapping[bool, float], hint: bool | None) -> float:
    return NEUTRAL if hint is None else scores[hint]
