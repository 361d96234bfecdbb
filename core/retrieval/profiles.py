"""Ways of ranking that can be chosen: which sources count how much, and how they are made one."""

from dataclasses import dataclass
from typing import Literal

Fusion = Literal["ranks", "ordinal_ranks", "deviations"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """One way of ranking; weights are of the words, the graph, the meaning and the annotations.

    `k` dampens the first ranks and is for fusion by ranks only. `concept_weight` and `action_weight` are
    of concepts and actions against a word as it is written, `same_language_concept_weight` of concepts in
    tools that are described in the query's language, which may have the query's own words as well.
    `soft_concepts` is how many concepts that the query means without naming them count, at
    `soft_concept_weight`, in tools that are described in another language.
    `loan_weight` is of words that another script borrowed, `root_weight` of English words with another
    ending and those that hold a kanji, both of words that no concept and no action stands for.
    `name_weight` is of the share of a name's words that the query says, `use_weight` of what agents
    called after such questions, both for deviations only.
    `judges_requests`: the verb decides the intent, and a read request has no deleting tool first; else known words are counted.
    `annotations_find`: a tool may be found by nothing but annotations that fit.
    """

    name: str
    fusion: Fusion
    k: int = 60
    bm25_weight: float = 1.0
    concept_weight: float = 3.0
    same_language_concept_weight: float = 3.0
    soft_concepts: int = 0
    soft_concept_weight: float = 0.5
    action_weight: float = 1.0
    loan_weight: float = 0.0
    root_weight: float = 0.0
    name_weight: float = 0.0
    use_weight: float = 0.0
    graph_weight: float = 0.0
    embedding_weight: float = 1.0
    annotation_weight: float = 0.2
    vector_weights: tuple[float, float] = (0.3, 0.7)
    uses_actions: bool = True
    uses_glossary: bool = True
    uses_language_offset: bool = True
    judges_requests: bool = True
    annotations_find: bool = False


SEED = Profile(
    name="seed",
    fusion="ordinal_ranks",
    graph_weight=1.0,
    uses_actions=False,
    uses_glossary=False,
    uses_language_offset=False,
    judges_requests=False,
    annotations_find=True,
)
RRF = Profile(name="rrf", fusion="ranks", k=20, embedding_weight=1.5)
Z_LINEAR = Profile(
    name="z_linear",
    fusion="deviations",
    bm25_weight=0.5,
    embedding_weight=0.5,
    annotation_weight=0.8,
    same_language_concept_weight=1.0,
    soft_concepts=5,
    vector_weights=(0.24, 0.76),
    name_weight=1.0,
    use_weight=2.0,
    loan_weight=1.5,
    root_weight=0.5,
)
DEFAULT = Z_LINEAR
PROFILES = {profile.name: profile for profile in (SEED, RRF, Z_LINEAR)}
