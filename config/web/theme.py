"""What a person chose of the look of all pages, in cookies, so that the first byte already has it: colours, the folded sidebar."""

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from config.web.addresses import next_address
from toolbuilder.preferences.models import read_preferences

THEMES = ("auto", "light", "dark")
COOKIE = "theme"
SIDEBAR_COOKIE = "sidebar"
COOKIE_AGE_S = 365 * 86_400


def read_theme(request: HttpRequest) -> str:
    """The chosen theme, "auto" if nothing or nonsense is stored."""
    theme = request.COOKIES.get(COOKIE, "auto")
    return theme if theme in THEMES else "auto"


def is_sidebar_folded(request: HttpRequest) -> bool:
    """Whether the person folded the sidebar; pages with JavaScript store it."""
    return request.COOKIES.get(SIDEBAR_COOKIE) == "folded"


def bring_layout(response: HttpResponse, request: HttpRequest, user: User) -> None:
    """Fold the sidebar in this browser, or not, as the person did in another one; done where they sign in."""
    if (folded := read_preferences(user).layout.get("sidebar")) is not None:
        response.set_cookie(
            SIDEBAR_COOKIE,
            "folded" if folded else "",
            max_age=COOKIE_AGE_S,
            samesite="Lax",
            secure=request.is_secure(),
        )


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Store the theme and go back; pages with JavaScript do the same without a request."""
    response = redirect(next_address(request))
    theme = request.POST.get("theme", "auto")
    if theme in THEMES:
        response.set_cookie(
            COOKIE, theme, max_age=COOKIE_AGE_S, samesite="Lax", secure=request.is_secure()
        )
    return response
