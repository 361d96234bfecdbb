"""The documentation as pages of the application."""

from functools import cache

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from toolbuilder.help.links import INDEX
from toolbuilder.help.pages import DOCS, find_page, list_groups


@login_required
@require_GET
def help_page(request: HttpRequest, name: str = INDEX) -> HttpResponse:
    """A page of the documentation."""
    page = find_page(name)
    if page is None and name != INDEX:
        raise Http404
    context = {"page": page, "groups": list_groups(), "is_index": name == INDEX}
    return render(request, "toolbuilder/help/page.html", context)


@login_required
@require_GET
def help_image(request: HttpRequest, name: str) -> HttpResponse:
    """A picture of the documentation."""
    if name not in _list_images():
        raise Http404
    return HttpResponse((DOCS / "images" / name).read_bytes(), content_type="image/png")


@cache
def _list_images() -> frozenset[str]:
    return frozenset(path.name for path in (DOCS / "images").glob("*.png"))
