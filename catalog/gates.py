"""Who may see and change what on the catalogue's pages, and the rows that they may."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.translation import gettext as _

from access.roles.rights import is_member
from access.views.gates import P, View, guard_view, user_of
from catalog.models import CatalogTable, CatalogTableQuerySet, DataSource
from catalog.rights import on_open_source, open_sources

EDIT = "catalog.change_catalogtable"
SCAN = "catalog.add_catalogscan"


@dataclass(frozen=True, slots=True)
class Rights:
    """What the buttons of a page depend on."""

    may_edit: bool
    may_scan: bool


def for_staff(view: View[P], right: str = "") -> View[P]:
    """The view for signed-in people of the staff, or with a role, who have the right."""

    def refuse(user: User) -> str:
        if not is_member(user):
            return _("Only members of the staff may open the catalogue.")
        if right and not user.has_perm(right):
            return _("You may read the catalogue, but not do this.")
        return ""

    return guard_view(view, refuse)


def for_editors(view: View[P]) -> View[P]:
    """The view for those who may edit the catalogue."""
    return for_staff(view, EDIT)


def for_scanners(view: View[P]) -> View[P]:
    """The view for those who may scan and import."""
    return for_staff(view, SCAN)


def rights_of(request: HttpRequest) -> Rights:
    """What the user may do."""
    user = user_of(request)
    return Rights(may_edit=user.has_perm(EDIT), may_scan=user.has_perm(SCAN))


def tables_open_to(user: User) -> CatalogTableQuerySet:
    """Tables of the default data source and of those that the user may use, gone and hidden ones too."""
    return CatalogTable.objects.filter(on_open_source(user))


def named_sources_open_to(user: User) -> list[DataSource]:
    """Data sources that the user may use, by name; the default one has no row."""
    return list(open_sources(user).order_by("name"))
