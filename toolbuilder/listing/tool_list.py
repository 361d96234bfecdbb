"""The list of tools: what its address asks for, and the rows that it shows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import reduce
from operator import itemgetter, or_
from typing import ClassVar, NamedTuple

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db import connection
from django.db.models import Count, DateTimeField, Exists, F, OuterRef, Q, QuerySet, Value
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from access.figures import (
    FAILED,
    OF_A_TOOL,
    CallFigures,
    read_slowest,
    read_tool_figures,
    start_of_today,
)
from access.list_addresses import ListState
from access.models import CallRecord
from access.reader_language import stored_text
from catalog.models import McpTool
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from toolbuilder.exchange.ownership import differing
from toolbuilder.listing.other_tools import OtherTool, find_other_tools, read_proxied_tools
from toolbuilder.listing.prices import count_listed
from toolbuilder.listing.uses import find_used_name, find_users
from toolbuilder.models import ToolDraft, ToolFile
from toolbuilder.toolsets.offering import KIND_LABELS
from toolbuilder.visibility import hidden_tool_names, visible_drafts, visible_tools
from tools.models import ToolDefinition, ToolDefinitionQuerySet, ToolParameter, ToolType, ToolUse

PAGE_SIZE = 50
_WORDS_READ = 8
_TEXTS = ("name", "title", "description_agent", "description_user", "definition", "tags")
_NEW_DRAFTS_SHOWN = 20
STATES = {
    "": _("All"),
    "active": _("Active"),
    "inactive": _("Inactive"),
    "broken": _("Broken"),
    "failing": _("Errors today"),
    "undescribed": _("Undescribed parameters"),
    "differing": _("Differs from its file"),
    "archived": _("Archived"),
}
SORTS = {
    "": _("By name"),
    "changed": _("Last changed"),
    "calls": _("Most calls today"),
    "errors": _("Most errors today"),
    "slow": _("Slowest today"),
}
_SORTED_BY = {
    "calls": Count("pk"),
    "errors": Count("pk", filter=FAILED),
}
# States that a tool of another kind cannot be in.
_OF_DEFINED_TOOLS = frozenset({"broken", "undescribed", "differing", "archived"})
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_TAGS = """
SELECT tag, count(*) FROM h_custom_tool, jsonb_array_elements_text(
    CASE jsonb_typeof(tags) WHEN 'array' THEN tags ELSE '[]' END) AS tag
WHERE name <> ALL (%s)
GROUP BY tag ORDER BY count(*) DESC, tag LIMIT 200
"""


@dataclass(frozen=True, kw_only=True)
class ToolListState(ListState):
    """What the address of the list says; empty means any."""

    url_name = "tools"
    query_characters = 500
    choices = {"state": STATES, "kind": KIND_LABELS, "sort": SORTS}

    state: str = ""
    kind: str = ""
    source: str = ""
    tag: str = ""
    # Ids of a table and, behind a dot, of one of its columns.
    uses: str = ""
    sort: str = ""


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool in the list with today's figures; `reason` says why it is out of service.

    `draft_owner` is None unless a draft differs from what is served, `tokens` None where it cannot be served.
    """

    tool: ToolDefinition
    figures: CallFigures
    reason: str = ""
    draft_owner: str | None = None
    tokens: int | None = None

    is_defined: ClassVar[bool] = True

    @property
    def key(self) -> str:
        """What ids of elements and values of fields call the tool."""
        return str(self.tool.pk)

    @property
    def kind(self) -> Promise | str:
        """What people call the tool's kind."""
        return KIND_LABELS.get(self.tool.tool_type, self.tool.tool_type)

    @property
    def tags(self) -> list[str]:
        """Of the tool, as far as they can be read."""
        tags = self.tool.tags
        return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []

    @property
    def differing_file(self) -> str:
        """The file that it was applied from, if what is served says something else; otherwise ''."""
        file: ToolFile | None = getattr(self.tool, "file", None)
        return file.path if file and file.content_hash != self.tool.content_hash else ""


@dataclass(frozen=True, slots=True)
class OtherRow:
    """A tool of another MCP server or a built-in one in the list, with today's figures."""

    tool: OtherTool
    figures: CallFigures
    tokens: int | None = None

    is_defined: ClassVar[bool] = False


