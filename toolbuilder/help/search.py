"""Search over the sections of the documentation, in memory: its index is made when somebody first searches."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache

from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString, mark_safe

from core.retrieval.bm25f import Bm25fIndex
from core.retrieval.glossary import Glossary
from core.retrieval.glossary_terms import CONCEPTS
from core.retrieval.tokens import find_terms, find_words, fold
from toolbuilder.help.links import INDEX
from toolbuilder.help.pages import HelpSection, find_page, list_names

MOST_HITS = 20
EXCERPT_CHARACTERS = 220
# Of the last word, which may not be written to its end.
_LEAST_PREFIX = 3
_MOST_ENDINGS = 12


@dataclass(frozen=True, slots=True)
class HelpHit:
    """A section found: its page's title, and a line of it with the words marked."""

    section: HelpSection
    page_title: str
    excerpt: SafeString


class HelpIndex:
    """The sections of all pages by their words, those of a heading before those of a text.

    Words of other languages find English ones by the concepts of the search for tools.
    """

    def __init__(self, sections: list[HelpSection], titles: dict[str, str]) -> None:
        self._sections = sections
        self._titles = titles
        self._glossary = Glossary(CONCEPTS)
        self._words = Bm25fIndex()
        known: set[str] = set()
        for row, section in enumerate(sections):
            fields = [
                self._terms_of(section.title),
                find_terms(section.text),
                self._terms_of(titles[section.page]),
                [],
            ]
            known.update(*fields)
            self._words.put(row, fields)
        self._known = sorted(known)

    def find(self, query: str, limit: int) -> list[HelpHit]:
        """At most so many sections that have a word of the query, best first; a last word's beginning will do."""
        terms = self._terms_of(query)
        last = terms[-1] if find_terms(query) else ""
        if len(last) >= _LEAST_PREFIX:
            start = bisect_left(self._known, last)
            endings = self._known[start : start + _MOST_ENDINGS]
            terms += [term for term in endings if term.startswith(last)]
        scores = self._words.score(terms)
        best = sorted(
            (row for row, score in enumerate(scores) if score > 0), key=lambda row: -scores[row]
        )
        # As it is written, or with another ending.
        forms = (
            re.escape(form) for word, terms in find_words(query) for form in (word, *terms[:1])
        )
        pattern = re.compile(rf"(?:{'|'.join(forms) or '(?!)'})\w*", re.IGNORECASE)
        return [self._to_hit(self._sections[row], pattern) for row in best[:limit]]

    def _terms_of(self, text: str) -> list[str]:
        return [*self._glossary.tokens(fold(text)), *find_terms(text)]

    def _to_hit(self, section: HelpSection, pattern: re.Pattern[str]) -> HelpHit:
        text = section.text
        first = pattern.search(text)
        start = max(0, (first.start() if first else 0) - EXCERPT_CHARACTERS // 3)
        start = text.rfind(" ", 0, start) + 1 if start else 0
        end = text.find(" ", start + EXCERPT_CHARACTERS)
        shown = text[start : end if end > 0 else None]
        pieces, copied = ["… " if start else ""], 0
        for match in pattern.finditer(shown):
            pieces += (
                conditional_escape(shown[copied : match.start()]),
                format_html("<mark>{}</mark>", match[0]),
            )
            copied = match.end()
        pieces += conditional_escape(shown[copied:]), " …" if start + len(shown) < len(text) else ""
        excerpt = mark_safe("".join(pieces))  # noqa: S308 - each piece is escaped above
        return HelpHit(section, self._titles[section.page], excerpt)


def search_help(query: str, limit: int = MOST_HITS) -> list[HelpHit]:
    """Sections of the documentation that the words are about, best first."""
    return _read_index().find(query, limit) if query else []


@cache
def _read_index() -> HelpIndex:
    # The index says of all pages what they are about, and would be found for everything.
    names = (name for name in list_names() if name != INDEX)
    pages = [page for page in map(find_page, names) if page is not None]
    sections = [section for page in pages for section in page.sections if section.text]
    return HelpIndex(sections, {page.name: page.title for page in pages})
