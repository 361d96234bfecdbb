"""What the command palette finds: actions, tools, drafts, tables, data sources and help, by the words of their names."""

from dataclasses import dataclass
from operator import itemgetter
from typing import Protocol

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Case, IntegerField, Q, Value, When
from django.db.models.functions import Lower
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import get_language, get_language_info, gettext_lazy, override
from django.utils.translation import gettext as _

from access.views.gates import ADD_KEYS, ADD_TOOLSETS, SEE_TOOLSETS, user_of
from catalog.browsing.addresses import address_of, source_name_of
from catalog.gates import SCAN, tables_open_to
from catalog.models import CatalogTable
from catalog.searching.search import search_tables
from catalog.sources.gates import may_see_sources, visible_sources
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.catalogue.search_words import find_words, fold_text
from toolbuilder.beginning.starters import EMPTY_PYTHON, EMPTY_SQL
from toolbuilder.gates import ADD_TOOLS, SEE_TOOLS
from toolbuilder.help.search import search_help
from toolbuilder.listing.other_tools import OtherTool, find_other_tools
from toolbuilder.listing.tool_list import ToolListState, filter_tools
from toolbuilder.models import ToolDraft
from toolbuilder.visibility import visible_drafts, visible_tools
from tools.models import ToolDefinition

FOUND_OF_A_KIND = 8
HELP_OF_A_QUERY = 5
RECENT = 6
# A word that no table holds is looked for in other spellings, with a few queries each.
_TABLE_WORDS = 4
_ADD_SOURCES = "catalog.add_datasource"
_THEMES = {
    "dark": (gettext_lazy("Switch to dark"), "moon"),
    "light": (gettext_lazy("Switch to light"), "sun"),
    "auto": (gettext_lazy("Colours as the system has them"), "sun-moon"),
}


class Labelled(Protocol):
    """A thing with a name that people read."""

    @property
    def label(self) -> str | Promise: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PaletteItem:
    """A line of the palette: leads to `address`, or sends `value` as a form's field `name`."""

    label: str | Promise
    icon: str
    address: str = ""
    hint: str | Promise = ""
    name: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class PaletteGroup:
    """Lines of one kind under a heading."""

    heading: str
    items: list[PaletteItem]


@dataclass(frozen=True, slots=True)
class Action:
    """What can be begun from anywhere, by those who have the rights."""

    label: Promise
    icon: str
    url_name: str
    rights: tuple[str, ...] = ()
    # Follows the address: a query or a fragment.
    ending: str = ""

    def to_item(self) -> PaletteItem:
        """Its line."""
        return PaletteItem(
            label=self.label, icon=self.icon, address=reverse(self.url_name) + self.ending
        )


_MAKES_TOOLS = (SEE_TOOLS, ADD_TOOLS)
ACTIONS = (
    Action(gettext_lazy("New tool"), "plus", "tool-new", _MAKES_TOOLS),
    Action(gettext_lazy("New SQL tool"), "database", "tool-new", _MAKES_TOOLS, f"?template={EMPTY_SQL}"),
    Action(gettext_lazy("New Python tool"), "braces", "tool-new", _MAKES_TOOLS, f"?template={EMPTY_PYTHON}"),
    Action(gettext_lazy("New key"), "key-round", "key-new", (ADD_KEYS,)),
    Action(gettext_lazy("New toolset"), "layers", "toolset-new", (SEE_TOOLSETS, ADD_TOOLSETS)),
    Action(gettext_lazy("New data source"), "plus", "source-add", (_ADD_SOURCES,)),
    Action(gettext_lazy("Scan the catalogue"), "scan-search", "catalogue-scans", (SCAN,)),
    Action(gettext_lazy("Connect an agent"), "bot", "connect"),
    Action(gettext_lazy("Ask in the playground"), "message-square", "playground", (SEE_TOOLS,)),
    Action(gettext_lazy("Change the password"), "lock", "settings", ending="#password"),
)  # fmt: skip


def find_groups(request: HttpRequest, query: str) -> list[PaletteGroup]:
    """What the user may see of what the query asks for; without one, all actions and the last tools."""
    user = user_of(request)
    offered = [action.to_item() for action in ACTIONS if user.has_perms(action.rights)]
    for value, (label, icon) in _THEMES.items():
        if value != request.COOKIES.get("theme", "auto"):
            offered.append(PaletteItem(label=label, icon=icon, name="theme", value=value))
    for code, hint in settings.LANGUAGES:
        if code != get_language():
            text = _("Language: %(name)s") % {"name": get_language_info(code)["name_local"]}
            offered.append(
                PaletteItem(label=text, icon="languages", hint=hint, name="language", value=code)
            )
    found = [item for item in offered if holds_words(query, item.label, item.hint)]
    actions = PaletteGroup(_("Actions"), found)
    if find_words(query):
        groups = [
            actions,
            PaletteGroup(_("Tools"), find_tools(user, query)),
            PaletteGroup(_("Tables"), find_tables(user, query)),
            PaletteGroup(_("Data sources"), find_sources(request, query)),
            PaletteGroup(_("Help"), find_help(query)),
        ]
    else:
        groups = [PaletteGroup(_("Your last tools"), read_recent_tools(user)), actions]
    return [group for group in groups if group.items]


