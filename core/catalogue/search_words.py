"""Words of searches in one form for every script, and in letters for trigrams.

pg_trgm knows only the letters of the database's locale: with the C locale none of Korean and
Japanese. So texts are also kept in ASCII letters that are alike where the texts are alike.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

MAX_QUERY_CHARACTERS = 200
MAX_WORDS = 8

# Jaccard's index of the trigrams of two words; below it they are different words.
LEAST_LIKENESS = 0.3
MAX_ALIKE = 5
_KEPT_SHARE = 0.8
_LINE_SHARE = 0.4
_ASCII_WORD = re.compile(r"[a-z0-9]{3,}")
_MARKS = re.compile(r"[\W_]+")
_SPACES = re.compile(r"[\s\x00-\x1f\x7f-\x9f\ud800-\udfff]+")
_NO_LETTERS = re.compile(r"[^a-z0-9]+")
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
# Sounds that people mix up have one letter: tense consonants, and the vowels of 애 and 에.
_INITIALS = "ggnddrmbbss0jjcktph"
_VOWELS = "aeiloeqluvffxw1f2345z"
_FINALS = (
    *("", "g", "g", "gs", "n", "nj", "nh", "d", "r", "rg", "rm", "rb", "rs", "rt", "rp", "rh"),
    *("m", "b", "bs", "s", "s", "0", "j", "c", "k", "t", "p", "h"),
)
_KANA = (("ぁ", "ゖ"), ("ァ", "ヶ"))
_LENGTH_MARK = "ー"
# Coprime to 36**3, so that characters beside each other share no beginning.
_SCATTER = 7_919


def fold_text(text: str) -> str:
    """The text without differences of width, case, composition and white space, in one line."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return _SPACES.sub(" ", folded).strip()


def find_words(query: str) -> list[str]:
    """The folded words of a query, each once, at most 8 of its first 200 characters.

    Marks around a word are left out; a query of marks alone is one word.
    """
    folded = fold_text(query[:MAX_QUERY_CHARACTERS])
    words: dict[str, None] = {}
    for word in folded.split(" "):
        kept = [place for place, character in enumerate(word) if character.isalnum()]
        if kept:
            words[word[kept[0] : kept[-1] + 1]] = None
    return list(words)[:MAX_WORDS] or ([folded] if folded else [])


def split_word(word: str) -> list[str]:
    """The parts of a folded word between its marks; the word itself where parts would be too short."""
    parts = [part for part in _MARKS.split(word) if part]
    is_clear = all(len(part) > 2 or not part.isascii() for part in parts)
    return parts if parts and is_clear else [word]


def encode_letters(text: str) -> str:
    """A folded text in ASCII letters and digits, words between spaces.

    What a part of the text becomes is part of what the text becomes.
    """
    if text.isascii():
        return _NO_LETTERS.sub(" ", text).strip()
    return _NO_LETTERS.sub(" ", "".join(map(_encode_character, text))).strip()


def find_slips(word: str) -> list[str]:
    """The forms of a short word with two neighbours exchanged, which trigrams do not see."""
    if not 3 <= len(word) <= 8:
        return []
    swapped = (word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1))
    return [form for form in dict.fromkeys(swapped) if form != word]


def find_alike(word: str, texts: Iterable[str]) -> list[str]:
    """The words of folded texts that are written most like `word`, best first, at most 5.

    Where words are not parted by spaces, parts of about its length are compared.
    """
    trigrams = _trigrams(encode_letters(word))
    scores: dict[str, float] = {}
    for form in {form for text in texts for form in _forms(word, trigrams, text)}:
        others = _trigrams(encode_letters(form))
        scores[form] = len(trigrams & others) / (len(trigrams | others) or 1)
    least = max(LEAST_LIKENESS, _KEPT_SHARE * max(scores.values(), default=0.0))
    found = sorted(
        (form for form in scores if scores[form] >= least), key=lambda f: (-scores[f], f)
    )
    return found[:MAX_ALIKE]


def _forms(word: str, trigrams: set[str], text: str) -> Iterator[str]:
    """The words of a text; of a line without spaces between words, its parts of about that length."""
    if word.isascii():
        yield from _ASCII_WORD.findall(text)
        return
    lines = [line for line in re.split(r"[\n\t]", text) if not line.isascii()]
    for line in lines:
        shared = len(trigrams & _trigrams(encode_letters(line))) / (len(trigrams) or 1)
        if shared < _LINE_SHARE:
            continue
        windows = (
            line[start : start + size].strip()
            for size in (len(word) - 1, len(word), len(word) + 1)
            for start in range(max(0, len(line) - size + 1))
        )
        for window in windows:
            is_apart = " " in window and len(word) < 3
            if len(window) > 1 and not window.isascii() and not is_apart:
                yield window


def _encode_character(character: str) -> str:
    if character.isascii():
        return character
    if "가" <= character <= "힣":
        initial, rest = divmod(ord(character) - ord("가"), 21 * 28)
        vowel, final = divmod(rest, 28)
        return _INITIALS[initial] + _VOWELS[vowel] + _FINALS[final]
    for first, last in _KANA:
        if first <= character <= last:
            return _digits(ord(character) - ord(first) + 36, 2)
    if character == _LENGTH_MARK or not character.isalnum():
        return "" if character == _LENGTH_MARK else " "
    plain = unicodedata.normalize("NFKD", character)[0]
    return plain if plain.isascii() else _digits(ord(character) * _SCATTER, 3)


def _digits(number: int, count: int) -> str:
    return "".join(_DIGITS[number // 36**place % 36] for place in reversed(range(count)))


def _trigrams(letters: str) -> set[str]:
    padded = [f"  {word} " for word in letters.split()]
    return {word[i : i + 3] for word in padded for i in range(len(word) - 2)}
