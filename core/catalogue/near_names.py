"""Known names near to an unknown one: what a mistyped name may mean."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest
from itertools import pairwise, repeat
from operator import contains

# Only the names that share most with the unknown one are compared letter by letter.
_SHORTLIST = 30
_MAX_FEATURES = 18
_SHORT = 7
_MAX_CHARACTERS = 80
_MIN_SIMILARITY = 0.6
_MIN_CONTAINED = 3
# A name that contains the unknown one is near however long it is; one that begins with it, nearer.
_CONTAINED = 0.7
_BEGINNING = 0.72
_IGNORED = ("_", ".", "-", " ", '"', "`", "'", "[", "]", "/")
_BETWEEN = "\0"


def find_near(
    name: str,
    known: Sequence[str],
    limit: int = 3,
    *,
    display_names: Mapping[str, str] | None = None,
) -> list[str]:
    """The known names most like `name`, best first, at most `limit`; none if nothing is like it.

    Capitals, widths, underscores, dots and a schema before the name do not matter. `display_names`
    by known name are compared too, and give the name that they belong to.
    """
    shown = {owner: text for owner, text in (display_names or {}).items() if text}
    owners, texts = [*known, *shown], [*known, *shown.values()]
    if not texts:
        return []
    asked = _forms(name[:_MAX_CHARACTERS])
    similarities: dict[str, float] = {}
    for index in _shortlist(asked[0], _normalise_all(texts)):
        similarity = max(
            _similarity(first, second[:_MAX_CHARACTERS])
            for first in asked
            for second in _forms(texts[index])
        )
        if similarity >= _MIN_SIMILARITY:
            owner = owners[index]
            similarities[owner] = max(similarity, similarities.get(owner, 0.0))
    ranked = sorted(similarities.items(), key=lambda item: (-item[1], item[0]))
    return [owner for owner, _ in ranked[: max(0, limit)]]


def _forms(text: str) -> list[str]:
    """The whole name normalised, and what follows its last dot, which is the name without schema."""
    parts = [text, text.rpartition(".")[2]] if "." in text else [text]
    return [form for form in _normalise_all(parts) if form] or [""]


def _normalise_all(texts: Iterable[str]) -> list[str]:
    """Each text in small letters without what separates words; accents and Hangul taken apart.

    All at once: one pass over a long text is far quicker than thousands over short ones.
    """
    joined = _BETWEEN.join([text.replace(_BETWEEN, "") for text in texts])
    if not joined.isascii():
        joined = unicodedata.normalize("NFKD", joined)
    joined = joined.casefold()
    for separator in _IGNORED:
        joined = joined.replace(separator, "")
    return joined.split(_BETWEEN)


def _shortlist(asked: str, forms: Sequence[str]) -> list[int]:
    """Indexes of the forms that share most with the name for their length."""
    # Pairs of neighbours, of a long text every few; a swap in a short one spoils most of them.
    features = list(dict.fromkeys(_pairs(asked)))
    if len(asked) <= _SHORT:
        features += dict.fromkeys(asked)
    else:
        features = features[:: -(-len(features) // _MAX_FEATURES)]
    if not features or not forms:
        return []
    found = [map(contains, forms, repeat(feature)) for feature in features]
    counts = map(sum, zip(*found, strict=True))
    shares = [
        # All of it found means most often that this longer name contains it.
        count / (len(features) + len(form)) + (0.25 if count == len(features) else 0)
        for count, form in zip(counts, forms, strict=True)
    ]
    return nlargest(_SHORTLIST, range(len(forms)), key=shares.__getitem__)


def _pairs(text: str) -> list[str]:
    return [first + second for first, second in pairwise(text)]


def _similarity(asked: str, form: str) -> float:
    """From 0 to 1: the best of containment, letters in order, and pairs in any order."""
    if not asked or not form:
        return 0.0
    shorter, longer = sorted((asked, form), key=len)
    in_order = 1 - _edit_distance(asked, form) / len(longer)
    first, second = set(_pairs(asked)), set(_pairs(form))
    shared_pairs = 2 * len(first & second) / max(1, len(first) + len(second))
    contained = 0.0
    # Two characters of Chinese writing are a word, two letters are not.
    if len(shorter) >= (_MIN_CONTAINED if shorter.isascii() else 2) and shorter in longer:
        base = _BEGINNING if longer.startswith(shorter) else _CONTAINED
        contained = base + (1 - base) * len(shorter) / len(longer)
    return max(contained, in_order, shared_pairs)


def _edit_distance(first: str, second: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours that turn one into the other.

    Bit-parallel optimal string alignment, Hyyrö 2003: a column of the table is one integer.
    """
    everything = (1 << len(first)) - 1
    last = 1 << (len(first) - 1)
    places: dict[str, int] = {}
    for index, character in enumerate(first):
        places[character] = places.get(character, 0) | 1 << index
    distance, rises, falls, zeros, before = len(first), everything, 0, 0, 0
    for character in second:
        here = places.get(character, 0)
        swaps = ((~zeros & here) << 1) & before
        zeros = (((here & rises) + rises) ^ rises) | here | falls | swaps
        across_rises = (falls | ~(zeros | rises)) & everything
        across_falls = zeros & rises
        distance += bool(across_rises & last) - bool(across_falls & last)
        across_rises = across_rises << 1 | 1
        rises = (across_falls << 1 | ~(zeros | across_rises)) & everything
        falls = across_rises & zeros & everything
        before = here
    return distance
