"""Says which columns hold what samples must not show: personal data and secrets, by their names.

Names are read as words of English, of Korean and of Japanese, in either script. A rule that knows
only names errs sometimes; where it does, a person decides for the column.
"""

import re
from unicodedata import normalize

from core.catalogue.masking_words import (
    COMMENT_PHRASES,
    FLAG_PREFIXES,
    FLAG_SUFFIXES,
    HANGUL_KANA_HAN,
    LONGEST_PHRASE,
    MEASURES,
    NAME_WORDS,
    NATIVE_FLAGS,
    NATIVE_HARMLESS,
    NATIVE_NAMES,
    NATIVE_PARTS,
    PEOPLE,
    PHRASES,
    WORDS,
)

MASK = "***"

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# What follows explains, and may name things that this column does not hold.
_CLAUSE_END = re.compile(r"[.,;:(\n。、，；：（・]")
_COMMENT_LIMIT = 100
_BLANKS = re.compile(r"[\s_\-]+")


def is_sensitive(column_name: str, comment: str = "", table_name: str = "") -> bool:
    """Whether a column's values are personal data or secrets.

    Of the comment the first clause counts. `table_name` tells a person's name from others: `name`
    is one in `customers` and none in `products`.
    """
    words = _split(column_name)
    native = _compact(column_name)
    if _is_measure(words) or NATIVE_FLAGS.search(native):
        return False
    return (
        _names_secret(words)
        or _is_personal_name(words, _split(table_name))
        or _says_secret(native)
        or _comment_tells(comment)
    )


def _names_secret(words: tuple[str, ...]) -> bool:
    return not WORDS.isdisjoint(words) or any(
        words[start:end] in PHRASES
        for end in range(1, len(words) + 1)
        for start in range(max(end - LONGEST_PHRASE, 0), end)
    )


def _is_measure(words: tuple[str, ...]) -> bool:
    """Whether the column counts, dates or classifies something rather than holding it."""
    if not words:
        return False
    # Most ids are numbers without a meaning, but not a national id.
    is_phrase = any(words[-length:] in PHRASES for length in range(1, LONGEST_PHRASE + 1))
    is_measured = words[-1] in FLAG_SUFFIXES and len(words) > 1 and not is_phrase
    return words[0] in FLAG_PREFIXES or is_measured or not MEASURES.isdisjoint(words)


def _is_personal_name(words: tuple[str, ...], table_words: tuple[str, ...]) -> bool:
    """Whether the last words say `name`, of a person: here, or in the name of the table."""
    stem = words[:-1] if words and words[-1] in {"en", "ko", "ja", "kana", "kanji"} else words
    if not stem or stem[-1] not in NAME_WORDS:
        return False
    owner = stem[-2] if len(stem) > 1 else ""
    if owner in PEOPLE:
        return True
    return owner in {"", "display", "disp"} and not PEOPLE.isdisjoint(table_words)


def _says_secret(native: str) -> bool:
    if not HANGUL_KANA_HAN.search(native):
        return False
    text = NATIVE_HARMLESS.sub("", native)
    return bool(NATIVE_PARTS.search(text) or NATIVE_NAMES.fullmatch(text))


def _comment_tells(comment: str) -> bool:
    clause = _CLAUSE_END.split(comment[:_COMMENT_LIMIT].strip(), maxsplit=1)[0]
    parts = clause.split("/")
    return any(_part_tells(part) for part in parts)


def _part_tells(part: str) -> bool:
    native = _compact(part)
    is_flag = bool(NATIVE_FLAGS.search(native))
    return not is_flag and (_says_secret(native) or bool(COMMENT_PHRASES.search(part)))


def _split(name: str) -> tuple[str, ...]:
    """Words in lower case: `contactEmail2` and `CONTACT_EMAIL_2` are both contact, email."""
    return tuple(word.lower() for word in _WORD.findall(normalize("NFKC", name)))


def _compact(text: str) -> str:
    """The text without blanks and underscores, in one form of each character."""
    return _BLANKS.sub("", normalize("NFKC", text)).casefold()
