"""The places of the sidebar, in order."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from access.roles.rights import is_member
from access.views.gates import SEE_AUDIT, SEE_CALLS, SEE_KEYS, SEE_TOOLSETS, user_of
from catalog.sources.gates import may_see_sources
from toolbuilder.gates import SEE_TOOLS
from toolbuilder.help.links import INDEX, help_url
from toolbuilder.reviews.listing import count_pending, has_reviews
from toolbuilder.visibility import visible_tools


@dataclass(frozen=True, kw_only=True)
class NavigationPlace:
    """An entry of the sidebar; `url_name` leads there, `may_see` says for whom it is shown.

    `about` says what is done there, `help` names the page of docs/ on it. `is_inner` marks a place
    inside the one before it. `also` names the pages that are its tabs. `count` is how many things
    are there, asked by each page.
    """

    label: Promise
    icon: str
    url_name: str
    may_see: Callable[[HttpRequest], bool]
    help: str
    about: Promise | str = ""
    is_inner: bool = False
    also: tuple[str, ...] = ()
    count: Callable[[HttpRequest], int] | None = None


@dataclass(frozen=True, kw_only=True)
class NavigationItem:
    """A place as one request shows it."""

    place: NavigationPlace
    url: str
    is_current: bool
    count: int | None = None

    @property
    def label(self) -> Promise:
        return self.place.label

    @property
    def icon(self) -> str:
        return self.place.icon


def is_staff(request: HttpRequest) -> bool:
    """True for people who may open the back office."""
    return bool(request.user.is_active and getattr(request.user, "is_staff", False))


def may_enter(request: HttpRequest) -> bool:
    """True for people of the staff, and for those with a role."""
    return is_member(user_of(request))


def staff_with(right: str) -> Callable[[HttpRequest], bool]:
    """True for people of the staff, or with a role, who have the right."""
    return lambda request: may_enter(request) and request.user.has_perm(right)


def _count_tools(request: HttpRequest) -> int:
    return visible_tools(user_of(request)).present().count()


def _may_see_reviews(request: HttpRequest) -> bool:
    """True where some toolset asks for reviews, or one is open."""
    return staff_with(SEE_TOOLS)(request) and has_reviews(user_of(request))


def _count_reviews(request: HttpRequest) -> int:
    return count_pending(user_of(request))


PLACES = (
    NavigationPlace(
        label=_("Dashboard"),
        icon="layout-dashboard",
        url_name="home",
        may_see=may_enter,
        help="operation",
    ),
    NavigationPlace(
        label=_("Tools"),
        icon="wrench",
        url_name="tools",
        may_see=staff_with(SEE_TOOLS),
        help="tools",
        count=_count_tools,
    ),
    NavigationPlace(
        label=_("Toolsets"),
        icon="layers",
        url_name="toolsets",
        may_see=staff_with(SEE_TOOLSETS),
        help="toolsets",
        about=_("A few tools with an address of their own"),
        is_inner=True,
    ),
    NavigationPlace(
        label=_("MCP servers"),
        icon="plug",
        url_name="mcp-servers",
        may_see=staff_with(SEE_TOOLS),
        help="mcp-servers",
        about=_("Serve the tools of other MCP servers here"),
        is_inner=True,
    ),
    NavigationPlace(
        label=_("Playground"),
        icon="message-square",
        url_name="playground",
        may_see=staff_with(SEE_TOOLS),
        help="playground",
        about=_("Chat with your tools, and see which one is chosen for which question"),
        is_inner=True,
    ),
    NavigationPlace(
        label=_("Search lab"),
        icon="flask-conical",
        url_name="search-lab",
        may_see=staff_with(SEE_TOOLS),
        help="search-lab",
        about=_("Try how agents find tools, and see why"),
        is_inner=True,
    ),
    NavigationPlace(
        label=_("Data sources"),
        icon="database",
        url_name="sources",
        may_see=may_see_sources,
        help="security",
    ),
    NavigationPlace(
        label=_("Catalogue"),
        icon="table-2",
        url_name="catalogue",
        may_see=may_enter,
        help="catalogue",
        about=_("What agents are told of tables and columns"),
    ),
    NavigationPlace(
        label=_("Glossary"),
        icon="languages",
        url_name="glossary",
        may_see=may_enter,
        help="search-lab",
        about=_("Words that mean the same, for searches in three languages"),
        is_inner=True,
    ),
    NavigationPlace(
        label=_("Calls"),
        icon="activity",
        url_name="calls",
        may_see=staff_with(SEE_CALLS),
        help="operation",
    ),
    NavigationPlace(
        label=_("Audit trail"),
        icon="history",
        url_name="audit",
        may_see=staff_with(SEE_AUDIT),
        help="operation",
        about=_("Who changed what, and from where"),
        is_inner=True,
    ),
    NavigationPlace(
        label=_("Access"),
        icon="key-round",
        url_name="keys",
        may_see=staff_with(SEE_KEYS),
        help="clients",
        about=_("Keys, limits, issuers of tokens, people and roles"),
        also=("limits", "issuers", "people", "roles"),
    ),
    NavigationPlace(
        label=_("Reviews"),
        icon="git-pull-request",
        url_name="reviews",
        may_see=_may_see_reviews,
        help="review",
        about=_("Changes that another person approves before agents get them"),
        count=_count_reviews,
    ),
    NavigationPlace(
        label=_("Settings"),
        icon="settings",
        url_name="settings",
        may_see=may_enter,
        help="reference/settings",
    ),
    NavigationPlace(
        label=_("Back office"),
        icon="settings-2",
        url_name="admin:index",
        may_see=is_staff,
        help="operation",
        about=_("Users, groups and raw rows"),
    ),
)


def list_navigation(request: HttpRequest) -> list[NavigationItem]:
    """The places that this person may see."""
    seen = [(place, reverse(place.url_name)) for place in PLACES if place.may_see(request)]
    current = _find_place(request.path, [place for place, _url in seen])
    return [
        NavigationItem(
            place=place,
            url=url,
            is_current=place is current,
            count=place.count(request) if place.count else None,
        )
        for place, url in seen
    ]


def find_help(navigation: Iterable[NavigationItem]) -> str:
    """The address of the documentation on the page's place, of its index if there is none."""
    current = next((item.place for item in navigation if item.is_current), None)
    return help_url(current.help if current else INDEX)


def _find_place(path: str, places: Iterable[NavigationPlace]) -> NavigationPlace | None:
    """The place with the longest address that begins the page's own."""
    by_url = {reverse(name): place for place in places for name in (place.url_name, *place.also)}
    # Every address begins with that of the start.
    above = [url for url in by_url if path == url or (url != "/" and path.startswith(url))]
    return by_url[max(above, key=len)] if above else None
