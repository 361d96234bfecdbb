"""Terms by which a word finds its kin: what another script borrowed, and what another ending was put to."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from core.retrieval.action_words import split_words
from core.retrieval.kanji_readings import korean_pairs
from core.retrieval.sounds import script_of, sounds_of
from core.retrieval.tokens import KIN_MARK, is_stop_term

Word = tuple[str, Sequence[str]]
# What names of tools and parameters cut short, and people write out.
_SHORT_FORMS = dict(
    pair.split("=")
    for pair in split_words(
        "qty=quantity, amt=amount, num=number, dept=department, addr=address, acct=account, "
        "cust=customer, avg=average, max=maximum, min=minimum, pct=percent, temp=temperature, "
        "info=information, config=configuration, admin=administrator, repo=repository, "
        "org=organization, db=database, env=environment, msg=message, pwd=password, "
        "auth=authentication, desc=description, doc=document, app=application, stats=statistics, "
        "lang=language, loc=location, mgr=manager, txn=transaction, pmt=payment, yr=year, "
        "qtr=quarter, tel=telephone, img=image, pic=picture, photo=photograph, est=estimate, "
        "ref=reference, req=request, sub=subscription, lat=latitude, lon=longitude, "
        "lng=longitude, freq=frequency, dist=distance, dest=destination, src=source, "
        "params=parameters, spec=specification, calc=calculate, approx=approximate, "
        "intl=international, govt=government"
    )
)
_SOUND_SCRIPTS = "HKL"
_ROOT, _KANJI = f"{KIN_MARK}R", f"{KIN_MARK}1"
_LEAST_WORD, _LEAST_ROOT = 5, 4
# Endings that make one word of another: inspection, inspector, inspect.
_ENDING = re.compile(
    r"(?:ations?|ators?|ates?|ated|ating|ions?|ments?|ers?|ors?|als?|ives?|ances?|ences?|ities|ity|ness"
    r"|able|ible|ically|ical|ally|ly|ing|ed|e|s|y|ies)$"
)


def kin_terms(words: Iterable[Word], *, has_roots: bool = True) -> Iterator[str]:
    """The terms under which words of a tool or column are found by their kin, with or without other endings."""
    for word, terms in words:
        if not all(map(is_stop_term, terms)):
            yield from loan_terms(word)
            if has_roots and (root := find_root(word)):
                yield _ROOT + root


@lru_cache(maxsize=20_000)
def loan_terms(word: str) -> Sequence[str]:
    """The terms under which words of other scripts find one word, and its kanji alone."""
    script = script_of(word)
    sounds = [f"{KIN_MARK}{script}{sound}" for sound in sounds_of(word)]
    if script != "J":
        return sounds
    pairs = [f"{KIN_MARK}J{pair}" for pair in korean_pairs(word)]
    return [*pairs, *(_KANJI + kanji for kanji in word if len(word) > 1)]


def asked_loans(words: Iterable[Word]) -> Iterator[str]:
    """The terms by which the words of a query find those of other scripts that are the same word."""
    for word, terms in words:
        script = script_of(word)
        if script == "J":
            # Tools in Korean have them as they are written.
            yield from korean_pairs(word)
        elif script == "H":
            yield from (f"{KIN_MARK}J{pair}" for pair in terms if len(pair) > 1)
        for sound in sounds_of(word):
            yield from (f"{KIN_MARK}{other}{sound}" for other in _SOUND_SCRIPTS if other != script)


def asked_roots(words: Sequence[Word]) -> Iterator[str]:
    """The terms by which English words of a query find those with another ending, and kanji what holds them."""
    yield from (_ROOT + root for word, _ in words if (root := find_root(word)))
    yield from asked_kanji(words)


def asked_kanji(words: Iterable[Word]) -> Iterator[str]:
    """The terms by which a kanji that stands alone finds the words that hold it: 店 finds 店舗."""
    return (_KANJI + word for word, _ in words if len(word) == 1 and script_of(word) == "J")


def find_by_word(
    find: Callable[[Sequence[Word]], Iterator[str]], words: Iterable[Word]
) -> dict[str, tuple[str, ...]]:
    """What one of the functions above finds for each word alone."""
    return {word: tuple(find([(word, terms)])) for word, terms in words}


@lru_cache(maxsize=20_000)
def find_root(word: str) -> str:
    """An English word, written out, without up to two endings; '' if it is too short to have some."""
    root = _SHORT_FORMS.get(word.casefold(), word.casefold())
    if len(root) < _LEAST_WORD or not (word.isascii() and word.isalpha()):
        return ""
    for _ in range(2):
        if (ending := _ENDING.search(root)) and ending.start() >= _LEAST_ROOT:
            root = root[: ending.start()]
    return root
