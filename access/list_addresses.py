"""The filters and the page in the address of a list; nonsense in it does no harm."""

from collections.abc import Iterable

from django.http import QueryDict

_PAGE_DIGITS = 8


def read_filters(given: QueryDict, names: Iterable[str], limit: int) -> dict[str, str]:
    """The texts of these names, '' for one that is missing; each at most `limit` characters."""
    return {name: given.get(name, "").replace("\0", "").strip()[:limit] for name in names}


def read_page(given: QueryDict) -> int:
    """The page number; 1 if the query has none, or none that is a number."""
    page = given.get("page", "1")
    is_number = page.isascii() and page.isdigit() and len(page) <= _PAGE_DIGITS
    return max(int(page), 1) if is_number else 1
