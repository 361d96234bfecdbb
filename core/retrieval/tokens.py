"""Texts of tools and queries as terms of the index, and the language that they are written in."""

import re
import unicodedata
from typing import Literal, get_args

from core.bm25 import find_terms, split_capitals

Language = Literal["ko", "ja", "en", "other"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

# No term of a text begins with these, so that a word never poses as an action or a concept.
ACTION_MARK = "§"
CONCEPT_MARK = "¤"
MARKS = (ACTION_MARK, CONCEPT_MARK)

# Words that stand in any English request; in a small catalogue they would pass for rare ones.
_STOP_TEXT = (
    "a an and any are as at be by can could do does for from have how i in is it its me my of on"
    " or our please that the their them there these this those to us want was we were what which"
    " who will with would you your"
)
_STOP_TERMS = frozenset(find_terms(_STOP_TEXT))
_SPACES = re.compile(r"[\W_]+")
_LETTERS = {
    "ko": re.compile(r"[가-힣]"),
    "kana": re.compile(r"[ぁ-ゖァ-ヺ]"),
    "han": re.compile(r"[㐀-䶿一-鿿豈-﫿々〆]"),
    "en": re.compile(r"[A-Za-z]"),
    "any": re.compile(r"[^\W\d_]"),
}
# A syllable or a kanji says about as much as three Latin letters.
_DENSITY = 3


def fold(text: str) -> str:
    """The text for comparisons: one width and case, words of names apart, single spaces between."""
    split = split_capitals(unicodedata.normalize("NFKC", text))
    return _SPACES.sub(" ", split.casefold()).strip()


def read_terms(text: str) -> list[str]:
    """The terms of a text in its order, each as often as it occurs, without English stop words."""
    return [term for term in find_terms(text) if term not in _STOP_TERMS]


def is_stop_term(term: str) -> bool:
    """Whether a term stands in any English request and so tells nothing."""
    return term in _STOP_TERMS


def name_words(name: str) -> str:
    """The words of an identifier with spaces between, in small letters: `getUser_ID` is get user id."""
    return fold(name)


def language_of(text: str) -> Language:
    """The language by its letters: a text in kanji alone is Japanese, one in Latin letters English."""
    normal = unicodedata.normalize("NFKC", text)
    if normal.isascii():
        return "en" if _LETTERS["en"].search(normal) else "other"
    counts = {script: len(letter.findall(normal)) for script, letter in _LETTERS.items()}
    foreign = counts["any"] - counts["ko"] - counts["kana"] - counts["han"] - counts["en"]
    shares: dict[Language, int] = {
        "ko": counts["ko"] * _DENSITY,
        "ja": (counts["kana"] + counts["han"]) * _DENSITY,
        "en": counts["en"],
        "other": max(0, foreign),
    }
    best = max(LANGUAGES, key=lambda language: shares[language])
    return best if shares[best] else "other"
