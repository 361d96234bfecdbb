"""Words as they sound, to know a word that another script borrowed: turbine, 터빈 and タービン."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import product

from core.retrieval.kanji_readings import SYLLABLES

# Letters that borrowing confuses are one; vowels are left out, but for that a word begins with one.
_LEAST = 3
_MOST = 8
_LEAST_LATIN = 4
_VOWEL = "A"
# From the longest; what is not named is left out. `J` is s or k, as g before e, `C` s or t, as チ.
_LATIN = (
    *(("tion", "SN"), ("sion", "SN"), ("ture", "S"), ("sch", "SK"), ("dge", "S"), ("tch", "S")),
    *(("ch", "S"), ("sh", "S"), ("ph", "P"), ("th", "S"), ("ck", "K"), ("qu", "K"), ("ng", "N")),
    *(("gh", ""), ("wh", ""), ("ce", "S"), ("ci", "S"), ("cy", "S"), ("ge", "J"), ("gi", "J"), ("gy", "J")),
    *(("b", "P"), ("c", "K"), ("d", "T"), ("f", "P"), ("g", "K"), ("h", "H"), ("j", "S"), ("k", "K"), ("l", "R")),
    *(("m", "M"), ("n", "N"), ("p", "P"), ("q", "K"), ("r", "R"), ("s", "S"), ("t", "T"), ("v", "P"), ("x", "KS"), ("z", "S")),
)  # fmt: skip
_LATIN_SOUND = dict(_LATIN)
_LATIN_RUN = re.compile("|".join(text for text, _ in _LATIN) + "|.")
# An r that no vowel follows is not heard.
_SILENT_R = re.compile(r"r(?![aeiouy])")
# By the number of the letter; a silent first one is a dot.
_INITIALS = "KKNTTRMPPSS.SSSKTPH"
_FINALS = {1: "K", 2: "K", 4: "N", 7: "T", 8: "R", 16: "M", 17: "P", 19: "T", 21: "N"}
_KANA = (
    *(
        ("K", "カキクケコガギグゲゴ"),
        ("S", "サシスセソザジズゼゾヂヅ"),
        ("T", "タテトダデド"),
        ("C", "チツ"),
    ),
    *(("N", "ナニヌネノン"), ("H", "ハヒヘホ"), ("P", "フバビブベボパピプペポヴ")),
    *(("M", "マミムメモ"), ("R", "ラリルレロ")),
)
_KANA_SOUND = {kana: sound for sound, all_kana in _KANA for kana in all_kana}
_BOTH = {"J": "SK", "C": "ST"}
_REPEATED = re.compile(r"(.)\1+")


@lru_cache(maxsize=20_000)
def sounds_of(word: str) -> Sequence[str]:
    """The ways in which a word of one script sounds, usually one; none if it is too short to tell."""
    first = word[:1]
    if "가" <= first <= "힣":
        # What could be written in kanji was borrowed from Chinese.
        heard = "" if SYLLABLES.issuperset(word) else _hear_hangul(word)
    elif "ァ" <= first <= "ヺ":
        heard = (_VOWEL if first in "アイウエオ" else "") + "".join(
            _KANA_SOUND.get(each, "") for each in word
        )
    elif word.isascii() and word.isalpha() and len(word) >= _LEAST_LATIN:
        heard = _hear_latin(word.casefold())
    else:
        return ()
    # ン before p is m elsewhere.
    heard = heard.replace("MP", "NP")
    ways = [_BOTH.get(sound, sound) for sound in heard]
    if sum(len(way) > 1 for way in ways) > 2:
        return ()
    found = {_REPEATED.sub(r"\1", "".join(way))[:_MOST] for way in product(*ways)}
    return tuple(sorted(way for way in found if len(way) >= _LEAST))


def _hear_latin(word: str) -> str:
    begins = _VOWEL if word[0] in "aeiou" else ""
    text = _SILENT_R.sub("", word)
    if text.endswith("ies"):
        text = text[:-3] + "y"
    elif text.endswith("s") and not text.endswith(("ss", "us", "is")):
        text = text[:-1]
    return begins + "".join(_LATIN_SOUND.get(run, "") for run in _LATIN_RUN.findall(text))


def _hear_hangul(word: str) -> str:
    heard: list[str] = []
    for place, syllable in enumerate(word):
        if not "가" <= syllable <= "힣":
            continue
        initial, rest = divmod(ord(syllable) - 0xAC00, 21 * 28)
        sound = _INITIALS[initial]
        heard.append((_VOWEL if not place else "") if sound == "." else sound)
        heard.append(_FINALS.get(rest % 28, ""))
    return "".join(heard)


def script_of(word: str) -> str:
    """`H`angul, `K`atakana, `L`atin, `J` for kanji, '' for others."""
    first = word[:1]
    if "가" <= first <= "힣":
        return "H"
    if "ァ" <= first <= "ヺ":
        return "K"
    if "一" <= first <= "鿿":
        return "J"
    return "L" if word.isascii() and word.isalpha() else ""
