"""What every template knows."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from config.web.navigation import list_navigation
from config.web.theme import read_theme


def shell(request: HttpRequest) -> dict[str, Any]:
    """`navigation`, `theme` and `csp_nonce`; each is made only where a template shows it."""
    return {
        "navigation": SimpleLazyObject(lambda: list_navigation(request)),
        "theme": read_theme(request),
        "csp_nonce": getattr(request, "csp_nonce", ""),
    }
