"""Pieces of statements and scripts that the editor's completion puts in, with places to fill in."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from core.dialects import find_rules
from core.toolspec import Dialect

_SQL = tuple(dialect.value for dialect in Dialect)


@dataclass(frozen=True, slots=True)
class Snippet:
    """`name` is what is typed to find it; in `text`, `${name}` is a place to fill in, the same name the same place.

    `languages` are the dialects of SQL that have it, or `python`.
    """

    name: str
    about: Promise
    text: str
    languages: tuple[str, ...] = _SQL


def _by_dialect(name: str, about: Promise) -> Iterator[Snippet]:
    for dialect in Dialect:
        if text := find_rules(dialect).snippets.get(name):
            yield Snippet(name, about, text, (dialect.value,))


SNIPPETS = (
    Snippet(
        "optional_filter",
        _("a condition that is left out when its value is not given"),
        "[[ AND ${column} = :${name} ]]",
    ),
    Snippet(
        "optional_value",
        _("every row when the value is not given"),
        "(:${name} IS NULL OR ${column} = :${name})",
    ),
    Snippet(
        "date_range",
        _("from one day up to another, which is left out"),
        "${day} >= :since AND ${day} < :until",
    ),
    Snippet("list_filter", _("one of several values"), "${column} IN (:${names})"),
    *_by_dialect("search_text", _("a word anywhere in a text, capital or small")),
    Snippet("top_n", _("the greatest rows"), "ORDER BY ${total} DESC\nLIMIT :${count}"),
    Snippet(
        "paging",
        _("one page of the rows"),
        "ORDER BY ${id}\nLIMIT :page_size OFFSET :skipped_rows",
    ),
    *_by_dialect("month_buckets", _("the first day of each month")),
    Snippet(
        "share_of_total",
        _("percent of the sum over all groups"),
        "round(100.0 * sum(${total}) / sum(sum(${total})) OVER (), 1) AS percent",
    ),
    Snippet(
        "running_total",
        _("the sum up to each row"),
        "sum(sum(${total})) OVER (ORDER BY ${day}) AS running_total",
    ),
    *_by_dialect("pivot", _("a column for one value")),
    Snippet(
        "newest_of_group",
        _("numbers the rows of each group, the newest first"),
        "row_number() OVER (PARTITION BY ${column} ORDER BY ${day} DESC) AS place",
    ),
    Snippet(
        "sum_loop",
        _("adds up a list of numbers"),
        "total = 0\nfor ${number} in ${numbers}:\n\ttotal += ${number}\nresult = total",
        ("python",),
    ),
    Snippet(
        "weighted_mean",
        _("the mean of values by their weights"),
        "sum(value * weight for value, weight in zip(${values}, ${weights})) / sum(${weights})",
        ("python",),
    ),
    Snippet(
        "guard",
        _("ends the call with a sentence for the agent"),
        "if ${count} <= 0:\n\tfail('${the count has to be above zero}')",
        ("python",),
    ),
    Snippet(
        "dictionary",
        _("an answer with named values"),
        "result = {'${name}': ${value}, '${other}': ${other_value}}",
        ("python",),
    ),
)


def list_snippets() -> list[dict[str, object]]:
    """The snippets as the editor's completion takes them, in the reader's language."""
    return [
        {
            "label": snippet.name,
            "detail": str(snippet.about),
            "text": snippet.text,
            "languages": snippet.languages,
        }
        for snippet in SNIPPETS
    ]
