"""Lookup of many known phrases in a text, in one pass and in every script."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

_WORD = re.compile(r"[a-z0-9]+")
_FOREIGN = re.compile(r"[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class Match:
    """A phrase found in a folded text: its label, start and end."""

    label: str
    start: int
    end: int


class PhraseTable:
    """Phrases with their labels, looked up longest first and without overlaps.

    A phrase of ASCII letters is found as whole words, compared in the given form (such as their
    stems); any other phrase is found within words, since Korean and Japanese do not part them.
    A phrase may have several labels. Texts and phrases have to be folded.
    """

    def __init__(
        self, phrases: Iterable[tuple[str, str]], form: Callable[[str], str] | None = None
    ) -> None:
        self._form = form or str
        self._worded: dict[str, dict[tuple[str, ...], list[str]]] = {}
        # By their first two characters, since many begin with the same one.
        self._written: dict[str, dict[str, list[str]]] = {}
        for phrase, label in phrases:
            if not phrase.isascii():
                for text in dict.fromkeys((phrase, phrase.replace(" ", ""))):
                    self._written.setdefault(text[:2], {}).setdefault(text, []).append(label)
            elif words := tuple(self._form(word) for word in _WORD.findall(phrase)):
                self._worded.setdefault(words[0], {}).setdefault(words, []).append(label)

    def find(self, folded: str) -> list[Match]:
        """What was found, in the order of the text; labels of one phrase in their own order."""
        found = [*self._find_worded(folded), *self._find_written(folded)]
        if len(found) < 2:
            return found
        # The longest matches win, of equal ones the first; matches of one phrase stay together.
        taken = 0
        kept: list[Match] = []
        for match in sorted(found, key=lambda match: (match.start - match.end, match.start)):
            places = (1 << match.end) - (1 << match.start)
            before = kept[-1] if kept else match
            is_same = before.start == match.start and before.end == match.end
            if is_same or not taken & places:
                taken |= places
                kept.append(match)
        return sorted(kept, key=lambda match: match.start)

    def _find_worded(self, folded: str) -> Iterator[Match]:
        spans = [word.span() for word in _WORD.finditer(folded)]
        words = [self._form(folded[start:end]) for start, end in spans]
        for number, word in enumerate(words):
            for phrase, labels in self._worded.get(word, {}).items():
                last = number + len(phrase) - 1
                if tuple(words[number : last + 1]) == phrase:
                    start, end = spans[number][0], spans[last][1]
                    yield from (Match(label, start, end) for label in labels)

    def _find_written(self, folded: str) -> Iterator[Match]:
        if folded.isascii():
            return
        for character in _FOREIGN.finditer(folded):
            start = character.start()
            for beginning in {folded[start], folded[start : start + 2]}:
                for phrase, labels in self._written.get(beginning, {}).items():
                    if folded.startswith(phrase, start):
                        yield from (Match(label, start, start + len(phrase)) for label in labels)
