"""What of a tool is searched: its fields as terms, and the two texts that are embedded."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from core.retrieval.action_words import Action
from core.retrieval.actions import action_tokens
from core.retrieval.dense import Vector
from core.retrieval.glossary import Glossary
from core.retrieval.model import Tool, ToolParameter
from core.retrieval.tokens import fold, name_words, read_terms

# Longer texts make what a vector says less clear: recall falls from .85 to .69 at 600 characters.
EMBEDDED_CHARACTERS = 250
_MOST_CHARACTERS = 4_000
_MOST_PARAMETERS = 100
_MOST_VALUES = 20


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A tool to be searched; `vectors` are those of its `embedding_texts`, None where not yet made.

    `description_user` is what people read, searched together with what the agent reads.
    """

    tool: Tool
    vectors: tuple[Vector, Vector] | None = None
    description_user: str = ""


def embedding_texts(tool: Tool) -> tuple[str, str]:
    """The two texts of a tool to embed: its name's words, and these with what it does.

    The second is "words: first 250 characters of the description (names of parameters)".
    """
    words = name_words(tool.name)
    description = " ".join(tool.description[:_MOST_CHARACTERS].split())[:EMBEDDED_CHARACTERS]
    names = ", ".join(name_words(parameter.name) for parameter in _parameters(tool))
    told = f"{words}: {description}" if description else words
    return words, f"{told} ({names})" if names else told


def field_terms(
    entry: IndexEntry, actions: Sequence[Action], glossary: Glossary
) -> tuple[list[str], ...]:
    """The terms of the fields: name, description, names of parameters, their descriptions.

    Actions stand with the name; concepts where they are spoken of, each once.
    """
    name, *others = (_terms(text, glossary) for text in _field_texts(entry))
    return [*name, *action_tokens(actions)], *others


def described_in(entry: IndexEntry) -> str:
    """The text that tells in which language a tool is described."""
    tool = entry.tool
    texts = (tool.description, entry.description_user, tool.title, tool.name)
    return next((text for text in texts if text.strip()), "")[:_MOST_CHARACTERS]


def _terms(text: str, glossary: Glossary) -> list[str]:
    return [*read_terms(text), *glossary.tokens(fold(text))]


def _field_texts(entry: IndexEntry) -> Iterator[str]:
    tool = entry.tool
    parameters = _parameters(tool)
    yield f"{tool.name[:_MOST_CHARACTERS]}\n{tool.title[:_MOST_CHARACTERS]}"
    described = (tool.description, entry.description_user, " ".join(tool.tags))
    yield "\n".join(text[:_MOST_CHARACTERS] for text in described)
    yield "\n".join(parameter.name for parameter in parameters)
    yield "\n".join(chain.from_iterable(map(_parameter_texts, parameters)))[:_MOST_CHARACTERS]


def _parameter_texts(parameter: ToolParameter) -> Iterator[str]:
    yield parameter.description[:_MOST_CHARACTERS]
    yield from (value for value in (parameter.enum or ())[:_MOST_VALUES] if isinstance(value, str))


def _parameters(tool: Tool) -> Sequence[ToolParameter]:
    return tool.parameters[:_MOST_PARAMETERS]
