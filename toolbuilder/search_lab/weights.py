"""A profile with the weights that somebody tries in its place."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext_lazy as _

from core.retrieval.profiles import DEFAULT, PROFILES, Profile

SIGNALS = ("bm25", "name", "graph", "embedding", "annotation", "use")
SIGNAL_LABELS = {
    "bm25": _("Words"),
    "name": _("Name"),
    "graph": _("Graph"),
    "embedding": _("Meaning"),
    "annotation": _("Annotations"),
    "use": _("Use"),
}
# What people call each profile, and how it makes one order of the signals.
PROFILE_TEXTS = {
    "seed": (
        _("Plain ranks"),
        _(
            "Adds up the places that a tool has by words, graph, meaning and annotations. No glossary."
        ),
    ),
    "rrf": (
        _("Ranks"),
        _(
            "Adds up the places too, with the glossary; sturdy where descriptions are in several"
            " languages. By how much a tool is ahead does not count."
        ),
    ),
    "z_linear": (
        _("Scores"),
        _(
            "Adds up the scores, each against its average over all tools, so that a clear lead counts."
            " Found the right tool most often in our measurements."
        ),
    ),
}
MAX_WEIGHT = 3.0


@dataclass(frozen=True, slots=True)
class LabProfile:
    """A profile by its name, and weights by signal that differ from its own."""

    name: str = DEFAULT.name
    changed: tuple[tuple[str, float], ...] = ()

    @classmethod
    def read(cls, name: str, weights: Mapping[str, str]) -> "LabProfile":
        """From texts; an unknown profile is the default, a weight that is none is the profile's own."""
        profile = PROFILES.get(name, DEFAULT)
        own = own_weights(profile)
        given = {signal: _read_weight(weights.get(signal, "")) for signal in SIGNALS}
        changed = [
            (signal, weight)
            for signal, weight in given.items()
            if weight is not None and weight != own[signal]
        ]
        return cls(profile.name, tuple(changed))

    @property
    def weights(self) -> dict[str, float]:
        """Of every signal."""
        return own_weights(PROFILES[self.name]) | dict(self.changed)

    def to_profile(self) -> Profile:
        """What the ranker takes."""
        weights = {f"{signal}_weight": weight for signal, weight in self.changed}
        return replace(PROFILES[self.name], **weights)  # type: ignore[arg-type]


DEFAULT_PROFILE = LabProfile()


def own_weights(profile: Profile) -> dict[str, float]:
    """The weights of a profile by signal, to two digits, as they can be set."""
    return {signal: round(float(getattr(profile, f"{signal}_weight")), 2) for signal in SIGNALS}


def _read_weight(text: str) -> float | None:
    try:
        weight = float(text)
    except ValueError:
        return None
    # Of what is no number, neither comparison holds.
    return round(weight, 2) if 0 <= weight <= MAX_WEIGHT else None
