"""What the address of a list says: its filters and its page, whatever people write there."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import ClassVar, Self

from django.http import QueryDict
from django.urls import reverse

_PAGE_DIGITS = 8


@dataclass(frozen=True, kw_only=True)
class ListState:
    """What the address of a list says; '' means any. Subclasses add their filters."""

    url_name: ClassVar[str]
    query_characters: ClassVar[int]
    # The texts that a field may have; another text is left out.
    choices: ClassVar[Mapping[str, Collection[str]]] = {}

    q: str = ""
    page: int = 1

    @classmethod
    def read(cls, given: QueryDict) -> Self:
        """From an address; what makes no sense in it is left out."""
        names = [field.name for field in fields(cls) if field.name != "page"]
        texts = read_filters(given, names, cls.query_characters)
        known = {
            name: text
            for name, text in texts.items()
            if name not in cls.choices or text in cls.choices[name]
        }
        return cls(**known, page=read_page(given))

    @property
    def is_filtered(self) -> bool:
        """Whether the list may lack something because of it."""
        return any(text for name, text in asdict(self).items() if name not in ("sort", "page"))

    def address(self, **changes: str | int) -> str:
        """The list's address with these changes, on its first page unless `page` is one of them."""
        values = asdict(replace(self, **{"page": 1, **changes}))  # type: ignore[arg-type]
        page = values.pop("page")
        query = QueryDict(mutable=True)
        query.update({name: value for name, value in values.items() if value})
        if page > 1:
            query["page"] = str(page)
        return f"{reverse(self.url_name)}{'?' if query else ''}{query.urlencode()}"

    @property
    def query(self) -> str:
        """What the address says after its question mark, of the first page."""
        return self.address().partition("?")[2]


def read_filters(given: QueryDict, names: Iterable[str], limit: int) -> dict[str, str]:
    """The texts of these names, '' where there is none; each at most `limit` characters."""
    return {name: given.get(name, "").replace("\0", "").strip()[:limit] for name in names}


def read_page(given: QueryDict) -> int:
    """The page number; 1 if the query has none."""
    page = given.get("page", "1")
    is_number = page.isascii() and page.isdigit() and len(page) <= _PAGE_DIGITS
    return max(int(page), 1) if is_number else 1
