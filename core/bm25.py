"""Lexical search: texts in Latin letters by words, Korean, Chinese and Japanese ones by characters."""

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from heapq import nsmallest
from itertools import pairwise

# How soon further occurrences of a term stop to count, and how much long texts pay for their length.
SATURATION = 1.2
LENGTH_PENALTY = 0.6

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


class Bm25Index:
    """Texts ready to be searched; never changes, so that threads may share it.

    Okapi BM25 (Robertson and Zaragoza 2009) with an IDF that is never negative.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._lengths: list[int] = []
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for number, text in enumerate(texts):
            counts = Counter(find_terms(text))
            self._lengths.append(counts.total())
            for term, count in counts.items():
                self._postings[term].append((number, count))
        self._mean_length = sum(self._lengths) / max(1, len(self._lengths)) or 1.0

    def __len__(self) -> int:
        return len(self._lengths)

    def rank(self, query: str, limit: int) -> list[tuple[int, float]]:
        """Indexes of texts and their scores, best first, at most `limit`; ties in the texts' order.

        A text that shares no term with the query is never among them.
        """
        scores: dict[int, float] = defaultdict(float)
        for term in dict.fromkeys(find_terms(query)):
            self._add_scores(term, scores)
        return nsmallest(max(0, limit), scores.items(), key=lambda item: (-item[1], item[0]))

    def _add_scores(self, term: str, scores: dict[int, float]) -> None:
        # Asked with get(): a look-up of an unknown term must not grow the index.
        postings = self._postings.get(term, [])
        rarity = math.log1p((len(self) - len(postings) + 0.5) / (len(postings) + 0.5))
        for number, count in postings:
            length = self._lengths[number] / self._mean_length
            damping = SATURATION * (1 - LENGTH_PENALTY + LENGTH_PENALTY * length)
            scores[number] += rarity * count * (SATURATION + 1) / (count + damping)


def find_terms(text: str) -> list[str]:
    """The terms of a text in its order, each as often as it occurs.

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
                stem = _strip_particle(word)
                yield stem, _pairs(stem)
            case "word":
                yield word, (stem_word(word.casefold()),)
            case _:
                yield word, _pairs(word)


def split_capitals(text: str) -> str:
    """The text with a space wherever a capital begins a word: `userId`, `HTTPServer`."""
    return _CAMEL.sub(" ", text)


def _pairs(run: str) -> Sequence[str]:
    return [run] if len(run) == 1 else [first + second for first, second in pairwise(run)]


def _strip_particle(word: str) -> str:
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) - len(particle) >= _MIN_SYLLABLES:
            return word.removesuffix(particle)
    return word


@lru_cache(maxsize=20_000)
def stem_word(word: str) -> str:
    """The word without plural, -ed, -ing and a last e, so that created, creates and create agree."""
    stem = _strip_plural(word)
    for ending in ("ing", "ed"):
        rest = stem.removesuffix(ending)
        if rest != stem and len(rest) >= _MIN_STEM and _VOWEL.search(rest):
            return _undouble(rest)
    return stem[:-1] if stem.endswith("e") and len(stem) > _MIN_STEM else stem


def _strip_plural(word: str) -> str:
    if len(word) <= _MIN_STEM or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]


def _undouble(stem: str) -> str:
    """Shipp, of shipped, becomes ship; fill and pass keep their double letters."""
    is_doubled = stem[-1] == stem[-2] and stem[-1] not in "aeioulsz"
    return stem[:-1] if is_doubled else stem.removesuffix("e")
