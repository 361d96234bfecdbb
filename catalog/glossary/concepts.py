"""The glossary as it is in use: the shipped concepts, with what people changed and added."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import connection, transaction

from catalog.editing.texts import clean_text, normal_form
from catalog.models import GlossaryConcept
from core.errors import EditError, StaleEditError
from core.messages import message
from core.retrieval.glossary import Concept
from core.retrieval.glossary_terms import CONCEPTS
from core.retrieval.tokens import fold, stem_word

logger = logging.getLogger(__name__)

LANGUAGES = ("ko", "ja", "en")
MAX_TERMS = 40
MAX_TERM_CHARACTERS = 80
MAX_CONCEPTS = 5_000
# Any number that no other program of this database uses for its own lock.
GLOSSARY_LOCK = 3_003_012
_SEPARATORS = re.compile(r"[,;、，；\n]")
_KEY = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_MAX_KEY_CHARACTERS = 60

Terms = Mapping[str, tuple[str, ...]]
Owners = dict[tuple[str, str], set[str]]
_STALE = message(
    "glossary.stale",
    "somebody else has changed the concept meanwhile; look at it and save again",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GlossaryEntry:
    """A concept as it is now; `is_changed` where a person wrote it, or changed what is shipped."""

    key: str
    terms: Terms
    note: str = ""
    is_shipped: bool = False
    is_active: bool = True
    is_changed: bool = False
    updated_by: str = ""
    updated_at: datetime | None = None


MakeEntries = Callable[[Mapping[str, GlossaryEntry]], Iterable[GlossaryEntry]]
_SHIPPED = {
    concept.id: GlossaryEntry(key=concept.id, terms=concept.terms, is_shipped=True)
    for concept in CONCEPTS
}


def read_concepts() -> tuple[Concept, ...]:
    """The concepts in use, by key; one query."""
    return tuple(Concept(entry.key, entry.terms) for entry in read_entries() if entry.is_active)


def read_glossary_revision() -> str:
    """Another text after each change; one query that reads no concept."""
    # Asked again and again by an idle server; a QuerySet costs five times as much as its answer.
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*), max(updated_at) FROM {GlossaryConcept._meta.db_table}")  # noqa: S608
        count, last = cursor.fetchone()
    return f"{count} {last.isoformat() if last else ''}"


def read_entries() -> list[GlossaryEntry]:
    """All concepts, switched off or not, by key: rows take the place of what is shipped."""
    written = {row.key: _entry_of(row) for row in GlossaryConcept.objects.all()}
    return sorted((_SHIPPED | written).values(), key=lambda entry: entry.key)


def find_entry(key: str) -> GlossaryEntry | None:
    """The concept of that key."""
    row = GlossaryConcept.objects.filter(key=key).first()
    return _entry_of(row) if row else _SHIPPED.get(key)


def add_concept(key: str, terms: Mapping[str, str], username: str) -> GlossaryEntry:
    """A new concept; '' as key makes one of the first English term.

    `terms` are texts with commas by language. Raises EditError for a key that is taken or cannot be
    one, for terms that cannot be kept, and for none.
    """
    entry = make_entry(key, terms)
    with _alone():
        if find_entry(entry.key):
            raise EditError(
                message(
                    "glossary.exists",
                    "there is a concept {key} already; add the terms to it",
                    key=entry.key,
                )
            )
        _check_meanings(entry, {}, _find_owners(read_entries()))
        return _write(entry, username)


def make_entry(key: str, terms: Mapping[str, str]) -> GlossaryEntry:
    """A concept of texts with commas by language, not kept yet. Raises EditError as `add_concept`."""
    cleaned = {language: clean_terms(terms.get(language, "")) for language in LANGUAGES}
    name = (key or fold(next(iter(cleaned["en"]), "")).replace(" ", "_")).strip().lower()
    if not _KEY.fullmatch(name) or len(name) > _MAX_KEY_CHARACTERS:
        raise EditError(
            message(
                "glossary.key_form",
                "a key has small letters, digits and single _ between them, as in purchase_order",
            )
        )
    if not any(cleaned.values()):
        raise EditError(
            message(
                "glossary.no_term",
                "write at least one term; a concept of two languages is of most use",
            )
        )
    return GlossaryEntry(key=name, terms=cleaned)


def write_concepts(make: MakeEntries, username: str) -> int:
    """Keep the concepts that `make` makes of those there are, all of them or none.

    Nobody else changes the glossary meanwhile. Returns how many were not so yet. Raises EditError where
    a word would get a second meaning in a language, and what `make` raises.
    """
    with _alone():
        present = {entry.key: entry for entry in read_entries()}
        changed = [
            entry
            for entry in make(present)
            if (kept := present.get(entry.key)) is None
            or (entry.note, entry.is_active) != (kept.note, kept.is_active)
            or any(entry.terms.get(name, ()) != kept.terms.get(name, ()) for name in LANGUAGES)
        ]
        owners = _find_owners((present | {entry.key: entry for entry in changed}).values())
        for entry in changed:
            kept = present.get(entry.key)
            if entry.is_active:
                _check_meanings(entry, kept.terms if kept and kept.is_active else {}, owners)
            _write(replace(entry, is_shipped=entry.key in _SHIPPED), username)
        return len(changed)


def edit_terms(entry: GlossaryEntry, language: str, text: str, username: str) -> GlossaryEntry:
    """The concept with these terms, separated by commas, for those of `entry` in the language.

    Raises StaleEditError where they are not what is kept now, EditError for what cannot be kept.
    """
    terms = clean_terms(text)
    with _alone():
        present = _require(entry.key)
        kept = present.terms.get(language, ())
        if kept == terms:
            return present
        if kept != entry.terms.get(language, ()):
            raise StaleEditError(_STALE, {"terms": join_terms(kept)})
        changed = replace(present, terms={**present.terms, language: terms})
        if not any(changed.terms.values()):
            raise EditError(
                message(
                    "glossary.last_term", "the last term cannot go; switch the concept off instead"
                )
            )
        if present.is_active:
            _check_meanings(changed, present.terms, _find_owners(read_entries()))
        return _write(changed, username)


def edit_note(entry: GlossaryEntry, text: str, username: str) -> GlossaryEntry:
    """The concept with this note. Raises StaleEditError and EditError as `edit_terms`."""
    note = clean_text("description", text)
    with _alone():
        present = _require(entry.key)
        if present.note == note:
            return present
        if present.note != entry.note:
            raise StaleEditError(_STALE, {"note": present.note})
        return _write(replace(present, note=note), username)


def set_concept_active(key: str, username: str, *, is_active: bool) -> GlossaryEntry:
    """The concept in use or not. Raises EditError where another one in use has its terms."""
    with _alone():
        present = _require(key)
        if present.is_active == is_active:
            return present
        if is_active:
            before = dict(_SHIPPED[key].terms) if key in _SHIPPED else {}
            _check_meanings(present, before, _find_owners(read_entries()))
        return _write(replace(present, is_active=is_active), username)


def reset_concept(key: str) -> GlossaryEntry | None:
    """The shipped concept again, or None: one that people added is gone."""
    with _alone():
        GlossaryConcept.objects.filter(key=key).delete()
    return _SHIPPED.get(key)


def clean_terms(text: str) -> tuple[str, ...]:
    """The terms of a text with commas, each once. Raises EditError that names one that cannot be kept."""
    terms: dict[str, str] = {}
    for part in _SEPARATORS.split(text):
        term = normal_form("tag", part)
        if not term:
            continue
        _check_term(term)
        terms.setdefault(fold(term), term)
    if len(terms) > MAX_TERMS:
        raise EditError(
            message(
                "glossary.too_many_terms",
                "a concept has at most {limit} terms of a language, not {count}",
                limit=MAX_TERMS,
                count=len(terms),
            )
        )
    return tuple(terms.values())


def join_terms(terms: Iterable[str]) -> str:
    """The terms as `clean_terms` reads them."""
    return ", ".join(terms)


def _check_term(term: str) -> None:
    if not term.isprintable():
        raise EditError(
            message(
                "glossary.invisible_character",
                "a term holds a character that nobody sees; write it anew",
            )
        )
    if len(term) > MAX_TERM_CHARACTERS:
        raise EditError(
            message(
                "glossary.term_too_long",
                "a term has at most {limit} characters: {term}…",
                limit=MAX_TERM_CHARACTERS,
                term=term[:30],
            )
        )
    if len(fold(term).replace(" ", "")) < 2:
        raise EditError(
            message(
                "glossary.term_too_short",
                "{term} is found within too many words; a term has two letters or more",
                term=term,
            )
        )


def _find_owners(entries: Iterable[GlossaryEntry]) -> Owners:
    """The keys of the concepts in use by language and form of a term."""
    owners: Owners = {}
    for entry in entries:
        if entry.is_active:
            for language, terms in entry.terms.items():
                for term in terms:
                    owners.setdefault((language, _form(term)), set()).add(entry.key)
    return owners


def _check_meanings(entry: GlossaryEntry, before: Terms, owners: Owners) -> None:
    """Raise EditError where a term that is not of `before` belongs to another concept in use."""
    for language, terms in entry.terms.items():
        known = set(map(_form, before.get(language, ())))
        forms = {_form(term): term for term in terms}
        for form, term in sorted(forms.items()):
            others = owners.get((language, form), set()) - {entry.key}
            if others and form not in known:
                raise EditError(
                    message(
                        "glossary.term_taken",
                        "{term} is a term of {key} already; a word has one meaning in a language",
                        term=term,
                        key=min(others),
                    )
                )


def _form(term: str) -> str:
    """What two spellings of a term have in common when they are looked up."""
    words = fold(term).split()
    return " ".join(map(stem_word, words)) if term.isascii() else "".join(words)


def _entry_of(row: GlossaryConcept) -> GlossaryEntry:
    # Other programs write these rows too: what is no text is left out.
    stored = row.terms if isinstance(row.terms, dict) else {}
    terms = {}
    for language in LANGUAGES:
        texts = stored.get(language)
        texts = texts if isinstance(texts, list) else []
        terms[language] = tuple(text for text in texts if isinstance(text, str) and text.strip())
    return GlossaryEntry(
        key=row.key,
        terms=terms,
        note=row.note,
        is_shipped=row.key in _SHIPPED,
        is_active=row.is_active,
        is_changed=True,
        updated_by=row.updated_by,
        updated_at=row.updated_at,
    )


def _require(key: str) -> GlossaryEntry:
    entry = find_entry(key)
    if entry is None:
        raise EditError(
            message(
                "glossary.gone", "there is no concept {key} any more; load the page again", key=key
            )
        )
    return entry


def _write(entry: GlossaryEntry, username: str) -> GlossaryEntry:
    row = GlossaryConcept.objects.filter(key=entry.key).first()
    if row is None and GlossaryConcept.objects.count() >= MAX_CONCEPTS:
        raise EditError(
            message(
                "glossary.too_many_concepts",
                "the glossary keeps at most {limit} concepts",
                limit=MAX_CONCEPTS,
            )
        )
    row = row or GlossaryConcept(key=entry.key)
    row.terms = {language: list(terms) for language, terms in entry.terms.items()}
    row.note, row.is_active, row.is_shipped = entry.note, entry.is_active, entry.is_shipped
    row.updated_by = username
    row.save()
    logger.info("glossary: %s written by %s", entry.key, username)
    return _entry_of(row)


@contextmanager
def _alone() -> Iterator[None]:
    """A transaction in which nobody else changes the glossary.

    A lock on rows would not keep two from giving the same word to two concepts.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [GLOSSARY_LOCK])
        yield
