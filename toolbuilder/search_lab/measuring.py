"""How well saved questions find what they should: ranks, hit rates, and which tools are taken for which."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.contrib.auth.models import User

from core.retrieval.request import SearchQuery
from toolbuilder.models import SearchQuestion
from toolbuilder.search_lab.index import read_lab_index
from toolbuilder.search_lab.query_vectors import embed_questions
from toolbuilder.search_lab.questions import LANGUAGES, expected_of
from toolbuilder.search_lab.search import find_seen, rank_or_degrade
from toolbuilder.search_lab.weights import LabProfile

CUTS = (1, 3, 5)
# What is further behind is as good as not found, and every rank costs time.
RANKS_SEEN = 50
# More rows and columns than people read.
_MOST_CONFUSED = 20


@dataclass(frozen=True, slots=True)
class MeasuredQuestion:
    """A question with the best rank of an expected tool, None if none is among the best 50.

    `first` is the tool found first, '' for none; `unknown` are expected tools that are not served.
    """

    question: SearchQuestion
    rank: int | None
    first: str
    unknown: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rates:
    """Of some questions: shares of 100 with an expected tool among the first 1, 3 and 5, and MRR.

    MRR is the mean of 1 / rank, 0 if nothing is found: Voorhees 1999.
    """

    label: str
    count: int
    hits: tuple[float, ...]
    mrr: float


@dataclass(frozen=True, slots=True)
class ConfusionRow:
    """A tool with the number of its questions that found it first, nothing, and each tool of the columns."""

    name: str
    right: int
    nothing: int
    taken_for: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ConfusionMatrix:
    """Which tools are taken for which others; `columns` are what was found in their place.

    Rows are tools whose questions found another one first, the most often confused first, at most 20;
    columns likewise.
    """

    columns: tuple[str, ...]
    rows: tuple[ConfusionRow, ...]


@dataclass(frozen=True)
class Measured:
    """The questions, worst first, with the rates of all and of each language that there is."""

    questions: list[MeasuredQuestion]
    rates: list[Rates]
    degraded_count: int

    @property
    def overall(self) -> Rates:
        """Of all questions."""
        return self.rates[0]

    @cached_property
    def confusion(self) -> ConfusionMatrix:
        """What each tool is taken for; a question counts for the first of its tools that are served."""
        found: dict[str, Counter[str]] = {}
        for each in self.questions:
            expected = [name for name in expected_of(each.question) if name not in each.unknown]
            if expected:
                first = expected[0] if each.rank == 1 else each.first
                found.setdefault(expected[0], Counter())[first] += 1
        wrong = {
            name: Counter({other: n for other, n in counts.items() if other not in ("", name)})
            for name, counts in found.items()
        }
        columns = [name for name, _ in sum(wrong.values(), Counter()).most_common(_MOST_CONFUSED)]
        confused = sorted(filter(wrong.get, wrong), key=lambda name: (-wrong[name].total(), name))
        rows = (
            ConfusionRow(
                name,
                right=found[name][name],
                nothing=found[name][""],
                taken_for=tuple(wrong[name][column] for column in columns),
            )
            for name in confused[:_MOST_CONFUSED]
        )
        return ConfusionMatrix(tuple(columns), tuple(rows))


def measure_questions(
    questions: Sequence[SearchQuestion],
    profile: LabProfile,
    user: User,
    among: Collection[str] | None = None,
) -> Measured:
    """Every question searched now, as `profile` ranks, among the tools that the user sees.

    `among` names the tools that are searched, None is all.
    """
    lab = read_lab_index()
    served = find_seen(lab, user)
    served = served if among is None else served.intersection(among)
    queries = [SearchQuery(question.text, limit=RANKS_SEEN) for question in questions]
    vectors = embed_questions([query.embedded_text for query in queries])
    measured: list[MeasuredQuestion] = []
    degraded_count = 0
    for question, query in zip(questions, queries, strict=True):
        query_with_vector = replace(query, vector=vectors.get(query.embedded_text))
        found, is_degraded = rank_or_degrade(lab, query_with_vector, profile, served)
        degraded_count += is_degraded
        names, expected = [tool.name for tool in found], expected_of(question)
        rank = min((names.index(name) + 1 for name in expected if name in names), default=None)
        unknown = tuple(name for name in expected if name not in served)
        measured.append(MeasuredQuestion(question, rank, next(iter(names), ""), unknown))
    measured.sort(key=lambda row: (-(row.rank or RANKS_SEEN + 1), row.question.text))
    ranks = {
        language: [row.rank for row in measured if row.question.language == language]
        for language in LANGUAGES
    }
    overall = rate("", [row.rank for row in measured])
    rates = [overall, *(rate(language, own) for language, own in ranks.items() if own)]
    return Measured(measured, rates, degraded_count)


def rate(label: str, ranks: Sequence[int | None]) -> Rates:
    """The rates of these ranks; of none they are 0."""
    count = max(len(ranks), 1)
    found = [rank for rank in ranks if rank]
    hits = tuple(100 * sum(rank <= cut for rank in found) / count for cut in CUTS)
    return Rates(label, len(ranks), hits, sum(1 / rank for rank in found) / count)
