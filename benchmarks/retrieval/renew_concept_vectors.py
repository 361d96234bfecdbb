"""Writes the shipped vectors of concepts: `python -m benchmarks.retrieval.renew_concept_vectors`.

To be done after a change of the general glossary or of the embedded model; a minute or two.
"""

import sys

import numpy as np

from benchmarks.fetched import FOLDER
from benchmarks.retrieval.embedded import EmbeddedTexts
from config.services.embeddings import EmbeddedEmbeddings
from core.retrieval.glossary_terms import CONCEPTS
from core.retrieval.soft_glossary import combine_terms
from gateways.embeddings.client import TextRole
from tools.finding.concept_vectors import PATH, hash_concepts


def main() -> None:
    """Embed the terms of each concept and language together; half the digits are enough."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    texts = {
        (concept.id, language): ", ".join(terms)
        for concept in CONCEPTS
        for language, terms in concept.terms.items()
        if terms
    }
    embedded = EmbeddedTexts(FOLDER).embed(list(texts.values()), TextRole.PASSAGE)
    vectors = combine_terms(dict(zip(texts, embedded, strict=True)))
    np.savez_compressed(
        PATH,
        model=np.array(EmbeddedEmbeddings.model),
        glossary=np.array(hash_concepts(CONCEPTS)),
        concepts=np.array(list(vectors)),
        vectors=np.array(list(vectors.values()), np.float16),
    )
    sys.stdout.write(f"{PATH.name}: {len(vectors)} concepts\n")


if __name__ == "__main__":
    main()
