"""Who may see, change and check data sources on their pages, and the rows that they may."""

from dataclasses import dataclass
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from access.roles.rights import is_member
from access.views.gates import P, View, guard_view, user_of
from catalog.gates import SCAN
from catalog.models import DataSource
from catalog.rights import open_sources
from catalog.sources.environment import find_names

_VIEW, _CHANGE = "catalog.view_datasource", "catalog.change_datasource"
_ADD, _DELETE = "catalog.add_datasource", "catalog.delete_datasource"


@dataclass(frozen=True, slots=True)
class SourceRights:
    """What the buttons of a page depend on."""

    may_add: bool
    may_change: bool
    may_delete: bool
    may_scan: bool


def for_viewers(view: View[P]) -> View[P]:
    """The view for members of the staff who may see data sources, as in the back office."""
    return _guard(view, _VIEW, _CHANGE)


def for_changers(view: View[P]) -> View[P]:
    """The view for those who may change and check them."""
    return _guard(view, _CHANGE)


def for_adders(view: View[P]) -> View[P]:
    """The view for those who may register new ones."""
    return _guard(view, _ADD)


def for_deleters(view: View[P]) -> View[P]:
    """The view for those who may delete them."""
    return _guard(view, _DELETE)


def may_see_sources(request: HttpRequest) -> bool:
    """Whether the pages of data sources open for this person."""
    user = request.user
    return is_member(user) and any(map(user.has_perm, (_VIEW, _CHANGE)))


def rights_on_sources(user: User) -> SourceRights:
    """What the user may do."""
    return SourceRights(
        may_add=user.has_perm(_ADD),
        may_change=user.has_perm(_CHANGE),
        may_delete=user.has_perm(_DELETE),
        may_scan=user.has_perm(SCAN),
    )


def visible_sources(user: User) -> "QuerySet[DataSource]":
    """Those that the user may use, with their last check; restricted ones of others stay hidden."""
    return open_sources(user).select_related("last_check")


def find_source(request: HttpRequest, name: str) -> DataSource:
    """The visible data source of that name, else 404."""
    return get_object_or_404(visible_sources(user_of(request)), name=name)


def is_kept_by_variable(source: DataSource) -> bool:
    """Whether a variable would bring the row back as soon as it were deleted."""
    return source.is_from_environment and source.name in find_names()


def record_change(user: User, source: DataSource, text: Any, flag: int = CHANGE) -> None:
    """Write what the user did into the back office's history of the row; `text` as the admin writes it."""
    rows = DataSource.objects.filter(pk=source.pk)
    LogEntry.objects.log_actions(user.pk, rows, flag, change_message=text, single_object=True)


def _guard(view: View[P], *rights: str) -> View[P]:
    """The view for members of the staff who have one of the rights."""

    def refuse(user: User) -> str:
        is_allowed = is_member(user) and any(map(user.has_perm, rights))
        return "" if is_allowed else _("You may not do this with data sources.")

    return guard_view(view, refuse)
