"""How well the tools of a toolset are found among each other."""

from collections.abc import Collection
from dataclasses import dataclass

from django.contrib.auth.models import User

from core.retrieval.request import SearchQuery
from toolbuilder.search_lab.index import read_lab_index
from toolbuilder.search_lab.measuring import Measured, measure_questions
from toolbuilder.search_lab.near_tools import NearPair, find_near_pairs
from toolbuilder.search_lab.questions import MAX_QUESTIONS, expected_of
from toolbuilder.search_lab.search import find_seen, rank_or_degrade
from toolbuilder.search_lab.weights import DEFAULT_PROFILE
from toolbuilder.visibility import visible_questions

# Each tool is one search among all others.
DESCRIPTIONS_MEASURED = 100
_DESCRIPTION_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Confusion:
    """A tool whose own description finds another one first: at which rank it is, None for none."""

    name: str
    rank: int | None
    first: str


@dataclass(frozen=True, slots=True)
class ToolsetQuality:
    """Saved questions that expect a tool of the toolset, and tools that are taken for others.

    `described_count` tools were searched by their own descriptions, words alone. `near` are pairs that
    answer the same questions.
    """

    measured: Measured | None
    confusions: tuple[Confusion, ...]
    described_count: int
    near: tuple[NearPair, ...] = ()

    @property
    def found_first(self) -> int:
        """How many tools are found first by their own description."""
        return self.described_count - len(self.confusions)

    @property
    def question_count(self) -> int:
        """How many saved questions were searched."""
        return len(self.measured.questions) if self.measured else 0

    @property
    def answered(self) -> int:
        """How many questions have an expected tool among the first three."""
        questions = self.measured.questions if self.measured else ()
        return sum(question.rank is not None and question.rank <= 3 for question in questions)


def measure_toolset(members: Collection[str], user: User) -> ToolsetQuality:
    """Searches among the members that the user sees, as agents' searches at the toolset's endpoint are."""
    lab = read_lab_index()
    seen = find_seen(lab, user).intersection(members)
    questions = [
        question
        for question in visible_questions(user)[:MAX_QUESTIONS]
        if not seen.isdisjoint(expected_of(question))
    ]
    measured = measure_questions(questions, DEFAULT_PROFILE, user, seen) if questions else None
    confusions = []
    described = [name for name in sorted(seen) if lab.tools[name].description]
    described = described[:DESCRIPTIONS_MEASURED]
    for name in described:
        query = SearchQuery(lab.tools[name].description[:_DESCRIPTION_CHARACTERS], limit=10)
        ranked, _is_degraded = rank_or_degrade(lab, query, DEFAULT_PROFILE, seen)
        names = [tool.name for tool in ranked]
        if names[:1] != [name]:
            rank = names.index(name) + 1 if name in names else None
            confusions.append(Confusion(name, rank, next(iter(names), "")))
    near = tuple(find_near_pairs(seen, user))
    return ToolsetQuality(measured, tuple(confusions), len(described), near)
