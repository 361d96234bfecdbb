"""The parts of a tool that are searched: its fields as terms, and the two texts to embed."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from core.retrieval.action_words import Action
from core.retrieval.actions import action_tokens
from core.retrieval.dense import Vector
from core.retrieval.glossary import Glossary
from core.retrieval.model import Tool
from core.retrieval.tokens import Language, fold, language_of, read_terms

# Longer texts make what a vector says less clear: recall falls from .85 to .69 at 600 characters.
EMBEDDED_CHARACTERS = 250
_MOST_CHARACTERS = 4_000
_MOST_PARAMETERS = 100
_MOST_VALUES = 20


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A tool to be searched; `vectors` are those of its `embedding_texts`, None if not yet made.

    `description_user` is what people read, searched together with what the agent reads.
    """

    tool: Tool
    vectors: tuple[Vector, Vector] | None = None
    description_user: str = ""


def embedding_texts(tool: Tool) -> tuple[str, str]:
    """The two texts of a tool to embed: its name's words, and these with what it does.

    The second is "words: first 250 characters of the description (names of parameters)".
    """
    words = fold(tool.name)
    description = " ".join(tool.description[:_MOST_CHARACTERS].split())[:EMBEDDED_CHARACTERS]
    names = ", ".join(fold(parameter.name) for parameter in tool.parameters[:_MOST_PARAMETERS])
    text = f"{words}: {description}" if description else words
    return words, f"{text} ({names})" if names else text


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
    name, *others = ([*read_terms(text), *glossary.tokens(fold(text))] for text in texts)
    return [*name, *action_tokens(actions)], *others


def language_of_tool(entry: IndexEntry) -> Language:
    """The language in which a tool is described."""
    tool = entry.tool
    texts = (tool.description, entry.description_user, tool.title, tool.name)
    return language_of(next((text for text in texts if text.strip()), "")[:_MOST_CHARACTERS])
