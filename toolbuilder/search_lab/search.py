"""One search of the lab: what its address asks for, and the tools found with what speaks for them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import ClassVar

from django.contrib.auth.models import User
from django.http import QueryDict
from django.urls import reverse

from access.list_addresses import read_filters
from access.models import ApiKey
from access.toolsets.models import read_toolsets
from core.errors import EmbeddingError
from core.grants import Visibility
from core.retrieval.model import Tool
from core.retrieval.profiles import DEFAULT, PROFILES, Profile
from core.retrieval.ranker import RankedTool, ToolRanker
from core.retrieval.request import MAX_QUERY_CHARACTERS, SearchQuery, parse_query
from core.retrieval.tokens import CONCEPT_MARK
from toolbuilder.search_lab.index import LabIndex, read_lab_index
from toolbuilder.search_lab.query_vectors import embed_question
from toolbuilder.search_lab.weights import (
    DEFAULT_PROFILE,
    MAX_WEIGHT,
    PROFILE_TEXTS,
    SIGNAL_LABELS,
    SIGNALS,
    LabProfile,
)
from toolbuilder.visibility import hidden_tool_names
from tools.aliases import read_old_names
from tools.toolsets import find_places

RESULTS_SHOWN = 20
BAR_WIDTH = 240
_NEUTRAL = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class LabState:
    """What the address of the lab says: a question, a profile with other weights, a key's eyes."""

    query_characters: ClassVar[int] = MAX_QUERY_CHARACTERS

    q: str = ""
    key: str = ""
    profile: LabProfile = DEFAULT_PROFILE

    @classmethod
    def read(cls, given: QueryDict) -> "LabState":
        """From an address; what makes no sense in it is left out.

        Weights of a form that was made for another profile (`of`) are left out too.
        """
        texts = read_filters(given, ("q", "key", "profile", "of"), MAX_QUERY_CHARACTERS)
        is_of_profile = texts["of"] in ("", texts["profile"])
        weights = read_filters(given, SIGNALS, 10) if is_of_profile else {}
        profile = LabProfile.read(texts["profile"], weights)
        return cls(q=texts["q"], key=texts["key"][:8], profile=profile)

    def address(self) -> str:
        """Of the lab in this state."""
        query = QueryDict(mutable=True)
        texts = {"q": self.q, "profile": "", "key": self.key}
        if self.profile != DEFAULT_PROFILE:
            texts["profile"] = self.profile.name
        query.update({name: text for name, text in texts.items() if text})
        query.update({signal: f"{weight:g}" for signal, weight in self.profile.changed})
        return f"{reverse('search-lab')}{'?' if query else ''}{query.urlencode()}"

    @property
    def sliders(self) -> list[tuple[str, str, str, str]]:
        """Signal, its label, its weight and the highest weight of each, as a form has them."""
        highest, weights = f"{MAX_WEIGHT:g}", self.profile.weights
        return [
            (signal, str(label), f"{weights[signal]:g}", highest)
            for signal, label in SIGNAL_LABELS.items()
        ]

    @property
    def profiles(self) -> list[tuple[str, str, str]]:
        """Name, label and explanation of each, the default among them."""
        texts = {name: PROFILE_TEXTS[name] for name in PROFILES}
        return [(name, str(label), str(text)) for name, (label, text) in texts.items()]

    @property
    def default_profile(self) -> str:
        """The name of the profile that agents' searches use unless a setting says otherwise."""
        return DEFAULT.name


@dataclass(frozen=True, slots=True)
class BarPart:
    """A part of a result's bar: where it begins and how wide it is, of 240, as SVG has them."""

    signal: str
    start: str
    width: str


@dataclass(frozen=True, slots=True)
class SignalFigure:
    """What one signal says of a result."""

    signal: str
    value: float

    @property
    def label(self) -> str:
        """What people call the signal."""
        return str(SIGNAL_LABELS[self.signal])


@dataclass(frozen=True, slots=True)
class LabRow:
    """A tool found, at its rank from 1."""

    rank: int
    tool: Tool
    found: RankedTool
    bar: list[BarPart]
    related: tuple[str, ...]

    @property
    def figures(self) -> list[SignalFigure]:
        """All signals."""
        return [SignalFigure(signal, self.found.signals[signal]) for signal in SIGNALS]


@dataclass(frozen=True, slots=True)
class CountedConcept:
    """A concept of the glossary that counts in a search, with its weight against a word as it is written.

    `weight` is for tools in another language than the question's, `own_weight` for those in its own.
    """

    id: str
    weight: float
    own_weight: float
    is_named: bool


