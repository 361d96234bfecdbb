"""The Content-Security-Policy of every answer, with a nonce for each request.

Template names and behaviour are those of Django 6 (`csp_nonce`), whose own middleware can take over.
"""

import secrets
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

HEADER = "Content-Security-Policy"
# Pages that Django makes for developers carry their styles and scripts inside.
_DEBUG_PAGES = (404, 500)


class Nonce:
    """A random text that is made when it is first shown; False while nobody asked."""

    def __init__(self) -> None:
        self._text = ""

    def __str__(self) -> str:
        self._text = self._text or secrets.token_urlsafe(16)
        return self._text

    def __bool__(self) -> bool:
        return bool(self._text)


class ContentPolicyMiddleware:
    """Lets pages load scripts and styles of this server only; gives `request.csp_nonce`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        nonce = Nonce()
        request.csp_nonce = nonce  # type: ignore[attr-defined]
        response = self.get_response(request)
        is_debug_page = settings.DEBUG and response.status_code in _DEBUG_PAGES
        if HEADER not in response and not is_debug_page:
            match = request.resolver_match
            is_back_office = match is not None and match.app_name == "admin"
            response[HEADER] = build_policy(nonce, is_back_office=is_back_office)
        return response


def build_policy(nonce: Nonce, *, is_back_office: bool = False) -> str:
    """The header's text; a nonce that no page showed is left out."""
    own = f"'self' 'nonce-{nonce}'" if nonce else "'self'"
    # Lists of Django's admin without actions carry one <style> without a nonce.
    styles = "'self' 'unsafe-inline'" if is_back_office else own
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src {own}",
            f"style-src {styles}",
            "img-src 'self' data:",
            "object-src 'none'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )
