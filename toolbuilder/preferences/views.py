"""The requests by which pages remember what a person chose."""

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from access.views.gates import for_staff_with, is_fragment, user_of
from catalog.gates import tables_open_to
from toolbuilder.gates import SEE_TOOLS
from toolbuilder.listing.tool_list import ToolListState
from toolbuilder.preferences.models import change_preferences, read_preferences

# The largest value of each; 1 is folded, and a tour of the editor that was had.
LAYOUT = {"sidebar": 1, "explorer": 1_000, "definition": 1_000, "result": 2_000, "tour": 1}
NAME_CHARACTERS = 40
_FILTERS_KEPT = 20
_TABLES_KEPT = 200


@for_staff_with()
@require_POST
def layout(request: HttpRequest) -> HttpResponse:
    """Remember the size of a pane, or that something is folded; without a value, as it was at first."""
    name, value = request.POST.get("name", ""), request.POST.get("value", "")
    if name not in LAYOUT:
        return HttpResponse(status=400)
    with change_preferences(user_of(request)) as kept:
        kept.layout.pop(name, None)
        if value.isascii() and value.isdigit() and len(value) < 6:
            kept.layout[name] = min(int(value), LAYOUT[name])
    return HttpResponse(status=204)


@for_staff_with(SEE_TOOLS)
@require_POST
def favourite_table(request: HttpRequest, table_id: int) -> HttpResponse:
    """A table that comes first in the explorer, or no more; the oldest of too many is forgotten."""
    table = get_object_or_404(tables_open_to(user_of(request)).present(), pk=table_id)
    with change_preferences(user_of(request)) as kept:
        kept.tables = [kept_id for kept_id in kept.tables if kept_id != table.pk]
        if request.POST.get("starred") == "yes":
            kept.tables = [*kept.tables, table.pk][-_TABLES_KEPT:]
    return HttpResponse(status=204)


@for_staff_with(SEE_TOOLS)
@require_POST
def tool_filter(request: HttpRequest) -> HttpResponse:
    """The named filters of the list of tools, with the present one under that name, or without `removed`."""
    removed, name = request.POST.get("removed", ""), request.POST.get("name", "").replace("\0", "")
    name, query = name.strip()[:NAME_CHARACTERS], request.POST.get("query", "")
    # What the list itself would say: nothing else of an address is kept.
    state, fault = ToolListState.read(QueryDict(query)), ""
    with change_preferences(user_of(request)) as kept:
        if removed:
            kept.filters.pop(removed, None)
        elif not name or not state.query:
            fault = _("Filter the list first, and give the filter a name.")
        elif name not in kept.filters and len(kept.filters) >= _FILTERS_KEPT:
            fault = _("There are %d named filters already; remove one first.") % _FILTERS_KEPT
        else:
            kept.filters[name] = state.query
    if not is_fragment(request):
        return redirect(state.address())
    context = {"state": state, "named_filters": name_filters(request), "filter_fault": fault}
    status = 422 if fault else 200
    return render(request, "toolbuilder/listing/_named_filters.html", context, status=status)


def name_filters(request: HttpRequest) -> list[tuple[str, str]]:
    """The person's filters of the list of tools by name, each with its query."""
    return sorted(read_preferences(user_of(request)).filters.items())
