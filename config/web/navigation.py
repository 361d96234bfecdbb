"""The places of the sidebar, in order."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from access.views.gates import SEE_CALLS, SEE_KEYS
from catalog.views.source_gates import may_see_sources
from toolbuilder.models import ToolDefinition
from toolbuilder.views.gates import SEE_TOOLS


@dataclass(frozen=True)
class Place:
    """An entry of the sidebar; `url_name` leads there, `may_see` says for whom it is shown.

    `count` is how many things are there, asked by each page.
    """

    label: Promise
    icon: str
    url_name: str
    may_see: Callable[[HttpRequest], bool]
    count: Callable[[], int] | None = None


@dataclass(frozen=True)
class NavigationItem:
    """A place as one request shows it."""

    label: Promise
    icon: str
    url: str
    is_current: bool
    count: int | None = None


def is_staff(request: HttpRequest) -> bool:
    """True for people who may open the back office."""
    return bool(request.user.is_active and getattr(request.user, "is_staff", False))


def staff_with(right: str) -> Callable[[HttpRequest], bool]:
    """True for people of the staff who have the right."""
    return lambda request: is_staff(request) and request.user.has_perm(right)


def _count_tools() -> int:
    return ToolDefinition.objects.present().count()


PLACES = (
    Place(_("Dashboard"), "layout-dashboard", "home", is_staff),
    Place(_("Tools"), "wrench", "tools", staff_with(SEE_TOOLS), _count_tools),
    Place(_("Catalogue"), "table-2", "catalogue", is_staff),
    Place(_("Search lab"), "search", "search-lab", staff_with(SEE_TOOLS)),
    Place(_("Data sources"), "database", "sources", may_see_sources),
    Place(_("Calls"), "activity", "calls", staff_with(SEE_CALLS)),
    Place(_("Keys"), "key-round", "keys", staff_with(SEE_KEYS)),
    Place(_("Settings"), "settings", "settings", is_staff),
    Place(_("Back office"), "settings-2", "admin:index", is_staff),
)


def list_navigation(request: HttpRequest) -> list[NavigationItem]:
    """The places that this person may see; the one whose address begins this page's is current."""
    return [_to_item(place, request) for place in PLACES if place.may_see(request)]


def _to_item(place: Place, request: HttpRequest) -> NavigationItem:
    url = reverse(place.url_name)
    # Every address begins with that of the start.
    is_current = request.path == url if url == "/" else request.path.startswith(url)
    count = place.count() if place.count else None
    return NavigationItem(place.label, place.icon, url, is_current, count)
