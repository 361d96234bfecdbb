"""What every template knows."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from access.views.gates import user_of
from config.web.navigation import find_help, list_navigation, may_enter
from config.web.theme import is_sidebar_folded, read_theme
from toolbuilder.help.panes import find_pane
from toolbuilder.reviews.listing import has_reviews


def shell(request: HttpRequest) -> dict[str, Any]:
    """`navigation`, `has_reviews`, `may_enter`, `help_address`, `page_pane`, `theme`, `is_folded` and `csp_nonce`; made only if a template shows them."""
    navigation = SimpleLazyObject(lambda: list_navigation(request))
    return {
        "navigation": navigation,
        "has_reviews": SimpleLazyObject(lambda: has_reviews(user_of(request))),
        "may_enter": SimpleLazyObject(lambda: may_enter(request)),
        "help_address": SimpleLazyObject(lambda: find_help(navigation)),
        "page_pane": find_pane(request),
        "theme": read_theme(request),
        "is_folded": is_sidebar_folded(request),
        "csp_nonce": getattr(request, "csp_nonce", ""),
    }
