"""How the pages of an answer are asked for one after another, and put together."""

import re
from copy import copy
from dataclasses import dataclass, replace
from typing import Literal, get_args

from core.errors import DataSourceError, DefinitionError, EvaluationError
from core.ingest.escapes import escape
from core.kept_parts import explain_missing, follow_path, read_path
from core.messages import message
from core.toolspec import JsonValue

PagingKind = Literal["link", "page", "cursor"]
PAGING_KINDS = get_args(PagingKind)
MAX_PAGES = 100
_ADDRESS = re.compile(
    r"(?P<server>https?://[^/?#\\\s]+)?(?P<path>(?!//)(?:(?![?#\\])[\x21-\x7e])*)"
    r"(?:\?(?P<query>(?:(?!#)[\x21-\x7e])*))?(?:#.*)?"
)
# Servers and proxies may take these for another path.
_DOTS = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)
_NEXT_LINK = re.compile(r"<([^<>]*)>\s*;[^,<>]*\brel=\"?next\b\"?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Paging:
    """Where the items of a page are, and how the page after it is asked for.

    `items` is the path of the list, '' if the answer is one. `next` is the path of the address of the
    next page (kind link; '' for the header Link) or of its cursor. `parameter` is what the query calls
    the page's number, which begins with `first`, or the cursor. At most `pages` are asked for.
    """

    kind: PagingKind
    items: str = ""
    next: str = ""
    parameter: str = ""
    first: int = 1
    pages: int = 10

    def check(self) -> None:
        """Raise DefinitionError for what could not be followed."""
        if None in (*read_path(self.items), *read_path(self.next)):
            raise DefinitionError(
                message("http.paging_each", "a path to one place has no [] in it")
            )
        if self.kind != "link" and not self.parameter:
            raise DefinitionError(
                message(
                    "http.paging_parameter",
                    "name the parameter of the query that says which page is meant",
                )
            )
        if self.kind == "cursor" and not self.next:
            raise DefinitionError(
                message("http.paging_cursor", "give the path of the cursor in the answer")
            )


@dataclass(frozen=True, slots=True)
class PageAddress:
    """The address of a page: `url` without its query, which is escaped; `below` is the service's address."""

    url: str
    query: str
    below: str = ""


def first_page(paging: Paging, address: PageAddress) -> PageAddress:
    """The address with the number of the first page, where pages have numbers."""
    if paging.kind != "page":
        return address
    return replace(address, query=_put(address.query, paging.parameter, str(paging.first)))


def next_page(
    paging: Paging, response: JsonValue, address: PageAddress, *, number: int, link_header: str = ""
) -> PageAddress | None:
    """The address of the page behind the one at `address`, which was the `number`th; None at the end.

    Raises DataSourceError for one that is on another server: credentials are sent to none but its own.
    """
    if paging.kind == "page":
        query = _put(address.query, paging.parameter, str(paging.first + number))
        return replace(address, query=query) if items_of(paging, response) else None
    value: JsonValue = None
    if paging.next:
        try:
            value = follow_path(response, paging.next)
        except EvaluationError:
            value = None
    elif found := _NEXT_LINK.search(link_header):
        value = found[1]
    if value is None or value is False or value == "":
        return None
    if paging.kind == "cursor":
        query = _put(address.query, paging.parameter, str(value))
        return None if query == address.query else replace(address, query=query)
    return _follow_link(str(value), address)


def _follow_link(link: str, address: PageAddress) -> PageAddress | None:
    """The address of a link in the answer from `address`, None for that itself."""
    here, target = _ADDRESS.fullmatch(address.url), _ADDRESS.fullmatch(link)
    if here is None or target is None or (target["server"] or here["server"]) != here["server"]:
        raise DataSourceError(
            message(
                "http.next_elsewhere",
                "the next page is on another server than the service; it is not followed",
            )
        )
    path = target["path"]
    if not path:
        path = here["path"]
    elif not path.startswith("/"):
        path = f"{here['path'].rpartition('/')[0]}/{path}"
    found = PageAddress(f"{here['server']}{path}", target["query"] or "", address.below)
    if _DOTS.search(path) or not f"{found.url}/".startswith(f"{address.below}/".lstrip("/")):
        raise DataSourceError(
            message(
                "http.next_outside",
                "the next page is not below the service's address; it is not followed",
            )
        )
    return None if found == address else found


def items_of(paging: Paging, response: JsonValue) -> list[JsonValue]:
    """The items of one page. Raises DataSourceError where there is no list."""
    try:
        found = follow_path(response, paging.items, is_list=True)
    except EvaluationError as error:
        reason = explain_missing(error.message, response)
        raise DataSourceError(
            message("http.no_items", "the page has no items: {reason}", reason=reason)
        ) from error
    if not isinstance(found, list):
        raise DataSourceError(
            message(
                "http.items_no_list",
                "the items of a page have to be a list; mend the path {path}",
                path=repr(paging.items),
            )
        )
    return found


def join_pages(paging: Paging, first: JsonValue, items: list[JsonValue]) -> JsonValue:
    """The first page's answer with the items of all pages in the place of its own."""
    steps = read_path(paging.items)
    if not steps:
        return items
    if not items:
        return first
    whole = copy(first)
    part = whole
    for step in steps[:-1]:
        part[step] = copy(part[step])
        part = part[step]
    part[steps[-1]] = items
    return whole


def _put(query: str, name: str, value: str) -> str:
    """The query with this value in the place of another of its name."""
    start = f"{escape(name)}="
    kept = [pair for pair in query.split("&") if pair and not pair.startswith(start)]
    return "&".join([*kept, start + escape(value)])
