"""The shipped vectors of the general glossary's concepts, by the embedding model that they are of.

They are data: half a thousand concepts in three languages would take a minute of an embedding server. With
another model, and for concepts that people added, a query finds only what it names. After a change of the
general glossary `python -m benchmarks.retrieval.renew_concept_vectors` writes them again.
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import numpy as np

from core.retrieval.glossary import Concept
from core.retrieval.soft_glossary import ConceptVectors

PATH = Path(__file__).with_name("concept_vectors.npz")


def hash_concepts(concepts: Iterable[Concept]) -> str:
    """SHA-256, in hexadecimal, of the concepts that the vectors are made of."""
    texts = [f"{concept.id}={sorted(concept.terms.items())}" for concept in concepts]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


@cache
def read_concept_vectors(model: str) -> ConceptVectors | None:
    """The vectors by that model; None of another one."""
    with np.load(PATH) as file:
        if str(file["model"]) != model:
            return None
        vectors = file["vectors"].astype(np.float32)
        return ConceptVectors(dict(zip(map(str, file["concepts"]), vectors, strict=True)))
