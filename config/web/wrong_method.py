"""What a browser gets that opens the address of a form's action: the page that has the form."""

from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import Resolver404, resolve

# The addresses of programs, which get the plain answer.
_PROGRAMS = "/api/"


class WrongMethodMiddleware:
    """Sends people on who load the address of an action, where browsers show an empty page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_refused = response.status_code == HTTPStatus.METHOD_NOT_ALLOWED
        is_fragment = "HX-Request" in request.headers
        is_for_people = not is_fragment and not request.path.startswith(_PROGRAMS)
        if (
            is_refused
            and request.method == "GET"
            and is_for_people
            and request.accepts("text/html")
        ):
            return HttpResponseRedirect(find_page_above(request.path))
        return response


def find_page_above(path: str) -> str:
    """The nearest address above that is a page; it may send on once more."""
    parts = path.strip("/").split("/")
    for count in range(len(parts) - 1, 0, -1):
        above = f"/{'/'.join(parts[:count])}/"
        # No tool, data source or server is called "~": it parts actions from names.
        if parts[count - 1] != "~" and _is_address(above):
            return above
    return "/"


def _is_address(path: str) -> bool:
    try:
        resolve(path)
    except Resolver404:
        return False
    return True