@dataclass(frozen=True, slots=True)
class LabAnswer:
    """What a search gave, in how long without the embedding; degraded: by words alone."""

    rows: list[LabRow] = field(default_factory=list)
    concepts: list[CountedConcept] = field(default_factory=list)
    tool_count: int = 0
    duration_ms: float = 0.0
    is_degraded: bool = False


def search_as(state: LabState, key: ApiKey | None, user: User) -> LabAnswer:
    """The best 20 tools that the key may call, or any without one, and that the user sees."""
    lab = read_lab_index()
    seen = find_seen(lab, user)
    if not state.q:
        return LabAnswer(tool_count=len(seen))
    query = SearchQuery(state.q, limit=RESULTS_SHOWN)
    query = replace(query, vector=embed_question(query.embedded_text))
    allowed = seen
    if key is not None:
        places = find_places({name: tool.served for name, tool in lab.search.tools.items()})
        renamed = read_old_names().renamed_tools
        granted = Visibility(places, read_toolsets(), renamed).names(key.grant)
        allowed = seen if granted is None else seen & granted
    started = perf_counter()
    found, is_degraded = rank_or_degrade(lab, query, state.profile, allowed)
    duration_ms = (perf_counter() - started) * 1_000
    rows = list(_rows_of(found, lab, state.profile, allowed))
    concepts = list(count_concepts(lab, query, state.profile.to_profile()))
    return LabAnswer(rows, concepts, len(seen), duration_ms, is_degraded)


def count_concepts(lab: LabIndex, query: SearchQuery, profile: Profile) -> Iterator[CountedConcept]:
    """Those that the question names, then those that it means, nearest first."""
    parsed = parse_query(query, lab.search.index.glossary, profile)
    own, other = profile.same_language_concept_weight, profile.concept_weight
    for concept in parsed.concepts:
        yield CountedConcept(concept, other, own, is_named=True)
    for term in parsed.meant:
        concept = term.removeprefix(CONCEPT_MARK)
        yield CountedConcept(concept, profile.soft_concept_weight, 0.0, is_named=False)


def find_seen(lab: LabIndex, user: User) -> frozenset[str]:
    """Names of the tools that the user sees."""
    return frozenset(lab.tools) - hidden_tool_names(user)


def rank_or_degrade(
    lab: LabIndex, query: SearchQuery, profile: LabProfile, allowed: frozenset[str] | None = None
) -> tuple[list[RankedTool], bool]:
    """The tools best first, and whether by words alone, as where the vectors are of another model."""
    ranker = ToolRanker(lab.search.index)
    try:
        found = ranker.rank(query, allowed, profile.to_profile())
        return found, ranker.is_degraded(query)
    except EmbeddingError:
        by_words = SearchQuery(query.text, None, query.kind, query.limit)
        return ranker.rank(by_words, allowed, profile.to_profile()), True


def _rows_of(
    found: Sequence[RankedTool], lab: LabIndex, profile: LabProfile, allowed: frozenset[str]
) -> Iterator[LabRow]:
    """Bars are of one scale: the longest fills its width.

    A part is the signal against the highest of it in this answer, times its weight; that shows what
    speaks for a tool, not the score, which also goes by ranks or by how far others are.
    """
    weights = profile.weights
    highest = {
        signal: max((_above(tool, signal) for tool in found), default=0.0) or 1.0
        for signal in SIGNALS
    }
    shares = [
        {signal: weights[signal] * _above(tool, signal) / highest[signal] for signal in SIGNALS}
        for tool in found
    ]
    longest = max((sum(share.values()) for share in shares), default=0.0) or 1.0
    for rank, (tool, share) in enumerate(zip(found, shares, strict=True), start=1):
        bar, start = [], 0.0
        for signal, part in share.items():
            width = part * BAR_WIDTH / longest
            if width > 0:
                bar.append(BarPart(signal, f"{start:.1f}", f"{width:.1f}"))
                start += width
        related = ToolRanker(lab.search.index).find_related(tool.name, allowed)
        yield LabRow(rank, lab.tools[tool.name], tool, bar, related)


def _above(tool: RankedTool, signal: str) -> float:
    """How much a signal speaks for a tool; annotations that neither fit nor fail say nothing."""
    ground = _NEUTRAL if signal == "annotation" else 0.0
    return max(0.0, tool.signals[signal] - ground)
