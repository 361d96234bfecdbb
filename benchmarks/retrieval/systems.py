"""The systems that are compared: the product's ranker in several ways, and what others offer."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from benchmarks.retrieval.embedded import EmbeddedTexts
from benchmarks.retrieval.measures import RESULTS, Answer
from benchmarks.retrieval.questions import Catalogue, Question
from config.services.embeddings import EmbeddedEmbeddings
from core.retrieval.glossary import Glossary
from core.retrieval.glossary_terms import CONCEPTS
from core.retrieval.index import ToolIndex
from core.retrieval.profiles import DEFAULT, RRF, SEED, Profile
from core.retrieval.ranker import ToolRanker
from core.retrieval.request import SearchQuery
from core.retrieval.tool_texts import IndexEntry, combine_vectors, embedding_texts
from gateways.embeddings.client import TextRole
from tools.finding.concept_vectors import read_concept_vectors

Vectors = NDArray[np.float32]


class System(Protocol):
    """What ranks the tools of one catalogue."""

    @property
    def name(self) -> str: ...

    def find(self, question: Question) -> Sequence[str]:
        """Names of tools, best first."""
        ...


@dataclass(frozen=True, slots=True)
class Prepared:
    """A catalogue with the vectors of its tools and questions; embedding is no part of a ranking."""

    catalogue: Catalogue
    of_tools: Mapping[str, tuple[Vectors, Vectors]]
    of_texts: Mapping[str, Vectors]
    of_questions: Mapping[str, Vectors]


@dataclass(frozen=True, slots=True)
class OurRanker:
    """The product's ranker with one profile."""

    name: str
    ranker: ToolRanker
    profile: Profile
    vectors: Mapping[str, Vectors]

    def find(self, question: Question) -> Sequence[str]:
        query = SearchQuery(question.text, self.vectors.get(question.id), limit=RESULTS)
        return [tool.name for tool in self.ranker.rank(query, profile=self.profile)]


@dataclass(frozen=True, slots=True)
class DenseAlone:
    """The embedding model alone: cosines of the question with "name: description"."""

    name: str
    names: Sequence[str]
    matrix: Vectors
    vectors: Mapping[str, Vectors]

    def find(self, question: Question) -> Sequence[str]:
        scores = self.matrix @ self.vectors[question.id]
        return [self.names[row] for row in np.argsort(-scores, kind="stable")[:RESULTS]]


def prepare(catalogue: Catalogue, texts: EmbeddedTexts) -> Prepared:
    """The catalogue with its vectors, by the texts of a tool that the product embeds."""
    embedded = [
        texts.embed(list(column), TextRole.PASSAGE)
        for column in zip(*map(embedding_texts, catalogue.tools), strict=True)
    ]
    asked_texts = [SearchQuery(question.text).embedded_text for question in catalogue.questions]
    asked = texts.embed(asked_texts, TextRole.QUERY)
    found = zip(catalogue.tools, zip(*embedded, strict=True), strict=True)
    return Prepared(
        catalogue,
        {tool.name: combine_vectors(*vectors) for tool, vectors in found},
        {tool.name: text for tool, text in zip(catalogue.tools, embedded[1], strict=True)},
        {each.id: vector for each, vector in zip(catalogue.questions, asked, strict=True)},
    )


def make_index(prepared: Prepared, glossary: Glossary | None = None) -> ToolIndex:
    """The tools as the product indexes them."""
    if glossary is None:
        glossary = Glossary(CONCEPTS, read_concept_vectors(EmbeddedEmbeddings.model))
    index = ToolIndex(glossary)
    for tool in prepared.catalogue.tools:
        index.put(IndexEntry(tool, prepared.of_tools[tool.name]))
    return index


def our_systems(prepared: Prepared) -> list[System]:
    """The default, the same without model, without glossary and without both, and other profiles."""
    ranker = ToolRanker(make_index(prepared))
    no_glossary = replace(DEFAULT, uses_glossary=False)
    vectors = prepared.of_questions
    return [
        OurRanker("ours", ranker, DEFAULT, vectors),
        OurRanker("ours, no model", ranker, DEFAULT, {}),
        OurRanker("ours, no glossary", ranker, no_glossary, vectors),
        OurRanker("ours, neither", ranker, no_glossary, {}),
        OurRanker("ours, rrf profile", ranker, RRF, vectors),
        OurRanker("ours, seed profile", ranker, SEED, vectors),
        _dense_alone(prepared),
    ]


def answer_all(system: System, questions: Sequence[Question]) -> list[Answer]:
    """The answers to all questions, after one that warms up."""
    system.find(questions[0])
    return [_answer(system, question) for question in questions]


def _answer(system: System, question: Question) -> Answer:
    before = time.thread_time_ns()
    found = system.find(question)
    return Answer(question, tuple(found), (time.thread_time_ns() - before) / 1e6)


def _dense_alone(prepared: Prepared) -> DenseAlone:
    names = list(prepared.of_tools)
    matrix = np.stack([prepared.of_texts[name] for name in names])
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    return DenseAlone("e5 alone", names, matrix, prepared.of_questions)
