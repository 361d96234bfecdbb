"""Measurements of the saved questions: kept after each publishing, with what moved since the one before."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import orjson
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max

from core.retrieval.rank_moves import Move, QuestionOutcome, explain_move
from core.retrieval.ranker import ToolRanker
from core.retrieval.request import SearchQuery
from toolbuilder.models import MeasurementKind, SearchMeasurement, SearchQuestion, ToolVersion
from toolbuilder.search_lab.index import LabIndex, read_lab_index
from toolbuilder.search_lab.measuring import RANKS_SEEN
from toolbuilder.search_lab.query_vectors import embed_questions
from toolbuilder.search_lab.questions import MAX_QUESTIONS, expected_of
from toolbuilder.search_lab.search import rank_or_degrade
from toolbuilder.search_lab.weights import LabProfile
from tools.models import RegistryChange, ToolDefinition

MEASUREMENTS_KEPT = 100
# Of so many tools found first it is known what each part of the score gave.
_MOST_SPLIT = 10
_MOST_CAUSES = 50
_DIGITS = 4
# Any number that no other program of this database uses for its own lock.
_LOCK = 3_003_014


@dataclass(frozen=True, slots=True)
class Cause:
    """A tool that changed: the version that did it and its author, 0 and '' where it has no new version.

    `former` is its name in the measurement before, if that was another.
    """

    tool: str
    version: int = 0
    by: str = ""
    former: str = ""


@dataclass(frozen=True, slots=True)
class Searched:
    """What was searched: the served tools, the glossary and the way of ranking."""

    registry: int
    glossary: str
    profile: str

    @classmethod
    def of(cls, row: SearchMeasurement) -> "Searched":
        """Of a measurement."""
        return cls(row.registry, row.glossary, row.profile)

    def kind_after(self, base: SearchMeasurement | None) -> MeasurementKind:
        """What of it is new since that measurement."""
        if base is None:
            return MeasurementKind.FIRST
        if base.profile != self.profile:
            return MeasurementKind.PROFILE
        is_glossary = base.glossary != self.glossary
        return MeasurementKind.GLOSSARY if is_glossary else MeasurementKind.TOOLS


@dataclass(frozen=True, slots=True)
class MeasuredOutcomes:
    """What each saved question found, by its id; `degraded` are those searched by words alone."""

    by_question: Mapping[str, QuestionOutcome]
    expected: Mapping[str, list[str]]
    degraded: frozenset[str]

    def to_rows(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Outcomes and parts as JSON keeps them."""
        outcomes, parts = {}, {}
        for key, outcome in self.by_question.items():
            row = {"tool": outcome.tool, "rank": outcome.rank, "ahead": list(outcome.ahead)}
            row["degraded"] = key in self.degraded
            outcomes[key] = {**row, "expected": self.expected[key]}
            parts[key] = {
                name: {source: round(part, _DIGITS) for source, part in own.items()}
                for name, own in outcome.parts.items()
            }
        return outcomes, parts


