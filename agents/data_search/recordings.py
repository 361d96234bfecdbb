"""The demo's recorded questions, and what each agent's model replied to them: recorded/*.json.

They hold words and SQL, never rows: the figures of an answer are those of the run that replays them.
"""

import json
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from agents.data_search.languages import Language

FOLDER = Path(__file__).with_name("recorded")

# By agent, `{"text": ...}` or `{"tool": ..., "arguments": ...}`; the look-ups that come before a text too.
Replies = Mapping[str, list[Mapping[str, Any]]]


def find_replies(question: str) -> Replies | None:
    """The replies to a question, or None; case, blanks and the last punctuation mark do not count."""
    recorded = [recording for topic in _read_topics() for recording in topic.values()]
    replies = {_normalize(recording["question"]): recording["replies"] for recording in recorded}
    return replies.get(_normalize(question))


def list_questions(language: Language) -> list[str]:
    """The recorded questions in a language."""
    return [topic[language]["question"] for topic in _read_topics()]


def _normalize(question: str) -> str:
    words = unicodedata.normalize("NFKC", question).casefold().split()
    return " ".join(words).rstrip("?.!。 ")


@cache
def _read_topics() -> list[dict[Language, Any]]:
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))]
