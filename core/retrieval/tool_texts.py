"""The parts of a tool that are searched: its fields as terms, and the two texts to embed."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.retrieval.action_words import Action
from core.retrieval.actions import action_tokens
from core.retrieval.dense import Vector, VectorPair, unit_vector
from core.retrieval.glossary import Glossary
from core.retrieval.kindred import kin_terms
from core.retrieval.model import Tool
from core.retrieval.tokens import Language, find_words, fold, is_stop_term, language_of

# Longer texts make what a vector says less clear: recall falls from .85 to .69 at 600 characters.
EMBEDDED_CHARACTERS = 250
# Of a tool's meaning: the first sentence of its description, and of the rest name and text.
SENTENCE_SHARE = 0.2
TEXT_SHARE = 0.7
_SENTENCE = re.compile(r"(?<=[.!?])\s|(?<=[。！？])")
_MOST_CHARACTERS = 4_000
_MOST_PARAMETERS = 100
_MOST_VALUES = 20


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A tool to be searched; `vectors` are made of its `embedding_texts`, None if not yet made.

    `description_user` is what people read, searched together with what the agent reads.
    """

    tool: Tool
    vectors: tuple[Vector, Vector] | None = None
    description_user: str = ""


def embedding_texts(tool: Tool) -> tuple[str, str, str]:
    """The texts of a tool to embed: its name's words, these with what it does, and its first sentence.

    The second is "words: first 250 characters of the description (names of parameters)"; the third is the
    name's words if there is no description.
    """
    words = fold(tool.name)
    description = " ".join(tool.description[:_MOST_CHARACTERS].split())[:EMBEDDED_CHARACTERS]
    names = ", ".join(fold(parameter.name) for parameter in tool.parameters[:_MOST_PARAMETERS])
    text = f"{words}: {description}" if description else words
    sentence = _SENTENCE.split(description, maxsplit=1)[0] or words
    return words, f"{text} ({names})" if names else text, sentence


def combine_vectors(of_name: Vector, of_text: Vector, of_sentence: Vector) -> VectorPair:
    """The two vectors of a tool that are kept, from those of its `embedding_texts`.

    What a tool does is said by text and first sentence in one vector: the score is linear in both, so
    that it costs a search nothing. Raises EmbeddingError for one without direction.
    """
    told = (1 - SENTENCE_SHARE) * TEXT_SHARE * unit_vector(of_text)
    return unit_vector(of_name), unit_vector(told + SENTENCE_SHARE * unit_vector(of_sentence))


def hash_texts(tool: Tool) -> str:
    """SHA-256, in hexadecimal, of the texts of a tool that are embedded."""
    return hashlib.sha256(json.dumps(embedding_texts(tool)).encode()).hexdigest()


def field_terms(
    entry: IndexEntry, actions: Sequence[Action], glossary: Glossary
) -> tuple[list[str], ...]:
    """The terms of the fields: name, description, names of parameters, their descriptions.

    Actions are among the terms of the name; concepts follow the field that mentions them, each once.
    """
    tool = entry.tool
    parameters = tool.parameters[:_MOST_PARAMETERS]
    described = (tool.description, entry.description_user, " ".join(tool.tags))
    details: list[str] = []
    for parameter in parameters:
        values = (parameter.enum or ())[:_MOST_VALUES]
        details.append(parameter.description[:_MOST_CHARACTERS])
        details += (value for value in values if isinstance(value, str))
    texts = (
        f"{tool.name[:_MOST_CHARACTERS]}\n{tool.title[:_MOST_CHARACTERS]}",
        "\n".join(text[:_MOST_CHARACTERS] for text in described),
        "\n".join(parameter.name for parameter in parameters),
        "\n".join(details)[:_MOST_CHARACTERS],
    )
    name, *others = (terms_of_text(text, glossary) for text in texts)
    return [*name, *action_tokens(actions)], *others


def terms_of_text(text: str, glossary: Glossary, *, has_roots: bool = True) -> list[str]:
    """The terms of a text, those of their kin, and the concepts that it names."""
    words = list(find_words(text))
    terms = (term for _, found in words for term in found if not is_stop_term(term))
    return [*terms, *kin_terms(words, has_roots=has_roots), *glossary.tokens(fold(text))]


def language_of_tool(entry: IndexEntry) -> Language:
    """The language in which a tool is described."""
    tool = entry.tool
    texts = (tool.description, entry.description_user, tool.title, tool.name)
    return language_of(next((text for text in texts if text.strip()), "")[:_MOST_CHARACTERS])