class ListedTool(NamedTuple):
    """A tool of any kind that the list holds: `id` of a defined one, `other` of another.

    A tuple, of which ten thousand are made in a few milliseconds.
    """

    name: str
    kind: str
    changed_at: datetime | None = None
    id: int = 0
    other: OtherTool | None = None


@dataclass(frozen=True, slots=True)
class ToolListing:
    """One page of the list; `kinds` has how many of each kind the other filters let through."""

    rows: list[ToolRow | OtherRow]
    page: Page[ListedTool]
    kinds: Counter[str]

    @property
    def has_own(self) -> bool:
        """Whether a tool that people made here is among them."""
        return any(self.kinds[kind] for kind in ToolType.values)

    @property
    def kind_counts(self) -> list[tuple[str, str, int]]:
        """Each kind that the list may be narrowed to, '' for all: what people call it, and how many."""
        counts = [(kind, str(label), self.kinds[kind]) for kind, label in KIND_LABELS.items()]
        return [("", str(_("All kinds")), self.kinds.total()), *counts]


def read_tool_list(state: ToolListState, user: User) -> ToolListing:
    """The page of tools that the state asks for; the same number of queries for any number of tools."""
    found = find_listed(replace(state, kind=""), user)
    kinds = Counter(tool.kind for tool in found)
    if state.kind:
        found = [tool for tool in found if tool.kind == state.kind]
    page = Paginator(_sort(found, state.sort), PAGE_SIZE).get_page(state.page)
    return ToolListing(_read_page(list(page.object_list)), page, kinds)


def find_listed(state: ToolListState, user: User) -> list[ListedTool]:
    """The tools of every kind that the user sees and the filters let through, by no order."""
    changed = F("updated_at") if state.sort == "changed" else Value(None, DateTimeField())
    own = filter_tools(state, user).values_list("name", "tool_type", changed, "pk")
    found = [ListedTool(*row) for row in own]
    if state.source or state.uses or state.state in _OF_DEFINED_TOOLS:
        return found
    others = find_other_tools(user, state.q.lower().split()[:_WORDS_READ])
    if state.state == "failing":
        failed = set(_failing_today())
        others = [tool for tool in others if tool.name in failed]
    elif state.state:
        others = [tool for tool in others if tool.is_active is (state.state == "active")]
    return found + [
        ListedTool(tool.name, tool.kind, tool.accepted_at, other=tool)
        for tool in others
        if (not state.tag or state.tag in tool.tags) and state.kind in ("", tool.kind)
    ]


def filter_tools(state: ToolListState, user: User) -> ToolDefinitionQuerySet:
    """The tools that the user sees and the filters let through, by no order; archived ones if the state says so."""
    tools = visible_tools(user).order_by()
    tools = tools.archived() if state.state == "archived" else tools.present()
    for word in state.q.split()[:_WORDS_READ]:
        holds = reduce(or_, (Q((f"{name}__icontains", word)) for name in _TEXTS))
        named = Q(table__name__icontains=word) | Q(table__display_name__icontains=word)
        tools = tools.filter(holds | Q(pk__in=ToolUse.objects.filter(named).values("tool")))
    if state.uses:
        tools = tools.filter(find_users(find_used_name(state.uses, user)).tools)
    if state.kind:
        tools = tools.filter(tool_type=state.kind)
    if state.source == DEFAULT_SOURCE_NAME:
        tools = tools.filter(data_source=None, tool_type=ToolType.SQL)
    elif state.source:
        tools = tools.filter(data_source__name=state.source)
    if state.tag:
        tools = tools.filter(tags__contains=[state.tag])
    return _filter_state(tools, state.state)


def read_rows(ids: Sequence[int], tokens: Mapping[str, int] | None = None) -> list[ToolRow]:
    """The rows of these tools, in this order, with their `tokens` by name; three queries."""
    related = ("data_source", "quarantine", "file")
    tools = ToolDefinition.objects.select_related(*related).defer("definition").in_bulk(ids)
    names = [tool.name for tool in tools.values()]
    figures = read_tool_figures(start_of_today(), names)
    drafts = ToolDraft.objects.changed().filter(tool__in=tools).order_by()
    owners = dict(drafts.values_list("tool_id", "owner"))
    rows = []
    for tool in (tools[id_] for id_ in ids if id_ in tools):
        quarantine = getattr(tool, "quarantine", None)
        reason = stored_text(quarantine, "reason") if quarantine and tool.is_active else ""
        tool_figures = figures.get(tool.name, CallFigures())
        price = (tokens or {}).get(tool.name)
        rows.append(ToolRow(tool, tool_figures, reason, owners.get(tool.pk), price))
    return rows


