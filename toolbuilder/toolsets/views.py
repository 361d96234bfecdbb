"""Toolsets: listed, named, composed and measured; and what a key sees."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from access.connecting import mcp_url
from access.list_addresses import read_filters, read_page
from access.models import ApiKey, Toolset
from access.tool_names import OfferedTool, filter_tools, offered_tools
from access.toolsets.models import read_toolsets
from access.views.events import trigger_event
from access.views.gates import (
    ADD_TOOLSETS,
    CHANGE_KEYS,
    CHANGE_TOOLSETS,
    DELETE_TOOLSETS,
    SEE_KEYS,
    SEE_TOOLSETS,
    for_staff_with,
    is_fragment,
    user_of,
)
from core.grants import ToolsetSpec
from toolbuilder.toolsets.composing import ToolsetForm, choose_tools, delete_toolset
from toolbuilder.toolsets.costs import BAR_WIDTH, count_tokens, read_cost, read_costs
from toolbuilder.toolsets.offering import KIND_LABELS, read_served_tools
from toolbuilder.toolsets.quality import measure_toolset
from toolbuilder.toolsets.sees import explain_key, find_refusals
from toolbuilder.visibility import hidden_tool_names
from tools.finding.index import FindableTool
from tools.models import ToolType

PAGE_SIZE = 50
TOOLS_A_PAGE = 100
KEYS_SHOWN = 20
QUERY_CHARACTERS = 200
TAGS_OFFERED = 200
_CHOICES = {
    "": gettext_lazy("All"),
    "chosen": gettext_lazy("In the toolset"),
    "others": gettext_lazy("Not in it"),
    "missing": gettext_lazy("Not served"),
}
_VERDICTS = {
    "": gettext_lazy("All"),
    "sees": gettext_lazy("Sees"),
    "not": gettext_lazy("Does not see"),
}


@dataclass(frozen=True, slots=True)
class ToolsetLine:
    """A tool beside a toolset: in it by its name, or by the tag; `served` None is not served."""

    tool: OfferedTool
    is_named: bool
    tag: str = ""
    served: FindableTool | None = None

    @property
    def tokens(self) -> int | None:
        """What it costs where it is listed; None for a tool that is not served."""
        return None if self.served is None else count_tokens(self.served)

    @property
    def is_in(self) -> bool:
        """Whether it is in the toolset."""
        return self.is_named or bool(self.tag)

    @property
    def is_defined(self) -> bool:
        """Whether the tool has a page here."""
        return self.tool.kind in ToolType.values

    @property
    def kind_label(self) -> str:
        """What people call its kind."""
        return str(KIND_LABELS.get(self.tool.kind, ""))


@for_staff_with(SEE_TOOLSETS)
@require_GET
def toolset_list(request: HttpRequest) -> HttpResponse:
    """Toolsets with what each costs, 50 a page, found by name and title."""
    query = read_filters(request.GET, ["q"], QUERY_CHARACTERS)["q"]
    rows = Toolset.objects.all()
    for word in query.split()[:8]:
        named = rows.filter(name__icontains=word)
        rows = named | rows.filter(title__icontains=word) | rows.filter(description__icontains=word)
    page = Paginator(rows, PAGE_SIZE).get_page(read_page(request.GET))
    specs, listed = read_toolsets(), list(page.object_list)
    costs = read_costs(
        [specs[row.name] for row in listed if row.name in specs], read_served_tools()
    )
    held = ApiKey.objects.filter(revoked_at=None).values_list("toolsets", flat=True)
    names = [name for toolsets in held if isinstance(toolsets, list) for name in toolsets]
    lines = [(row, costs[row.name], names.count(row.name)) for row in listed if row.name in costs]
    context = {"query": query, "page": page, "lines": lines, "base_url": mcp_url(request)}
    return render(request, "toolbuilder/toolsets/list.html", context | _rights(request))


@for_staff_with(SEE_TOOLSETS, ADD_TOOLSETS)
@require_http_methods(["GET", "POST"])
def toolset_new(request: HttpRequest) -> HttpResponse:
    """The form of a new toolset; kept, its page."""
    return _edit(request, None)


@for_staff_with(SEE_TOOLSETS, CHANGE_TOOLSETS)
@require_http_methods(["GET", "POST"])
def toolset_edit(request: HttpRequest, name: str) -> HttpResponse:
    """The form of a toolset's names; changed, its page."""
    return _edit(request, get_object_or_404(Toolset, name=name))


