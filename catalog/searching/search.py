"""Tables found by the words of people and databases, in any script and with slips of the pen."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from operator import or_

from django.contrib.auth.models import User
from django.contrib.postgres.lookups import TrigramWordSimilar
from django.db import transaction
from django.db.models import Case, F, FloatField, Func, Q, QuerySet, TextField, Value, When
from django.utils import timezone

from access.replica import reading_connection
from catalog.models import CatalogColumn, CatalogQuery, CatalogTable
from core.catalogue.search_words import (
    encode_letters,
    find_alike,
    find_slips,
    find_words,
    fold_text,
    split_word,
)

MAX_COLUMNS_NAMED = 10
# Share of a word's trigrams that a text must have in one place to hold a word like it.
_LIKENESS = 0.4
# Texts that are looked through for words like one that is nowhere.
_TEXTS_READ = 40
# The first lines of a search text, by number; see catalog.searching.texts.
_HEAD = ("name", "display_name", "tags")
# What finding a word there is worth, where it begins the line and where it does not.
_WORTH = {"name": (5.0, 4.0), "display_name": (5.0, 4.0), "tags": (2.5, 2.5)}
_WHOLE_NAME_WORTH = 10.0

# A word, and how it may be written.
Forms = dict[str, list[str]]
SURFACE = "page"
# Typing on within this time is the same search.
_TYPING_TIME = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class TableHit:
    """A table that was found: `columns` are names of those that hold words of the query."""

    table_id: int
    rank: float
    columns: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableSearch:
    """What a search found: the hits of one page, best first, and how many there are in all.

    `corrected` has the words that are nowhere as written, with those that were looked for instead.
    """

    hits: tuple[TableHit, ...] = ()
    total: int = 0
    corrected: tuple[tuple[str, tuple[str, ...]], ...] = ()


def search_tables(
    query: str,
    tables: QuerySet[CatalogTable] | None = None,
    *,
    offset: int = 0,
    limit: int = 50,
) -> TableSearch:
    """Those of `tables` (default: the served ones) that hold every word of the query, best first.

    Names and display names count most, tags next; ties by name. For a word that none of them holds,
    words that are written alike are looked for. A query without words finds nothing.
    """
    forms = {word: [word] for word in find_words(query)}
    if not forms:
        return TableSearch()
    within = CatalogTable.objects.served() if tables is None else tables
    if not (ranked := _rank(within, forms, query)):
        forms = {part: _find_forms(within, part) for word in forms for part in split_word(word)}
        ranked = _rank(within, forms, query) if all(forms.values()) else []
    page = ranked[offset : offset + limit]
    columns = _find_columns([form for found in forms.values() for form in found], dict(page))
    hits = tuple(TableHit(pk, rank, columns.get(pk, ())) for pk, rank in page)
    corrected = [(word, tuple(found)) for word, found in forms.items() if word not in found]
    return TableSearch(hits, len(ranked), tuple(corrected) if ranked else ())


def _rank(tables: QuerySet[CatalogTable], forms: Forms, query: str) -> list[tuple[int, float]]:
    name = fold_text(query)
    is_name = Q(name_line=name) | Q(name_line__startswith=f"{name}\t")
    whole = Case(When(is_name, then=_WHOLE_NAME_WORTH), default=0.0, output_field=FloatField())
    holds_all = Q()
    for alternatives in forms.values():
        holds_all &= reduce(or_, map(_contains, alternatives))
    lines = {
        f"{line}_line": Func(
            F("search_text"), Value("\n"), number, function="split_part", output_field=TextField()
        )
        for number, line in enumerate(_HEAD, start=1)
    }
    ranked = (
        tables.filter(holds_all)
        .annotate(**lines)
        .annotate(rank=sum(map(_worth, forms.values()), whole))
    )
    return list(ranked.order_by("-rank", "name", "pk").values_list("pk", "rank"))


def _contains(form: str) -> Q:
    found = Q(search_text__contains=form)
    if form.isascii() or not (letters := encode_letters(form)):
        return found
    # The letters are what the index can find in every locale; alone they would find a little more.
    return found & Q(search_text__contains=letters)


def _worth(forms: Sequence[str]) -> Case:
    """How much it says of a table that it holds a word, in one of these forms."""
    cases = []
    for line, (beginning, inside) in _WORTH.items():
        begins, holds = Q(), Q()
        for form in forms:
            begins |= Q(**{f"{line}_line__startswith": form})
            holds |= Q(**{f"{line}_line__contains": form})
        cases += [When(begins, then=beginning), When(holds, then=inside)]
    return Case(*cases, default=1.0, output_field=FloatField())


def _find_forms(tables: QuerySet[CatalogTable], word: str) -> list[str]:
    """The word where a table holds it, else what it may have been meant to be."""
    if tables.filter(_contains(word)).exists():
        return [word]
    if slips := [slip for slip in find_slips(word) if tables.filter(_contains(slip)).exists()]:
        return slips
    letters = encode_letters(word)
    # Fewer have so few trigrams that every text would be looked through.
    if len(letters) < 4:
        return []
    # Texts of a few tables with a word that has many of the same trigrams.
    there = reading_connection()
    with transaction.atomic(there.alias), there.cursor() as cursor:
        setting = "SELECT set_config('pg_trgm.word_similarity_threshold', %s, true)"
        cursor.execute(setting, [str(_LIKENESS)])
        is_alike = TrigramWordSimilar(F("search_text"), Value(letters))
        texts = tables.filter(is_alike).order_by().values_list("search_text", flat=True)
        return find_alike(word, list(texts[:_TEXTS_READ]))


def _find_columns(forms: Sequence[str], table_ids: Collection[int]) -> dict[int, tuple[str, ...]]:
    fields = ("table_id", "name", "display_name", "description", "source_comment")
    rows = CatalogColumn.objects.filter(table_id__in=table_ids, gone_at=None)
    found: dict[int, list[str]] = {}
    for table_id, *texts in rows.order_by("position", "id").values_list(*fields):
        folded = fold_text("\n".join(texts))
        if any(form in folded for form in forms):
            found.setdefault(table_id, []).append(texts[0])
    return {table_id: tuple(names[:MAX_COLUMNS_NAMED]) for table_id, names in found.items()}


def record_search(user: User, query: str, result_count: int) -> None:
    """Keep the query; one that goes on from the user's last one takes its place."""
    now = timezone.now()
    recent = CatalogQuery.objects.filter(user=user, surface=SURFACE, at__gt=now - _TYPING_TIME)
    last = recent.order_by("-id").first()
    if last is None or not (query.startswith(last.query) or last.query.startswith(query)):
        last = CatalogQuery(user=user, surface=SURFACE)
    last.at, last.query, last.result_count = now, query, result_count
    last.save()
