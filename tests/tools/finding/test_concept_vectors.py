"""The shipped vectors of concepts are those of the general glossary, by the embedded model."""

import numpy as np

from config.services.embeddings import EmbeddedEmbeddings
from core.retrieval.glossary_terms import CONCEPTS
from tools.finding.concept_vectors import PATH, hash_concepts, read_concept_vectors


def test_vectors_are_of_the_glossary_as_it_is() -> None:
    with np.load(PATH) as file:
        assert str(file["glossary"]) == hash_concepts(CONCEPTS), (
            "run python -m benchmarks.retrieval.renew_concept_vectors"
        )


def test_another_model_has_no_vectors() -> None:
    assert read_concept_vectors("another-model") is None
    assert read_concept_vectors(EmbeddedEmbeddings.model) is not None
