"""Who may see and change what on the catalogue's pages, and the rows that they may."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from catalog.models import CatalogTable, DataSource
from catalog.rights import sources_open_to
from catalog.table_models import CatalogTableQuerySet

EDIT = "catalog.change_catalogtable"
SCAN = "catalog.add_catalogscan"

_P = ParamSpec("_P")
_View = Callable[Concatenate[HttpRequest, _P], HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Rights:
    """What the buttons of a page depend on."""

    may_edit: bool
    may_scan: bool


def for_staff(view: _View[_P]) -> _View[_P]:
    """The view for signed-in people of the staff; others are told, or sent to sign in."""
    return _guard(view, "")


def for_editors(view: _View[_P]) -> _View[_P]:
    """The view for those who may edit the catalogue."""
    return _guard(view, EDIT)


def for_scanners(view: _View[_P]) -> _View[_P]:
    """The view for those who may scan and import."""
    return _guard(view, SCAN)


def user_of(request: HttpRequest) -> User:
    """The signed-in user of a guarded view."""
    return cast(User, request.user)


def rights_of(request: HttpRequest) -> Rights:
    """What the user may do."""
    user = user_of(request)
    return Rights(may_edit=user.has_perm(EDIT), may_scan=user.has_perm(SCAN))


def tables_open_to(user: User) -> CatalogTableQuerySet:
    """Tables of the default data source and of those that the user may use, gone and hidden ones too."""
    open_sources = sources_open_to(user.get_username())
    return CatalogTable.objects.filter(Q(source=None) | Q(source__in=open_sources))


def named_sources_open_to(user: User) -> list[DataSource]:
    """Data sources that the user may use, by name; the default one has no row."""
    return list(sources_open_to(user.get_username()).order_by("name"))


def _guard(view: _View[_P], right: str) -> _View[_P]:
    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        user = user_of(request)
        if not user.is_staff:
            raise PermissionDenied(_("Only members of the staff may open the catalogue."))
        if right and not user.has_perm(right):
            raise PermissionDenied(_("You may read the catalogue, but not do this."))
        return view(request, *args, **kwargs)

    return cast(_View[_P], guarded)
