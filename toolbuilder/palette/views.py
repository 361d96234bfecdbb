"""The command palette: places, actions, tools, tables and data sources, found by their names."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from access.list_addresses import read_filters
from access.views.gates import for_staff_with, is_fragment
from toolbuilder.palette.search import find_groups

# As the field lets people type.
MAX_QUERY_CHARACTERS = 200


@for_staff_with()
@never_cache
@require_GET
@vary_on_headers("HX-Request")
def palette(request: HttpRequest) -> HttpResponse:
    """What the words lead to, for the dialog, or as a page of its own; without words, where to begin."""
    query = read_filters(request.GET, ("q",), MAX_QUERY_CHARACTERS)["q"]
    context = {"query": query, "groups": find_groups(request, query)}
    name = "_results" if is_fragment(request) else "page"
    return render(request, f"toolbuilder/palette/{name}.html", context)
