"""Pages that are read from a replica of the database, where it has what their reader has just done."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import Error
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from access.replica import Replica, read_position, reading_from_replica

PAGES = frozenset({"calls", "call", "catalogue", "catalogue-table", "home"})
# The position of the primary's log after the reader's last change.
COOKIE = "written"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class ReplicaMiddleware:
    """Answers a page from the replica, or from the primary where that is behind or fails.

    After each change the browser gets the position that a replica must have reached to answer it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response, self._replica = get_response, Replica()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self._get_response(request)
        if request.method not in _SAFE:
            response.set_cookie(
                COOKIE,
                read_position(),
                # From then on a replica that is new enough for anybody has it.
                max_age=settings.DATABASE_REPLICA_MAX_LAG_S + 1,
                secure=settings.IS_HTTPS,
                httponly=True,
                samesite="Lax",
            )
        return response

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        """The page from the replica, or None: Django asks the view itself."""
        name = request.resolver_match.view_name if request.resolver_match else ""
        if request.method not in _SAFE or name not in PAGES:
            return None
        if not self._replica.has(request.COOKIES.get(COOKIE, "")):
            return None
        try:
            with reading_from_replica():
                page: HttpResponseBase = view(request, *args, **kwargs)
        except Error as error:
            # It has gone, or has ended the query for a change that must not wait; what is wrong with the
            # query itself, the primary says as well.
            self._replica.rest(type(error).__name__)
            return None
        return page
