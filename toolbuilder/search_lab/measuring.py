"""How well saved questions find what they should: ranks, hit rates and mean reciprocal ranks."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from django.contrib.auth.models import User

from core.retrieval.request import Query
from toolbuilder.models import SearchQuestion
from toolbuilder.search_lab.index import read_lab_index
from toolbuilder.search_lab.query_vectors import embed_questions
from toolbuilder.search_lab.questions import LANGUAGES, expected_of
from toolbuilder.search_lab.search import find_seen, rank_or_degrade
from toolbuilder.search_lab.weights import LabProfile

CUTS = (1, 3, 5)
# What is further behind is as good as not found, and telling of each costs time.
RANKS_SEEN = 50


@dataclass(frozen=True, slots=True)
class MeasuredQuestion:
    """A question with the best rank of an expected tool, None where none is among the best 50.

    `first` is the tool found first, '' for none; `unknown` are expected tools that are not served.
    """

    question: SearchQuestion
    rank: int | None
    first: str
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rates:
    """Of some questions: shares of 100 with an expected tool among the first 1, 3 and 5, and MRR.

    MRR is the mean of 1 / rank, 0 where nothing is found: Voorhees 1999.
    """

    label: str
    count: int
    hits: tuple[float, ...]
    mrr: float


@dataclass(frozen=True, slots=True)
class Measured:
    """The questions, worst first, with the rates of all and of each language that there is."""

    questions: list[MeasuredQuestion]
    rates: list[Rates]
    degraded_count: int

    @property
    def overall(self) -> Rates:
        """Of all questions."""
        return self.rates[0]


def measure_questions(
    questions: Sequence[SearchQuestion], profile: LabProfile, user: User
) -> Measured:
    """Every question searched now, as `profile` ranks, among the tools that the user sees."""
    lab = read_lab_index()
    seen = find_seen(lab, user)
    asked = [Query(one.text, limit=RANKS_SEEN) for one in questions]
    vectors = embed_questions([one.embedded_text for one in asked])
    measured: list[MeasuredQuestion] = []
    degraded_count = 0
    for one, question in zip(questions, asked, strict=True):
        query = replace(question, vector=vectors.get(question.embedded_text))
        found, is_degraded = rank_or_degrade(lab, query, profile, seen)
        degraded_count += is_degraded
        measured.append(_judge(one, [tool.name for tool in found], seen))
    measured.sort(key=lambda one: (-(one.rank or RANKS_SEEN + 1), one.question.text))
    return Measured(measured, list(_rates_by_language(measured)), degraded_count)


def rate(label: str, ranks: Sequence[int | None]) -> Rates:
    """The rates of these ranks; of none they are 0."""
    count = max(len(ranks), 1)
    found = [rank for rank in ranks if rank]
    hits = tuple(100 * sum(rank <= cut for rank in found) / count for cut in CUTS)
    return Rates(label, len(ranks), hits, sum(1 / rank for rank in found) / count)


def _judge(
    question: SearchQuestion, names: Sequence[str], served: Collection[str]
) -> MeasuredQuestion:
    expected = expected_of(question)
    ranks = [names.index(name) + 1 for name in expected if name in names]
    unknown = tuple(name for name in expected if name not in served)
    return MeasuredQuestion(question, min(ranks, default=None), next(iter(names), ""), unknown)


def _rates_by_language(measured: Sequence[MeasuredQuestion]) -> Iterator[Rates]:
    yield rate("", [one.rank for one in measured])
    for language in LANGUAGES:
        of_language = [one.rank for one in measured if one.question.language == language]
        if of_language:
            yield rate(language, of_language)