def read_new_drafts(user: User, uses: str = "") -> list[ToolDraft]:
    """Drafts of tools that were never published, last edited first, at most 20; with `uses` those of that use."""
    drafts = visible_drafts(user).filter(tool=None).defer("document")
    if uses:
        drafts = drafts.filter(pk__in=find_users(find_used_name(uses, user)).draft_ids)
    return list(drafts.order_by("-updated_at", "-pk")[:_NEW_DRAFTS_SHOWN])


def read_tool_tags(user: User) -> list[tuple[str, int]]:
    """The tags of the tools that the user sees, most used first, with their counts."""
    with connection.cursor() as cursor:
        cursor.execute(_TAGS, [sorted(hidden_tool_names(user))])
        return list(cursor)


def undescribed_parameters() -> Q:
    """Tools with a parameter that agents must fill in and that nothing describes."""
    bare = ToolParameter.objects.filter(tool=OuterRef("pk"), binding="AGENT", description="")
    return Q(Exists(bare))


def _filter_state(tools: ToolDefinitionQuerySet, state: str) -> ToolDefinitionQuerySet:
    match state:
        case "active":
            tools = tools.active()
        case "inactive":
            tools = tools.filter(is_active=False)
        case "broken":
            tools = tools.active().exclude(quarantine=None)
        case "undescribed":
            tools = tools.active().filter(undescribed_parameters())
        case "differing":
            tools = tools.filter(differing())
        case "failing":
            tools = tools.filter(name__in=_failing_today())
    return tools


def _failing_today() -> "QuerySet[CallRecord, str]":
    failed = CallRecord.objects.filter(FAILED, at__gte=start_of_today()).order_by()
    return failed.values_list("tool_name", flat=True).distinct()


def _sort(tools: list[ListedTool], sort: str) -> list[ListedTool]:
    """In the order asked for, tools of the same figure by name; calls of today are read once, not once for each tool."""
    # Sorts keep the order of equals, and compare plain texts fastest.
    named = sorted(sorted(tools, key=itemgetter(0)), key=lambda tool: tool.name.lower())
    if sort == "changed":
        return sorted(named, key=lambda tool: tool.changed_at or _LONG_AGO, reverse=True)
    if sort == "slow":
        slowest = read_slowest(start_of_today())
        return sorted(named, key=lambda tool: -slowest.get(tool.name, 0))
    if sort not in _SORTED_BY:
        return named
    calls = CallRecord.objects.filter(OF_A_TOOL, at__gte=start_of_today()).order_by()
    by_name = calls.values("tool_name").annotate(figure=_SORTED_BY[sort])
    figures = dict(by_name.values_list("tool_name", "figure"))
    return sorted(named, key=lambda tool: -figures.get(tool.name, 0))


def _read_page(listed: Sequence[ListedTool]) -> list[ToolRow | OtherRow]:
    own_ids = [tool.id for tool in listed if tool.id]
    tokens = count_listed(own_ids, [tool.other for tool in listed if tool.other])
    own = {row.tool.pk: row for row in read_rows(own_ids, tokens)}
    others = [tool.other for tool in listed if tool.other]
    figures = read_tool_figures(start_of_today(), [tool.name for tool in others]) if others else {}
    ids = [tool.id for tool in others if tool.id]
    whole = read_proxied_tools(McpTool.objects.filter(pk__in=ids)) if ids else ()
    texts = {tool.id: tool for tool in whole}
    rows: list[ToolRow | OtherRow] = []
    for tool in listed:
        if tool.other:
            shown = texts.get(tool.other.id, tool.other)
            figure = figures.get(tool.name, CallFigures())
            rows.append(OtherRow(shown, figure, tokens.get(tool.name)))
        elif tool.id in own:
            rows.append(own[tool.id])
    return rows
