"""Texts of tools and queries as terms of the index, and the language that they are written in."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, get_args

Language = Literal["ko", "ja", "en", "other"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

# No term of a text begins with these, so that a word never poses as an action or a concept.
ACTION_MARK = "§"
CONCEPT_MARK = "¤"
KIN_MARK = "≈"
MARKS = (ACTION_MARK, CONCEPT_MARK, KIN_MARK)

# Runs of one script. Hiragana is left out: it is nearly all grammar.
_RUNS = re.compile(
    r"(?P<hangul>[가-힣]+)"
    r"|(?P<han>[㐀-䶿一-鿿豈-﫿々〆]+)"
    r"|(?P<kana>[ァ-ヺー]+)"
    r"|(?P<word>[^\W\d_가-힣㐀-䶿一-鿿豈-﫿々〆ぁ-ヿ]+|\d+)"
)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Longest first, so that 에서는 is not taken for 는 alone.
_PARTICLES = (
    *("에서는", "으로는", "에게서", "이라는"),
    *("에서", "에게", "에는", "으로", "부터", "까지", "보다", "처럼", "이나", "이며", "이고"),
    *("은", "는", "이", "가", "을", "를", "의", "에", "로", "와", "과", "도", "만", "나"),
)
# A shorter rest would be no word any more: 국가 is not 국 with a particle.
_MIN_SYLLABLES = 2
_MIN_STEM = 3
_VOWEL = re.compile(r"[aeiouy]")
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


def find_terms(text: str) -> list[str]:
    """The terms of a text in order, each as often as it occurs.

    Words are split at underscores and capitals (`userId`, `user_id`) and lose their English
    endings; Hangul loses its particles; Hangul, kanji and katakana give pairs of characters.
    """
    return [term for _, terms in find_words(text) for term in terms]


def find_words(text: str) -> Iterator[tuple[str, Sequence[str]]]:
    """The words that the terms of a text come from, each with its terms, in the text's order."""
    for run in _RUNS.finditer(split_capitals(unicodedata.normalize("NFKC", text))):
        word = run.group()
        match run.lastgroup:
            case "hangul":
                for particle in _PARTICLES:
                    if word.endswith(particle) and len(word) - len(particle) >= _MIN_SYLLABLES:
                        word = word.removesuffix(particle)
                        break
                yield word, _pairs(word)
            case "word":
                yield word, (stem_word(word.casefold()),)
            case _:
                yield word, _pairs(word)


def split_capitals(text: str) -> str:
    """The text with a space wherever a capital begins a word: `userId`, `HTTPServer`."""
    return _CAMEL.sub(" ", text)


def _pairs(run: str) -> Sequence[str]:
    return [run] if len(run) == 1 else [first + second for first, second in pairwise(run)]


@lru_cache(maxsize=20_000)
def stem_word(word: str) -> str:
    """The word without plural, -ed, -ing and a last e, so that created, creates and create agree."""
    stem = _strip_plural(word)
    for ending in ("ing", "ed"):
        rest = stem.removesuffix(ending)
        if rest != stem and len(rest) >= _MIN_STEM and _VOWEL.search(rest):
            # Shipp, of shipped, becomes ship; fill and pass keep their double letters.
            is_doubled = rest[-1] == rest[-2] and rest[-1] not in "aeioulsz"
            return rest[:-1] if is_doubled else rest.removesuffix("e")
    return stem[:-1] if stem.endswith("e") and len(stem) > _MIN_STEM else stem


def _strip_plural(word: str) -> str:
    if len(word) <= _MIN_STEM or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


# Words of any English request; in a small catalogue they would count as rare.
_STOP_TEXT = (
    "a an and any are as at be by can could do does for from have how i in is it its me my of on"
    " or our please that the their them there these this those to us want was we were what which"
    " who will with would you your"
)
_STOP_TERMS = frozenset(find_terms(_STOP_TEXT))


def fold(text: str) -> str:
    """The text for comparisons: one width and case, single spaces: `getUser_ID` is get user id."""
    split = split_capitals(unicodedata.normalize("NFKC", text))
    return _SPACES.sub(" ", split.casefold()).strip()


def read_terms(text: str) -> list[str]:
    """The terms of a text in order, each as often as it occurs, without English stop words."""
    return [term for term in find_terms(text) if term not in _STOP_TERMS]


def is_stop_term(term: str) -> bool:
    """Whether a term occurs in any English request and so says nothing."""
    return term in _STOP_TERMS


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
