"""Prompts and fixed sentences of prompt.yaml, by dotted tag, and the data sections of a prompt."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from agents.data_search.languages import Language

_FILE = Path(__file__).with_name("prompt.yaml")
_HEADING = re.compile(r"^#", re.MULTILINE)


def load_prompt(tag: str) -> str:
    """The text under a tag such as `data_search_agent.sql_generator.instruction`.

    Raises KeyError, naming the tag, if there is no text.
    """
    text: Any = _read_prompts()
    for part in tag.split("."):
        text = text.get(part) if isinstance(text, dict) else None
    if not isinstance(text, str):
        raise KeyError(f"prompt.yaml has no text under {tag}")
    return text.strip()


def load_sentence(name: str, language: Language, **values: object) -> str:
    """A sentence of the answer in the question's language, with its `{names}` filled in."""
    return load_prompt(f"answer.{language}.{name}").format(**values)


def join_sections(sections: Iterable[tuple[str, str]]) -> str:
    """The data of a prompt, each part under `## heading`; parts without content are left out.

    A line of data that begins like a heading is indented, so that no data can open a section.
    """
    shown = [
        f"## {heading}\n" + _HEADING.sub(" #", "\n".join(content.strip().splitlines()))
        for heading, content in sections
        if content
    ]
    return "\n\n".join(shown)


@cache
def _read_prompts() -> dict[str, Any]:
    prompts = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    if not isinstance(prompts, dict):
        raise TypeError("prompt.yaml must hold a mapping of tags")
    return prompts