@for_staff_with(SEE_TOOLSETS, DELETE_TOOLSETS)
@require_http_methods(["GET", "POST"])
def toolset_delete(request: HttpRequest, name: str) -> HttpResponse:
    """The question before a toolset goes, with the keys that lose it; answered, the list."""
    toolset = get_object_or_404(Toolset, name=name)
    if request.method == "POST":
        delete_toolset(toolset)
        messages.success(request, _("The toolset %(name)s was deleted.") % {"name": name})
        return redirect("toolsets")
    key_count = ApiKey.objects.filter(toolsets__contains=[name], revoked_at=None).count()
    context = {"toolset": toolset, "key_count": key_count}
    return render(request, "toolbuilder/toolsets/delete.html", context)


@for_staff_with(SEE_TOOLSETS)
@require_GET
def toolset_page(request: HttpRequest, name: str) -> HttpResponse:
    """The tools that are in the toolset or could be, its endpoint, what its list costs, and who has it."""
    toolset = get_object_or_404(Toolset, name=name)
    given = read_filters(request.GET, ["q", "show"], QUERY_CHARACTERS)
    show = given["show"] if given["show"] in _CHOICES else ""
    context = _describe(request, toolset)
    lines: list[ToolsetLine] = context["lines"]
    found = {tool.name for tool in filter_tools([line.tool for line in lines], given["q"])}
    shown = [line for line in lines if line.tool.name in found and _is_shown(line, show)]
    page = Paginator(shown, TOOLS_A_PAGE).get_page(read_page(request.GET))
    context |= {"query": given["q"], "show": show, "page": page}
    context["more"] = f"&show={show}" if show else ""
    if user_of(request).has_perm(SEE_KEYS):
        keys = ApiKey.objects.filter(toolsets__contains=[name], revoked_at=None)
        context["keys"] = keys.select_related("owner")[:KEYS_SHOWN]
    tags = sorted({tag for line in lines for tag in line.tool.tags} | set(context["spec"].tags))
    context["tags"] = tags[:TAGS_OFFERED]
    return render(request, "toolbuilder/toolsets/toolset.html", context)


@for_staff_with(SEE_TOOLSETS, CHANGE_TOOLSETS)
@require_POST
def toolset_tools(request: HttpRequest, name: str) -> HttpResponse:
    """The ticked ones of the `offered` tools in the toolset, the others out of it, and a toast that takes it back."""
    toolset = get_object_or_404(Toolset, name=name)
    lines = {line.tool.name for line in _describe(request, toolset)["lines"]}
    offered = lines.intersection(request.POST.getlist("offered")[:TOOLS_A_PAGE])
    changed = choose_tools(toolset, offered, request.POST.getlist("tool"))
    if not is_fragment(request):
        messages.success(request, _("The toolset was saved."))
        return redirect("toolset", name)
    context = _describe(request, toolset)
    shown = [line for line in context["lines"] if line.tool.name in changed]
    undo = [line.tool.name for line in shown if not line.is_named]
    count = len(changed)
    if len(undo) == count:
        text = ngettext("%d tool was taken out.", "%d tools were taken out.", count) % count
    else:
        text = ngettext("%d tool was put in.", "%d tools were put in.", count) % count
    context |= {"shown": shown, "changed": changed, "undo": undo, "text": text}
    response = render(request, "toolbuilder/toolsets/_changed.html", context)
    return trigger_event(response, "toolset-changed")


@for_staff_with(SEE_TOOLSETS, CHANGE_TOOLSETS)
@require_POST
def toolset_tags(request: HttpRequest, name: str) -> HttpResponse:
    """The toolset with all tools of these tags, new ones too."""
    toolset = get_object_or_404(Toolset, name=name)
    words = [word.strip() for word in request.POST.get("new", "").split(",")]
    tags = [*request.POST.getlist("tag"), *words]
    toolset.tags = [tag for tag in dict.fromkeys(tags) if tag and "\0" not in tag][:TAGS_OFFERED]
    toolset.save(update_fields=["tags"])
    messages.success(request, _("The toolset was saved."))
    return redirect("toolset", name)


@for_staff_with(SEE_TOOLSETS)
@require_GET
@vary_on_headers("HX-Request")
def toolset_quality(request: HttpRequest, name: str) -> HttpResponse:
    """How well the toolset's tools are found among each other; for htmx in a few figures."""
    toolset = get_object_or_404(Toolset, name=name)
    cost = _describe(request, toolset)["cost"]
    quality = measure_toolset(cost.members, user_of(request))
    context = {"toolset": toolset, "quality": quality}
    part = "_quality" if is_fragment(request) else "quality"
    return render(request, f"toolbuilder/toolsets/{part}.html", context)


