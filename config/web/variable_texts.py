"""The tables of docs/reference/settings.md as texts: for the settings page, and for translators."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

# One row of the page describes as many variables as there are data sources.
SOURCES = "DATA_SOURCE_<NAME>_URL"
_ROW = re.compile(r"\| `([A-Z0-9_]+|DATA_SOURCE_<NAME>_URL)` \| (.*?) ?\| (.*) \|")
_LINK = re.compile(r"\[([^]]+)\]\([^)]*\)")
_CODE = re.compile(r"`[^`]*`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A variable as the page of the documentation describes it; the texts are English, in Markdown."""

    name: str
    group: str
    default: str
    meaning: str
    line: int = 0


def parse_variables(page: str) -> Iterator[Variable]:
    """The variables of the page in order; of links only the words are kept."""
    group = ""
    for number, line in enumerate(page.splitlines(), start=1):
        if line.startswith("## "):
            group = line[3:].strip()
        elif match := _ROW.fullmatch(line):
            name, default, meaning = (_LINK.sub(r"\1", part) for part in match.groups())
            yield Variable(name=name, group=group, default=default, meaning=meaning, line=number)


def has_words(text: str) -> bool:
    """Whether there is something to translate beside code and numbers."""
    return any(letter.isalpha() for letter in _CODE.sub("", text))


def extract(
    page: BinaryIO,
    _keywords: Collection[str],
    _comment_tags: Collection[str],
    options: Mapping[str, object],
) -> Iterator[tuple[int, str, str, list[str]]]:
    """The texts of the page for Babel, which calls this by the name in locale/babel.cfg."""
    for variable in parse_variables(page.read().decode()):
        for text in (variable.group, variable.default, variable.meaning):
            if has_words(text):
                yield variable.line, "gettext", text, []
