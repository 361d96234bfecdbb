"""The places of the sidebar, in order."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class Place:
    """An entry of the sidebar; `url_name` leads there, `may_see` says for whom it is shown."""

    label: Promise
    icon: str
    url_name: str
    may_see: Callable[[HttpRequest], bool]


@dataclass(frozen=True)
class NavigationItem:
    """A place as one request shows it."""

    label: Promise
    icon: str
    url: str
    is_current: bool


def is_staff(request: HttpRequest) -> bool:
    """True for people who may open the back office."""
    return bool(request.user.is_active and getattr(request.user, "is_staff", False))


PLACES = (
    Place(_("Catalogue"), "table-2", "catalogue", is_staff),
    Place(_("Back office"), "settings-2", "admin:index", is_staff),
)


def list_navigation(request: HttpRequest) -> list[NavigationItem]:
    """The places that this person may see; the one whose address begins this page's is current."""
    seen = [(place, reverse(place.url_name)) for place in PLACES if place.may_see(request)]
    return [
        NavigationItem(place.label, place.icon, url, request.path.startswith(url))
        for place, url in seen
    ]
