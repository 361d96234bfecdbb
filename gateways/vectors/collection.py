"""A collection in Chroma: what made it, and whether given embeddings fit it."""

from dataclasses import dataclass
from typing import Any

from core.errors import VectorStoreError
from core.messages import message
from gateways.vectors.requests import COLLECTIONS, STRANGE_TEXT

MADE_BY = "toolbuilder"
# How many candidates a search looks at. Chroma's default of 100 misses 6 % of the nearest 15 among
# 50,000 documents; this costs no time that shows.
EF_SEARCH = 250
REBUILD = message("vectors.rebuild", "run `manage.py index_documents --rebuild`")
_SAME_MODEL = message("vectors.same_model", "use the embedding model that it was made with")


@dataclass(frozen=True, slots=True)
class Fit:
    """The embeddings that a collection is used with."""

    model: str
    dimension: int


@dataclass(frozen=True, slots=True)
class Collection:
    """One collection as Chroma describes it; `dimension` is None until the first vector.

    `model` is None in a collection that somebody else made.
    """

    id: str
    name: str
    dimension: int | None
    model: str | None

    @property
    def path(self) -> str:
        """Where its documents are."""
        return f"{COLLECTIONS}/{self.id}"

    @property
    def is_ours(self) -> bool:
        """Whether Toolbuilder made it, and may write into it."""
        return self.model is not None

    def check_fit(self, fit: Fit) -> None:
        """Raise VectorStoreError when vectors of `fit` mean something else than those stored."""
        other_model = self.is_ours and self.model != fit.model
        other_dimension = self.dimension is not None and self.dimension != fit.dimension
        if not (other_model or other_dimension):
            return
        holds = message(
            "vectors.numbers", "{dimension} numbers each", dimension=str(self.dimension)
        )
        if self.model is not None:
            holds = message(
                "vectors.numbers_by_model",
                "{dimension} numbers each by the model {model}",
                dimension=str(self.dimension),
                model=self.model,
            )
        raise VectorStoreError(
            message(
                "vectors.mismatch",
                "the collection {name} holds vectors of {holds}, the embeddings are of {dimension}"
                " numbers by the model {model}; {remedy}",
                name=self.name,
                holds=holds,
                dimension=str(fit.dimension),
                model=fit.model,
                remedy=REBUILD if self.is_ours else _SAME_MODEL,
            )
        )

    def check_ours(self) -> None:
        """Raise VectorStoreError when somebody else's documents are in danger."""
        if not self.is_ours:
            raise VectorStoreError(
                message(
                    "vectors.not_ours",
                    "the collection {name} was not made by Toolbuilder and stays as it is; name"
                    " another one in CHROMADB_COLLECTION_NAME, or delete it in Chroma",
                    name=self.name,
                )
            )


def read_collection(answer: Any) -> Collection:
    """The collection that Chroma describes."""
    try:
        metadata = answer["metadata"] or {}
        is_ours = metadata.get("made_by") == MADE_BY
        return Collection(
            id=str(answer["id"]),
            name=str(answer["name"]),
            dimension=metadata.get("dimension") if is_ours else answer["dimension"],
            model=str(metadata.get("model", "")) if is_ours else None,
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise VectorStoreError(STRANGE_TEXT) from error


def new_collection(name: str, fit: Fit) -> dict[str, object]:
    """The body that makes it, or finds one of that name; no embedding function: vectors are ours."""
    return {
        "name": name,
        "metadata": {"model": fit.model, "dimension": fit.dimension, "made_by": MADE_BY},
        "configuration": {"hnsw": {"space": "cosine", "ef_search": EF_SEARCH}},
        "get_or_create": True,
    }
