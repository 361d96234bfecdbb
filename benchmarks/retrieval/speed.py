"""What one ranking costs over many synthetic tools, in CPU time of its thread."""

import time
from statistics import median, quantiles

import numpy as np

from benchmarks.retrieval.measures import RESULTS, Figures
from config.services.embeddings import EmbeddedEmbeddings
from core.retrieval.glossary import Glossary
from core.retrieval.glossary_terms import CONCEPTS
from core.retrieval.index import ToolIndex
from core.retrieval.model import MCPAnnotations, Tool, ToolParameter
from core.retrieval.ranker import ToolRanker
from core.retrieval.request import SearchQuery
from core.retrieval.tool_texts import IndexEntry
from tools.finding.concept_vectors import read_concept_vectors

DIMENSION = 384
ROUNDS = 300
LEARNED_TOOLS = 100
_VERBS = ("get", "list", "search", "create", "update", "delete", "send", "export")
_ADJECTIVES = ("monthly", "pending", "regional", "archived", "shared", "internal", "failed", "new")
_NOUNS = ("order", "customer", "invoice", "shipment", "product", "employee", "contract", "report")
_TOLD = (
    "Returns the {adjective} {noun} records of region {number}, newest first.",
    "{noun} {number} 지역의 {adjective} 내역을 조회합니다. 최대 100건까지 보여 줍니다.",
    "{noun}の{adjective}一覧を地域{number}について返します。最大100件まで。",
)
_QUERIES = (
    "show me the pending orders of region 42",
    "지난달 고객 주문 내역을 조회해줘",
    "先週の出荷の一覧を見せてください",
    "delete the archived report of customer C-1002",
    "which contracts expire within three months, and who is responsible for them?",
    "find invoice",
)


def measure_speed(count: int) -> dict[str, Figures]:
    """Milliseconds of `rank` over so many tools: by words alone, with vectors, and with what was learned."""
    random = np.random.default_rng(7)
    index = ToolIndex(Glossary(CONCEPTS, read_concept_vectors(EmbeddedEmbeddings.model)))
    for number in range(count):
        vectors = random.standard_normal((2, DIMENSION)).astype(np.float32)
        index.put(IndexEntry(_make_tool(number), (vectors[0], vectors[1])))
    ranker = ToolRanker(index)
    asked = random.standard_normal((len(_QUERIES), DIMENSION)).astype(np.float32)
    words = [SearchQuery(text, limit=RESULTS) for text in _QUERIES]
    both = [
        SearchQuery(text, vector, limit=RESULTS)
        for text, vector in zip(_QUERIES, asked, strict=True)
    ]
    # Each concept has led to calls of a hundred tools.
    names = list(index.names)[:LEARNED_TOOLS]
    priors = {concept.id: dict.fromkeys(names, 0.1) for concept in CONCEPTS}
    learned = ToolRanker(index.with_priors(priors))
    return {
        "words": _time(ranker, words),
        f"words, {DIMENSION}-d": _time(ranker, both),
        f"words, {DIMENSION}-d, learned": _time(learned, both),
    }


def _make_tool(number: int) -> Tool:
    verb, number_left = _VERBS[number % 8], number // 8
    adjective, noun = _ADJECTIVES[number_left % 8], _NOUNS[number_left // 8 % 8]
    told = _TOLD[number % len(_TOLD)].format(adjective=adjective, noun=noun, number=number)
    return Tool(
        name=f"{verb}_{adjective}_{noun}_{number}",
        description=told,
        parameters=(
            ToolParameter(f"{noun}_id", "string", f"number of the {noun}", required=True),
            ToolParameter("limit", "integer", "how many rows"),
        ),
        annotations=MCPAnnotations(read_only=number % 8 < 3, destructive=verb == "delete"),
    )


def _time(ranker: ToolRanker, queries: list[SearchQuery]) -> Figures:
    for query in queries:
        ranker.rank(query)
    times = []
    for number in range(ROUNDS):
        before = time.thread_time_ns()
        ranker.rank(queries[number % len(queries)])
        times.append((time.thread_time_ns() - before) / 1e6)
    return {"p50 ms": median(times), "p95 ms": quantiles(times, n=20)[-1]}