def holds_words(query: str, *texts: str | Promise) -> bool:
    """Whether the texts, as they are shown or in English, hold every word of the query."""
    with override("en"):
        english = " ".join(map(str, texts))
    text = fold_text(" ".join((english, *map(str, texts))))
    return all(word in text for word in find_words(query))


def find_tools(user: User, query: str) -> list[PaletteItem]:
    """Tools whose texts hold the words, those of that name first, the user's new drafts, and then tools of other kinds."""
    if not user.has_perm(SEE_TOOLS):
        return []
    holds = Q(name__icontains=query) | Q(title__icontains=query)
    place = Case(
        When(name__iexact=query, then=Value(0)),
        When(name__istartswith=query, then=Value(1)),
        When(holds, then=Value(2)),
        default=Value(3),
        output_field=IntegerField(),
    )
    tools = filter_tools(ToolListState(q=query), user).annotate(place=place)
    rows = tools.order_by("place", Lower("name"), "name").only("name", "title", "description_user")
    drafts = visible_drafts(user).filter(_named(query), tool=None, owner=user.get_username())
    found = [
        *map(_draft_item, drafts.defer("document")[:2]),
        *map(_tool_item, rows[:FOUND_OF_A_KIND]),
    ]
    if len(found) < FOUND_OF_A_KIND:
        others = find_other_tools(user, query.lower().split())
        found += map(_other_item, sorted(others, key=lambda tool: tool.name))
    return found[:FOUND_OF_A_KIND]


def find_tables(user: User, query: str) -> list[PaletteItem]:
    """Tables and views of data sources that the user may use, best first."""
    words = " ".join(find_words(query)[:_TABLE_WORDS])
    hits = search_tables(
        words, tables_open_to(user).present().order_by(), limit=FOUND_OF_A_KIND
    ).hits
    rows = CatalogTable.objects.select_related("source")
    shown = rows.only("schema", "name", "display_name", "source__name")
    by_id = shown.in_bulk([hit.table_id for hit in hits])
    found = []
    for table in (by_id[hit.table_id] for hit in hits if hit.table_id in by_id):
        hint = " · ".join(filter(None, (table.display_name, source_name_of(table))))
        address = address_of(table)
        found.append(PaletteItem(label=str(table), icon="table-2", address=address, hint=hint))
    return found


def find_sources(request: HttpRequest, query: str) -> list[PaletteItem]:
    """Data sources that the user may see, the default one too."""
    if not may_see_sources(request):
        return []
    names = visible_sources(user_of(request)).filter(_named(query)).order_by("name")
    found = [*names.values_list("name", flat=True)[:FOUND_OF_A_KIND]]
    if holds_words(query, DEFAULT_SOURCE_NAME):
        found.insert(0, DEFAULT_SOURCE_NAME)
    return [
        PaletteItem(label=name, icon="database", address=reverse("source", args=[name]))
        for name in found[:FOUND_OF_A_KIND]
    ]


def find_help(query: str) -> list[PaletteItem]:
    """Sections of the documentation, best first."""
    return [
        PaletteItem(
            label=hit.section.title,
            icon="book-open",
            address=hit.section.address,
            hint=hit.page_title if hit.section.anchor else "",
        )
        for hit in search_help(query, HELP_OF_A_QUERY)
    ]


def read_recent_tools(user: User) -> list[PaletteItem]:
    """What the user edited last: own drafts and tools that they changed, newest first."""
    if not user.has_perm(SEE_TOOLS):
        return []
    username = user.get_username()
    drafts = visible_drafts(user).filter(owner=username).select_related("tool").defer("document")
    tools = visible_tools(user).present().filter(updated_by=username, draft=None)
    texts = ("name", "title", "description_user", "updated_at")
    edited = [
        *(
            (draft.updated_at, _draft_item(draft))
            for draft in drafts.order_by("-updated_at")[:RECENT]
        ),
        *(
            (tool.updated_at, _tool_item(tool))
            for tool in tools.order_by("-updated_at").only(*texts)[:RECENT]
        ),
    ]
    return [item for _at, item in sorted(edited, key=itemgetter(0), reverse=True)[:RECENT]]


def _named(query: str) -> Q:
    found = Q()
    for word in find_words(query):
        found &= Q(name__icontains=word)
    return found


def _tool_item(tool: ToolDefinition) -> PaletteItem:
    address = reverse("tool", args=[tool.name])
    hint = tool.title or tool.description_user
    return PaletteItem(label=tool.name, icon="wrench", address=address, hint=hint)


def _other_item(tool: OtherTool) -> PaletteItem:
    hint = tool.title or (tool.server and f"{tool.server} · {_('MCP server')}") or _("Built in")
    return PaletteItem(
        label=tool.name, icon="wrench", address=reverse("tool", args=[tool.name]), hint=hint
    )


def _draft_item(draft: ToolDraft) -> PaletteItem:
    if draft.tool is None:
        address = reverse("draft", args=[draft.uid])
        return PaletteItem(
            label=draft.name or _("Unnamed tool"),
            icon="square-pen",
            address=address,
            hint=_("New draft"),
        )
    address = reverse("tool", args=[draft.tool.name])
    return PaletteItem(label=draft.tool.name, icon="square-pen", address=address, hint=_("Draft"))
