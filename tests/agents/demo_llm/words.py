"""Comparing a phrase of a question with a description, in Korean, Japanese and English."""

import re
import unicodedata
from collections.abc import Iterable

_LATIN = re.compile(r"[a-z0-9]+")
_HAN_KANA = re.compile(r"[\u3040-\u30ff\u3400-\u9fff々ー]+")
_HANGUL = re.compile(r"[\uac00-\ud7a3]+")
_PARTICLES = re.compile(
    r"(?<=[\uac00-\ud7a3])(?:에서|으로|까지|부터|별로|이나|들의|들을|들|은|는|이|가|을|를|의|에|로|와|과|도|만)$"
)
# Words that descriptions and questions tend to say differently, in one spelling.
_SAME = (
    ("amount", "amounts", "revenue", "매출액", "売上高"),
    ("average", "avg", "mean"),
    ("customer", "user", "member"),
    ("e-mail", "email", "mail"),
)
# As above for words that are not set apart by spaces.
_SAME_RUNS = (("이메일 주소", "email"), ("이메일", "email"), ("メールアドレス", "email"))
_SPELLING = {word: words[0] for words in _SAME for word in words}


def normalize(text: str) -> str:
    """Compatibility form, small letters, one kind of white space."""
    return " ".join(unicodedata.normalize("NFKC", text).lower().replace("_", " ").split())


def without_particle(word: str) -> str:
    """A Korean word without its case particle, unless nothing but one syllable would be left."""
    stem = _PARTICLES.sub("", word)
    return stem if len(stem) > 1 else word


def units(text: str) -> frozenset[str]:
    """What is compared: stems of Latin words, pairs of neighbouring letters of other scripts."""
    plain = normalize(text).replace("e-mail", "email")
    for run, word in _SAME_RUNS:
        plain = plain.replace(run, f" {word} ")
    found = {_stem(word) for word in _LATIN.findall(plain)}
    for pattern in (_HAN_KANA, _HANGUL):
        for run in pattern.findall(plain):
            found |= {run[i : i + 2] for i in range(max(1, len(run) - 1))}
    return frozenset(found)


def likeness(phrase: frozenset[str], segment: frozenset[str]) -> float:
    """0 to 1: F-measure of the shared units, that of the phrase weighing double (F2)."""
    shared = len(phrase & segment)
    if not shared:
        return 0.0
    precision, recall = shared / len(segment), shared / len(phrase)
    return 5 * precision * recall / (4 * precision + recall)


def best_likeness(phrase: str, segments: Iterable[str]) -> float:
    """Of the segments the likest; 0 for none."""
    wanted = units(phrase)
    return max((likeness(wanted, units(segment)) for segment in segments), default=0.0)


def language_of(text: str) -> str:
    """The code of the text's language, ko, ja or en, by its script."""
    if _HANGUL.search(text):
        return "ko"
    return "ja" if _HAN_KANA.search(text) or re.search("[\u3040-\u309f]", text) else "en"


def _stem(word: str) -> str:
    word = _SPELLING.get(word, word)
    for ending, stem in (("ies", "y"), ("sses", "ss"), ("uses", "us"), ("s", "")):
        if word.endswith(ending) and len(word) > len(ending) + 2 and not word.endswith("ss"):
            word = word.removesuffix(ending) + stem
            break
    return _SPELLING.get(word, word)
