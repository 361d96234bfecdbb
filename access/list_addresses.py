"""What the address of a list says: its filters and its page, whatever people write there."""

from collections.abc import Iterable

from django.http import QueryDict

_PAGE_DIGITS = 8


def read_filters(given: QueryDict, names: Iterable[str], limit: int) -> dict[str, str]:
    """The texts of these names, '' where there is none; each at most `limit` characters."""
    return {name: given.get(name, "").replace("\0", "").strip()[:limit] for name in names}


def read_page(given: QueryDict) -> int:
    """The number of the page, 1 where it is none."""
    page = given.get("page", "1")
    is_number = page.isascii() and page.isdigit() and len(page) <= _PAGE_DIGITS
    return max(int(page), 1) if is_number else 1
