"""Measures of rankings against the right answers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import log2, nan
from statistics import fmean, median, quantiles

from benchmarks.retrieval.questions import Catalogue, Question

DEPTHS = (1, 3, 5, 10)
# So many results are asked for: as many as the deepest measure looks at.
RESULTS = max(DEPTHS)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system found for a question, best first, and the CPU milliseconds that it took."""

    question: Question
    found: tuple[str, ...]
    cpu_ms: float


Figures = dict[str, float]


def measure(answers: Sequence[Answer], catalogue: Catalogue) -> Figures:
    """Every measure over the answers; NaN of none."""
    times = [answer.cpu_ms for answer in answers]
    return {
        "questions": len(answers),
        **{f"R@{depth}": _mean(_hit(depth), answers) for depth in DEPTHS},
        "MRR": _mean(_reciprocal_rank, answers),
        "nDCG@10": _mean(_gain, answers),
        "right kind": _mean(_has_right_kind(catalogue), answers),
        "destructive first": sum(map(_puts_deleting_first(catalogue), answers)),
        "p50 ms": median(times) if times else nan,
        "p95 ms": quantiles(times, n=20)[-1] if len(times) > 1 else nan,
    }


def recall_by_pair(answers: Sequence[Answer], catalogue: Catalogue, depth: int) -> Figures:
    """R@depth by the languages of the question and of its best tool, as `ko-ja`."""
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        question = answer.question
        pair = f"{question.language}-{catalogue.languages[question.gold[0]]}"
        groups.setdefault(pair, []).append(answer)
    return {pair: _mean(_hit(depth), groups[pair]) for pair in sorted(groups)}


def recall_by(answers: Sequence[Answer], key: Callable[[Question], str], depth: int) -> Figures:
    """R@depth of the questions of each value of the key."""
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(key(answer.question), []).append(answer)
    return {value: _mean(_hit(depth), groups[value]) for value in sorted(groups)}


def share_found(gold: Iterable[str], found: Iterable[str]) -> float:
    """The share of the right answers that is among the found ones."""
    wanted = set(gold)
    return len(wanted.intersection(found)) / len(wanted)


def _mean(figure: Callable[[Answer], float], answers: Sequence[Answer]) -> float:
    return fmean(map(figure, answers)) if answers else nan


def _hit(depth: int) -> Callable[[Answer], float]:
    """Whether any right answer is among the first; one is as much as an agent needs."""

    def is_hit(answer: Answer) -> float:
        return float(not set(answer.question.gold).isdisjoint(answer.found[:depth]))

    return is_hit


def _reciprocal_rank(answer: Answer) -> float:
    ranks = (rank for rank, name in enumerate(answer.found, 1) if name in answer.question.gold)
    return 1 / next(ranks, float("inf"))


def _gain(answer: Answer) -> float:
    """Normalised discounted cumulative gain at 10, of right or wrong: Järvelin and Kekäläinen 2002."""
    gold = answer.question.gold
    found = enumerate(answer.found[:RESULTS], 2)
    gained = sum(1 / log2(place) for place, name in found if name in gold)
    return gained / sum(1 / log2(place) for place in range(2, len(gold[:RESULTS]) + 2))


def _has_right_kind(catalogue: Catalogue) -> Callable[[Answer], float]:
    def has_right_kind(answer: Answer) -> float:
        first = answer.found[:1]
        return float(bool(first) and catalogue.kinds[first[0]] == answer.question.kind)

    return has_right_kind


def _puts_deleting_first(catalogue: Catalogue) -> Callable[[Answer], bool]:
    def puts_deleting_first(answer: Answer) -> bool:
        first = answer.found[:1]
        return answer.question.kind == "read" and any(
            catalogue.kinds[name] == "delete" for name in first
        )

    return puts_deleting_first
