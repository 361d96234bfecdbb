"""Long texts cut to a length, at the end of a sentence if possible."""

import re
import unicodedata
from itertools import islice

_ELLIPSIS = "…"
# What a database's comment may hold is unbounded; the first sentences are in its beginning.
_READ_CHARACTERS = 1_000
_MAX_SENTENCES = 2
# A full stop ends a sentence where a space and no small letter follows, so that "e.g. this" is none.
_SENTENCE_END = re.compile(r"[。．！？｡]+[」』）)\"'”’]*|[.!?]+[)\"'”’]*(?=\s+[^\sa-z])")
_JOINER = "\u200d"
# Marks, and the parts of Hangul, kana and emoji that belong to the character before them.
_CONTINUATION = re.compile(
    "[\u1160-\u11ff\ud7b0-\ud7fb\uff9e\uff9f\u200d\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]"
)
_FLAG_LETTER = re.compile("[\U0001f1e6-\U0001f1ff]")
_FLAG_LETTERS = re.compile("[\U0001f1e6-\U0001f1ff]*$")


def first_sentences(text: str, limit: int) -> str:
    """The first one or two sentences of the first line, whole if they fit, at most `limit` characters.

    If not even one fits, it is cut before a word and ends with an ellipsis.
    """
    line = first_line(text)
    ends = [match.end() for match in islice(_SENTENCE_END.finditer(line), _MAX_SENTENCES)]
    if len(ends) < _MAX_SENTENCES:
        ends.append(len(line))
    fitting = [end for end in ends if end <= limit]
    return line[: fitting[-1]] if fitting else cut_text(line, limit)


def cut_text(text: str, limit: int) -> str:
    """The text, or its beginning and an ellipsis, at most `limit` characters; no character is split."""
    if len(text) <= limit:
        return text
    end = limit - len(_ELLIPSIS)
    space = text.rfind(" ", limit // 2, end + 1)
    if space <= 0:
        while end > 0 and _is_inside_character(text, end):
            end -= 1
    return text[: space if space > 0 else end].rstrip() + _ELLIPSIS


def first_line(text: str) -> str:
    """The first line that holds anything, its spaces made single; of its beginning only."""
    lines = text.lstrip()[:_READ_CHARACTERS].splitlines()
    return " ".join(lines[0].split()) if lines else ""


def _is_inside_character(text: str, index: int) -> bool:
    """Whether the index is within what people see as one character."""
    following = text[index]
    if text[index - 1] == _JOINER or _CONTINUATION.match(following):
        return True
    if _FLAG_LETTER.match(following):
        before = _FLAG_LETTERS.search(text, 0, index)
        return before is not None and len(before.group()) % 2 == 1
    return unicodedata.category(following) in {"Mn", "Mc", "Me"}
