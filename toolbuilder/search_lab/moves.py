"""What moved in the search after each publishing, as far as a person sees the tools."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator

from toolbuilder.models import MeasurementKind, SearchMeasurement, SearchQuestion
from toolbuilder.search_lab.measuring import CUTS, Rates, rate
from toolbuilder.search_lab.questions import LANGUAGES, MAX_QUESTIONS, expected_of
from toolbuilder.search_lab.weights import SIGNAL_LABELS
from toolbuilder.visibility import hidden_tool_names, visible_questions

MEASUREMENTS_A_PAGE = 20
CAUSES_NAMED = 5
# Smaller changes are not shown: of a share of 100, and of MRR.
_LEAST_SHARE, _LEAST_MRR = 0.5, 0.005
Outcomes = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ChangedRate:
    """A rate, and by how much it is more than before, None where that is not known or nothing."""

    value: float
    change: float | None


@dataclass(frozen=True, slots=True)
class ChangedRates:
    """The rates of all questions ('') or of those in one language, and how they changed.

    Changes are of the questions that were there before as well.
    """

    label: str
    count: int
    hits: tuple[ChangedRate, ...]
    mrr: ChangedRate

    @property
    def by_cut(self) -> list[tuple[int, ChangedRate]]:
        """How many tools are looked at, and the share of questions whose tool is among them."""
        return list(zip(CUTS, self.hits, strict=True))


@dataclass(frozen=True, slots=True)
class ShownMove:
    """A question whose tool has another rank than before; None is not found.

    `cause` is the tool whose change did it, '' where that is another one or something else.
    """

    question: SearchQuestion
    tool: str
    before: int | None
    after: int | None
    cause: Mapping[str, Any]
    rival: str
    source: str
    change: float
    how: str

    @property
    def is_fall(self) -> bool:
        """Whether the tool is further behind than before."""
        return self.after is None or (self.before is not None and self.after > self.before)

    @property
    def label(self) -> str:
        """What people call the part of the score that did it; '' if that is not known."""
        return str(SIGNAL_LABELS[self.source]) if self.source in SIGNAL_LABELS else ""


@dataclass(frozen=True)
class ShownMeasurement:
    """A measurement as a person sees it: without tools that are hidden from them, which take no rank."""

    row: SearchMeasurement
    base: SearchMeasurement | None
    questions: Mapping[str, SearchQuestion]
    hidden: Collection[str]

    @cached_property
    def causes(self) -> list[dict[str, Any]]:
        """The tools that changed."""
        return [cause for cause in self.row.causes if cause["tool"] not in self.hidden]

    @property
    def unnamed_count(self) -> int:
        """How many tools changed besides the first five; of those not kept only who sees all is told."""
        more = 0 if self.hidden else self.row.cause_count - len(self.row.causes)
        return max(0, len(self.causes) - CAUSES_NAMED) + more

    @property
    def is_seen(self) -> bool:
        """Whether it is more than a change of hidden tools."""
        is_of_tools = self.row.kind == MeasurementKind.TOOLS and bool(self.row.causes)
        return not is_of_tools or bool(self.causes)

    @cached_property
    def rates(self) -> list[ChangedRates]:
        """Of all questions, then of each language that there is."""
        found = [self._rates_of("", list(self.questions))]
        for language in LANGUAGES:
            own = [key for key, each in self.questions.items() if each.language == language]
            found.append(self._rates_of(language, own))
        return [each for each in found if each.count or not each.label]

    @property
    def overall(self) -> ChangedRates:
        """Of all questions."""
        return self.rates[0]

    @cached_property
    def moves(self) -> list[ShownMove]:
        """What moved, falls first, the farthest first."""
        if self.base is None:
            return []
        causes = {name: cause for cause in self.causes for name in (cause["tool"], cause["former"])}
        found = []
        for key, question in self.questions.items():
            move, outcome = self.row.moves.get(key), self.row.outcomes.get(key)
            if not move or not outcome or key not in self.base.outcomes:
                continue
            before = self._rank_in(self.base.outcomes, key)
            after = self._rank_in(self.row.outcomes, key)
            if before != after:
                # What a hidden tool did is not told.
                told = _UNTOLD if move["rival"] in self.hidden else move
                parts: dict[str, Any] = {
                    name: told[name] for name in ("rival", "source", "change", "how")
                }
                cause = causes.get(told["cause"], {})
                found.append(ShownMove(question, outcome["tool"], before, after, cause, **parts))
        return sorted(found, key=_order_of)

    @property
    def fallen(self) -> int:
        """How many questions find their tool further behind."""
        return sum(move.is_fall for move in self.moves)

    @property
    def risen(self) -> int:
        """How many questions find their tool further ahead."""
        return len(self.moves) - self.fallen

    def _rank_in(self, outcomes: Outcomes, key: str) -> int | None:
        outcome = outcomes[key]
        if outcome["rank"] is None:
            return None
        return 1 + sum(name not in self.hidden for name in outcome["ahead"])

    def _rates_of(self, label: str, keys: Sequence[str]) -> ChangedRates:
        own = [key for key in keys if key in self.row.outcomes]
        now = rate(label, [self._rank_in(self.row.outcomes, key) for key in own])
        earlier = self.base.outcomes if self.base else {}
        both = [key for key in own if key in earlier]
        if not both:
            hits = tuple(ChangedRate(hit, None) for hit in now.hits)
            return ChangedRates(label, now.count, hits, ChangedRate(now.mrr, None))
        before = rate(label, [self._rank_in(earlier, key) for key in both])
        after = rate(label, [self._rank_in(self.row.outcomes, key) for key in both])
        return _compare(now, before, after)


_UNTOLD: dict[str, Any] = {"cause": "", "rival": "", "source": "", "change": 0.0, "how": "changed"}


def read_measurements(
    user: User, tool: str, page: int
) -> tuple[Page[SearchMeasurement], list[ShownMeasurement]]:
    """A page of the measurements, newest first, and those of it that the person sees.

    Only of questions that expect the tool, '' for all; five queries at most.
    """
    hidden = hidden_tool_names(user)
    questions = {
        str(question.pk): question
        for question in visible_questions(user)[:MAX_QUESTIONS]
        if not tool or tool in expected_of(question)
    }
    rows = SearchMeasurement.objects.defer("parts")
    shown = Paginator(rows, MEASUREMENTS_A_PAGE).get_page(page)
    found = list(shown.object_list)
    older = rows.filter(pk__lt=found[-1].pk).first() if found else None
    pairs = zip(found, [*found[1:], older], strict=False)
    measurements = [ShownMeasurement(row, base, questions, hidden) for row, base in pairs]
    return shown, [each for each in measurements if each.is_seen]


def _compare(now: Rates, before: Rates, after: Rates) -> ChangedRates:
    """The rates now, with what changed from before to after."""
    changes = [later - earlier for earlier, later in zip(before.hits, after.hits, strict=True)]
    hits = tuple(
        ChangedRate(hit, change if abs(change) >= _LEAST_SHARE else None)
        for hit, change in zip(now.hits, changes, strict=True)
    )
    change = after.mrr - before.mrr
    mrr = ChangedRate(now.mrr, change if abs(change) >= _LEAST_MRR else None)
    return ChangedRates(now.label, now.count, hits, mrr)


def _order_of(move: ShownMove) -> tuple[bool, float, str]:
    """Falls before rises, and what counts most in MRR first."""
    before, after = (1 / rank if rank else 0.0 for rank in (move.before, move.after))
    return not move.is_fall, -abs(after - before), move.question.text