@for_staff_with(SEE_KEYS)
@require_GET
def key_sees(request: HttpRequest, key_pk: int) -> HttpResponse:
    """Every tool with whether the key sees it at an endpoint, and why."""
    key = get_object_or_404(ApiKey.objects.select_related("owner"), pk=key_pk)
    given = read_filters(request.GET, ["q", "at", "show"], QUERY_CHARACTERS)
    endpoints = list(Toolset.objects.values_list("name", flat=True))
    at = given["at"] if given["at"] in endpoints else ""
    show = given["show"] if given["show"] in _VERDICTS else ""
    lines = explain_key(key, at, user_of(request))
    seen_count = sum(line.is_seen for line in lines)
    counts = {"": len(lines), "sees": seen_count, "not": len(lines) - seen_count}
    words = given["q"].casefold().split()
    shown = [
        line
        for line in lines
        if all(word in line.name.casefold() for word in words)
        and (not show or line.is_seen is (show == "sees"))
    ]
    page = Paginator(shown, TOOLS_A_PAGE).get_page(read_page(request.GET))
    refusals = find_refusals(key, [line.name for line in page if line.is_seen])
    context = {
        "key": key,
        "query": given["q"],
        "at": at,
        "show": show,
        "endpoints": endpoints,
        "chips": [(choice, label, counts[choice]) for choice, label in _VERDICTS.items()],
        "more": f"&show={show}&at={at}",
        "page": page,
        "lines": [(line, refusals.get(line.name)) for line in page],
        "may_change": user_of(request).has_perm(CHANGE_KEYS),
        "base_url": mcp_url(request),
    }
    return render(request, "toolbuilder/toolsets/sees.html", context)


def _edit(request: HttpRequest, toolset: Toolset | None) -> HttpResponse:
    form = ToolsetForm(request.POST if request.method == "POST" else None, instance=toolset)
    if form.is_bound and form.is_valid():
        kept = form.keep()
        messages.success(request, _("The toolset was saved."))
        return redirect("toolset", kept.name)
    former = form.initial.get("name") if toolset else None
    context = {"form": form, "former": former, "base_url": mcp_url(request)}
    status = 422 if form.is_bound else 200
    return render(request, "toolbuilder/toolsets/form.html", context, status=status)


def _describe(request: HttpRequest, toolset: Toolset) -> dict[str, Any]:
    """What every part of a toolset's page shows; tools that the person may not see are a number."""
    user, served = user_of(request), read_served_tools()
    spec = read_toolsets().get(toolset.name, ToolsetSpec(toolset.name))
    offered = offered_tools(user)
    hidden = hidden_tool_names(user)
    gone = spec.tools - offered.keys() - hidden
    tools = [*offered.values(), *(OfferedTool(name=name, is_served=False) for name in gone)]
    lines = [
        ToolsetLine(
            tool,
            tool.name in spec.tools,
            next((tag for tag in tool.tags if tag in spec.tags), ""),
            served.get(tool.name),
        )
        for tool in sorted(tools, key=lambda tool: tool.name)
    ]
    cost = read_cost(spec, served)
    counts = {choice: sum(_is_shown(line, choice) for line in lines) for choice in _CHOICES}
    return {
        "toolset": toolset,
        "spec": spec,
        "lines": lines,
        "chips": [(choice, label, counts[choice]) for choice, label in _CHOICES.items()],
        "cost": cost,
        "hidden_count": len(hidden & (cost.members | spec.tools)),
        "endpoint": f"{mcp_url(request)}/{toolset.name}",
        "bar_width": BAR_WIDTH,
        "query": "",
        **_rights(request),
    }


def _is_shown(line: ToolsetLine, show: str) -> bool:
    match show:
        case "chosen":
            return line.is_in
        case "others":
            return not line.is_in
        case "missing":
            return line.is_in and not line.tool.is_served
    return True


def _rights(request: HttpRequest) -> dict[str, bool]:
    user = user_of(request)
    return {
        "may_add": user.has_perm(ADD_TOOLSETS),
        "may_change": user.has_perm(CHANGE_TOOLSETS),
        "may_delete": user.has_perm(DELETE_TOOLSETS),
    }
