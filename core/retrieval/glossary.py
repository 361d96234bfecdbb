"""Terms that mean the same in several languages, looked up in tools and in queries."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from core.retrieval.dense import Vector
from core.retrieval.phrases import PhraseTable
from core.retrieval.soft_glossary import ConceptVectors
from core.retrieval.tokens import CONCEPT_MARK, fold, stem_word


@dataclass(frozen=True, slots=True)
class Concept:
    """One meaning; `terms` are the words for it by language, such as {"ja": ("顧客", "お客様")}.

    An English term is found in every grammatical number; one term may belong to several concepts.
    """

    id: str
    terms: Mapping[str, tuple[str, ...]] = field(hash=False)


class Glossary:
    """Concepts ready to be looked up: the longest term first, in English by words, else within them."""

    def __init__(
        self, concepts: Iterable[Concept] = (), vectors: ConceptVectors | None = None
    ) -> None:
        """`vectors` are those of concepts that may be meant without being named."""
        concepts = tuple(concepts)
        known = {concept.id for concept in concepts}
        self._vectors = vectors.only(known) if vectors is not None else ConceptVectors({})
        phrases = (
            (fold(term), concept.id)
            for concept in concepts
            for terms in concept.terms.values()
            for term in terms
        )
        self._table = PhraseTable(((phrase, id_) for phrase, id_ in phrases if phrase), stem_word)

    def find(self, text: str) -> tuple[str, ...]:
        """The ids of the concepts that a text speaks of, each once, in the text's order."""
        return self.find_folded(fold(text))

    def find_folded(self, folded: str) -> tuple[str, ...]:
        """As `find`, of a text that is folded already."""
        return tuple(dict.fromkeys(match.label for match in self._table.find(folded)))

    def find_meant(self, query: Vector | None, named: Collection[str], count: int) -> Sequence[str]:
        """The ids of the concepts nearest to a query's vector that it does not name."""
        return self._vectors.nearest(query, named, count) if count else ()

    def spans(self, folded: str) -> Iterator[tuple[str, int, int]]:
        """The concepts of a folded text as terms of the index, each with its start and end."""
        for match in self._table.find(folded):
            yield CONCEPT_MARK + match.label, match.start, match.end

    def tokens(self, folded: str) -> list[str]:
        """The concepts of a folded text as terms of the index."""
        return [CONCEPT_MARK + concept for concept in self.find_folded(folded)]


@lru_cache(maxsize=4)
def compile_glossary(
    concepts: tuple[Concept, ...], vectors: ConceptVectors | None = None
) -> Glossary:
    """The glossary of these concepts; the last ones are kept, for all indexes of a process ask for the same."""
    return Glossary(concepts, vectors)
