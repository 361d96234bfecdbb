"""Texts from outside: which characters hide something, and the text without them."""

import re
import unicodedata
from dataclasses import dataclass

from core.messages import Message

MAX_DESCRIPTION_CHARACTERS = 20_000
MAX_SHOWN_CHARACTERS = 60

# Control characters but tab and line ends, lone surrogates, marks that reorder text, marks of no
# width, characters that repeat ASCII invisibly, and chains of variation selectors, which carry bytes.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064"
    "\u2066-\u206f\ufeff\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
    "|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
)
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class IngestFault:
    """What was left out of a document: `place` says where, `text` what would be right."""

    place: Message | str
    text: Message

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


def find_hidden_character(text: str) -> str | None:
    """The first character that a reader cannot see or that reorders the text, as U+202E; else None."""
    found = _HIDDEN.search(text)
    return f"U+{ord(found.group()[0]):04X}" if found else None


def clean_text(value: object, limit: int = MAX_DESCRIPTION_CHARACTERS) -> str:
    """The text without hidden characters, at most `limit` characters; '' for anything but a text."""
    if not isinstance(value, str):
        return ""
    # Cutting first keeps the cost bounded; the margin is for what falls away.
    text = _HIDDEN.sub("", value[: 2 * limit]).replace("\r\n", "\n").strip()
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def clean_line(value: object, limit: int = MAX_DESCRIPTION_CHARACTERS) -> str:
    """As `clean_text`, on one line."""
    return _BLANKS.sub(" ", clean_text(value, limit))


def shown(value: object) -> str:
    """A value from outside, for a message: short, quoted, nothing hidden."""
    text = clean_line(value) if isinstance(value, str) else type(value).__name__
    text = "".join(c for c in text if not unicodedata.category(c).startswith("C"))
    if len(text) > MAX_SHOWN_CHARACTERS:
        text = text[: MAX_SHOWN_CHARACTERS - 1] + "…"
    return f"'{text}'" if isinstance(value, str) else text
