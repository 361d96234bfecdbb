"""Who may open the pages of calls and keys."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.utils.translation import gettext as _

SEE_CALLS = "access.view_callrecord"
SEE_KEYS = "access.view_apikey"
ADD_KEYS = "access.add_apikey"
CHANGE_KEYS = "access.change_apikey"

_P = ParamSpec("_P")
_View = Callable[Concatenate[HttpRequest, _P], HttpResponseBase]


def for_staff_with(*rights: str) -> Callable[[_View[_P]], _View[_P]]:
    """Guards a view: for signed-in people of the staff who have all these rights."""

    def guard(view: _View[_P]) -> _View[_P]:
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            user = user_of(request)
            if not (user.is_staff and user.has_perms(rights)):
                raise PermissionDenied(
                    _("Ask an administrator for the right, or sign in as somebody else.")
                )
            return view(request, *args, **kwargs)

        return cast(_View[_P], guarded)

    return guard


def user_of(request: HttpRequest) -> User:
    """The signed-in user of a guarded view."""
    return cast(User, request.user)


def is_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks, for a part of a page."""
    return "HX-Request" in request.headers
