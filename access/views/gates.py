"""Who may open a page: guards of views."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

from access.roles.rights import is_member

SEE_CALLS = "access.view_callrecord"
SEE_KEYS = "access.view_apikey"
ADD_KEYS = "access.add_apikey"
CHANGE_KEYS = "access.change_apikey"

SEE_ROLES = "access.view_rolegrant"
ADD_ROLES = "access.add_rolegrant"
DELETE_ROLES = "access.delete_rolegrant"
SEE_PEOPLE = "auth.view_user"
ADD_PEOPLE = "auth.add_user"
CHANGE_PEOPLE = "auth.change_user"
SEE_AUDIT = "access.view_auditentry"

SEE_LIMITS = "access.view_toollimit"
ADD_LIMITS = "access.add_toollimit"
CHANGE_LIMITS = "access.change_toollimit"
DELETE_LIMITS = "access.delete_toollimit"

SEE_TOOLSETS = "access.view_toolset"
ADD_TOOLSETS = "access.add_toolset"
CHANGE_TOOLSETS = "access.change_toolset"
DELETE_TOOLSETS = "access.delete_toolset"

SEE_ISSUERS = "access.view_tokenissuer"
ADD_ISSUERS = "access.add_tokenissuer"
CHANGE_ISSUERS = "access.change_tokenissuer"
DELETE_ISSUERS = "access.delete_tokenissuer"

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def guard_view(view: View[P], refuse: Callable[[User], str]) -> View[P]:
    """The view for signed-in people; those for whom `refuse` has a text are refused with it."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if text := refuse(user_of(request)):
            raise PermissionDenied(text)
        return view(request, *args, **kwargs)

    return cast(View[P], guarded)


def for_staff_with(*rights: str) -> Callable[[View[P]], View[P]]:
    """Guards a view: for signed-in people of the staff, or with a role, who have all these rights."""

    def refuse(user: User) -> str:
        if is_member(user) and user.has_perms(rights):
            return ""
        return _("Ask an administrator for the right, or sign in as somebody else.")

    return lambda view: guard_view(view, refuse)


def user_of(request: HttpRequest) -> User:
    """The signed-in user of a guarded view."""
    return cast(User, request.user)


def is_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks, for a part of a page."""
    return "HX-Request" in request.headers
