"""The documentation as pages of the application, and what is read of it beside other pages."""

from functools import cache

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from access.list_addresses import read_filters
from access.views.gates import is_fragment
from toolbuilder.help.links import INDEX, help_url
from toolbuilder.help.pages import DOCS, find_page, list_groups
from toolbuilder.help.panes import PANES
from toolbuilder.help.reference import REFERENCE_PAGES, list_reference
from toolbuilder.help.search import search_help
from toolbuilder.help.shortcuts import SHORTCUTS
from toolbuilder.help.tour import STEPS

# As the field lets people type.
MAX_QUERY_CHARACTERS = 200


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
@vary_on_headers("HX-Request")
def help_search(request: HttpRequest) -> HttpResponse:
    """The sections of the documentation that the words are about, best first."""
    query = read_filters(request.GET, ("q",), MAX_QUERY_CHARACTERS)["q"]
    context = {"query": query, "hits": search_help(query), "groups": list_groups()}
    name = "_results" if is_fragment(request) else "search"
    return render(request, f"toolbuilder/help/{name}.html", context)


@login_required
@require_GET
def help_image(request: HttpRequest, name: str) -> HttpResponse:
    """A picture of the documentation."""
    if name not in _list_images():
        raise Http404
    return HttpResponse((DOCS / "images" / name).read_bytes(), content_type="image/png")


@login_required
@require_GET
@vary_on_headers("HX-Request")
def help_pane(request: HttpRequest, name: str) -> HttpResponse:
    """The text on a pane, for the drawer; the page that has it, for a browser."""
    pane = PANES.get(name)
    page = find_page(pane.topic.page) if pane else None
    if pane is None or page is None:
        raise Http404
    if not is_fragment(request):
        return redirect(pane.topic.address)
    context = {"pane": pane, "page": page, "section": page.section(pane.topic.anchor)}
    return render(request, "toolbuilder/help/_pane.html", context)


@login_required
@require_GET
@vary_on_headers("HX-Request")
def help_reference(request: HttpRequest) -> HttpResponse:
    """What can be written in the logic of a kind of tool, for the drawer; the reference page, for a browser."""
    kind = request.GET.get("kind", "")
    if kind not in REFERENCE_PAGES:
        kind = "SQL"
    address = help_url(REFERENCE_PAGES[kind])
    if not is_fragment(request):
        return redirect(address)
    context = {"groups": list_reference(kind), "address": address}
    return render(request, "toolbuilder/help/_reference.html", context)


@login_required
@require_GET
@vary_on_headers("HX-Request")
def help_keys(request: HttpRequest) -> HttpResponse:
    """All keys by the part of a page that has them, for the drawer, which knows its page; the text on them, for a browser."""
    if not is_fragment(request):
        return redirect(help_url("editor", "keys"))
    return render(request, "toolbuilder/help/_keys.html", {"key_groups": SHORTCUTS})


@login_required
@require_GET
@vary_on_headers("HX-Request")
def help_tour(request: HttpRequest) -> HttpResponse:
    """The steps of the tour through the editor, which its page shows one after the other; for a browser, the text on it."""
    if not is_fragment(request):
        return redirect(help_url("editor"))
    return render(request, "toolbuilder/help/_tour.html", {"steps": STEPS})


@cache
def _list_images() -> frozenset[str]:
    return frozenset(path.name for path in (DOCS / "images").glob("*.png"))