def record_measurement() -> bool:
    """Keep how the saved questions are found now, and what moved; whether that is a new measurement.

    One of what was searched before is only renewed, where vectors came late or questions changed.
    Nothing happens where nothing changed, and where there are no questions.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        questions = list(SearchQuestion.objects.order_by("pk")[:MAX_QUESTIONS])
        if not questions:
            return False
        lab = read_lab_index()
        searched = Searched(lab.registry, lab.glossary, settings.MCP_SEARCH_PROFILE)
        state = _hash_state(lab, questions)
        last, *older = [*SearchMeasurement.objects.all()[:2], None][:2]
        is_renewal = last is not None and searched == Searched.of(last)
        if is_renewal and last is not None and last.state == state:
            return False
        base = next(iter(older), None) if is_renewal else last
        measured = measure_outcomes(lab, questions, LabProfile(searched.profile))
        causes = find_causes(base, lab.registry) if base else []
        moves = find_moves(base, measured, causes, lab) if base else {}
        kind = searched.kind_after(base)
        if last and not is_renewal and kind is MeasurementKind.TOOLS and not (causes or moves):
            # What changed nothing that is searched is no measurement of its own.
            SearchMeasurement.objects.filter(pk=last.pk).update(registry=lab.registry, state=state)
            return False
        row = last if is_renewal and last else SearchMeasurement()
        row.registry, row.glossary, row.profile = lab.registry, lab.glossary, searched.profile
        row.version_id = ToolVersion.objects.aggregate(last=Max("pk"))["last"] or 0
        # Without vectors in time it is to be measured again.
        is_late = measured.degraded and lab.search.index.vectors.has_vectors
        row.kind, row.state = kind, "" if is_late else state
        row.causes = [asdict(cause) for cause in causes[:_MOST_CAUSES]]
        row.cause_count, row.degraded_count = len(causes), len(measured.degraded)
        row.outcomes, row.parts = measured.to_rows()
        row.moves = {key: asdict(move) for key, move in moves.items()}
        row.save()
        forget_old(row)
        return not is_renewal


def measure_outcomes(
    lab: LabIndex, questions: Sequence[SearchQuestion], profile: LabProfile
) -> MeasuredOutcomes:
    """Every question searched among all tools."""
    queries = [SearchQuery(question.text, limit=RANKS_SEEN) for question in questions]
    vectors = embed_questions([query.embedded_text for query in queries])
    ranker, chosen = ToolRanker(lab.search.index), profile.to_profile()
    outcomes: dict[str, QuestionOutcome] = {}
    degraded: set[str] = set()
    for question, by_words in zip(questions, queries, strict=True):
        query = replace(by_words, vector=vectors.get(by_words.embedded_text))
        found, is_degraded = rank_or_degrade(lab, query, profile)
        if is_degraded:
            degraded.add(str(question.pk))
            query = by_words
        names, expected = [tool.name for tool in found], expected_of(question)
        ranks = {name: names.index(name) + 1 for name in expected if name in names}
        tool = min(ranks, key=ranks.__getitem__, default=next(iter(expected), ""))
        rank = ranks.get(tool)
        ahead = names[: rank - 1] if rank else names[:_MOST_SPLIT]
        parts = ranker.split_scores(query, {*names[:_MOST_SPLIT], tool}, None, chosen)
        outcomes[str(question.pk)] = QuestionOutcome(tool, rank, tuple(ahead), parts)
    asked = {str(question.pk): sorted(expected_of(question)) for question in questions}
    return MeasuredOutcomes(outcomes, asked, frozenset(degraded))


def find_causes(base: SearchMeasurement, registry: int) -> list[Cause]:
    """The tools that changed since that measurement, by name; none where only other things did."""
    versions = ToolVersion.objects.filter(tool__isnull=False).order_by("pk")
    columns = ("tool_id", "number", "published_by")
    new = versions.filter(pk__gt=base.version_id).values_list(*columns)
    newest = {pk: (number, by) for pk, number, by in new}
    changed = RegistryChange.changed_between(base.registry, registry)
    # The log of changes goes back only so far.
    ids = newest.keys() if changed is None else changed
    known = versions.filter(pk__lte=base.version_id, tool__in=ids)
    former = dict(known.values_list("tool_id", "tool_name"))
    names = ToolDefinition.objects.filter(pk__in=ids).order_by("name").values_list("pk", "name")
    return [
        Cause(
            name,
            *newest.get(pk, (0, "")),
            former="" if former.get(pk) == name else former.get(pk, ""),
        )
        for pk, name in names
    ]


def find_moves(
    base: SearchMeasurement, measured: MeasuredOutcomes, causes: Iterable[Cause], lab: LabIndex
) -> dict[str, Move]:
    """What moved since that measurement, by question; those asked otherwise than then are left out."""
    changed = {name for cause in causes for name in (cause.tool, cause.former) if name}
    moves: dict[str, Move] = {}
    for key, after in measured.by_question.items():
        row = base.outcomes.get(key)
        if row is None or row["expected"] != measured.expected[key]:
            continue
        if row["degraded"] != (key in measured.degraded):
            continue
        before = QuestionOutcome(
            row["tool"], row["rank"], tuple(row["ahead"]), base.parts.get(key, {})
        )
        if move := explain_move(before, after, changed, lab.tools):
            moves[key] = move
    return moves


def _hash_state(lab: LabIndex, questions: Iterable[SearchQuestion]) -> str:
    asked = [[question.pk, expected_of(question)] for question in questions]
    return hashlib.sha256(orjson.dumps([lab.vectors, asked])).hexdigest()


def forget_old(newest: SearchMeasurement) -> None:
    """Leave parts in the newest two, and no more rows than are kept."""
    ids = list(SearchMeasurement.objects.values_list("pk", flat=True)[: MEASUREMENTS_KEPT + 1])
    SearchMeasurement.objects.filter(pk__lt=newest.pk).exclude(pk__in=ids[:2]).exclude(
        parts={}
    ).update(parts={})
    if len(ids) > MEASUREMENTS_KEPT:
        SearchMeasurement.objects.filter(pk__lte=ids[-1]).delete()
