"""The beginning of a new tool: empty, from an example, from a table or from a query that is there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import HttpResponseClientRedirect

from access.reader_language import in_language
from access.views.gates import for_staff_with, is_fragment, user_of
from catalog.gates import named_sources_open_to, tables_open_to
from catalog.models import CatalogTable, DataSource
from catalog.sources.gates import rights_on_sources
from catalog.sources.services import find_allowable_host
from catalog.sources.settings import read_sources
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from core.errors import DefinitionError, StatementError, ToolboxError
from core.ingest.curl import MAX_COMMAND_CHARACTERS, read_curl
from core.messages import message
from core.toolspec import Dialect, JsonValue, SqlLogic
from gateways.http.kind import HTTP
from toolbuilder.beginning.from_curl import make_tool, take_service
from toolbuilder.beginning.from_sql import PastedTool, read_pasted
from toolbuilder.beginning.starters import (
    EMPTY_HTTP,
    EMPTY_PYTHON,
    EMPTY_SQL,
    STARTERS,
    Starter,
    find_starter,
    has_demo_tables,
    make_empty,
)
from toolbuilder.beginning.table_starter import make_table_tool
from toolbuilder.editing.code_view import color_logic
from toolbuilder.editing.drafts import (
    DraftDocument,
    PageState,
    choose_free_name,
    open_draft,
    save_draft,
)
from toolbuilder.editing.explorer import SourceTables
from toolbuilder.gates import ADD_TOOLS, SEE_TOOLS
from toolbuilder.models import ToolDraft
from tools.definitions import ToolDocument
from tools.models import ToolType

TABLE = "table"
_NAME_CHARACTERS = 64
_WORDS_CHARACTERS = 200
_WISH_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class StarterCard:
    """A starter as its card shows it; `runs_here` says that its tables are there."""

    starter: Starter
    runs_here: bool

    @property
    def logic(self) -> str:
        """Its logic, coloured."""
        tool = self.starter.tool
        names = [parameter.param_name for parameter in tool.parameters]
        return color_logic(tool.definition, tool.tool_type, names)


@for_staff_with(SEE_TOOLS, ADD_TOOLS)
@require_http_methods(["GET", "POST"])
@vary_on_headers("HX-Request")
def new_tool(request: HttpRequest) -> HttpResponse:
    """The ways to begin a tool; a POST of one of them leads into the editor."""
    if request.method == "POST":
        try:
            draft = _begin(request)
        except DefinitionError as error:
            return _render_page(request, {"error": in_language(error)}, status=422)
        return redirect("draft", draft.uid)
    if is_fragment(request):
        return render(request, "toolbuilder/beginning/_tables.html", _table_context(request))
    return _render_page(request, {})


@for_staff_with(SEE_TOOLS, ADD_TOOLS)
@require_http_methods(["GET", "POST"])
def from_sql(request: HttpRequest) -> HttpResponse:
    """A pasted query with its proposed parameters; with `create` the draft that comes of it."""
    if request.method == "GET":
        return redirect(f"{reverse('tool-new')}#from-sql")
    # Browsers send CR LF; offsets count one character for a line's end.
    text = request.POST.get("sql", "").replace("\r\n", "\n")
    try:
        pasted = _read_pasted(request, text)
        # The name that a person typed, unless it is what was suggested before.
        typed = request.POST.get("name", "").strip()[:_NAME_CHARACTERS]
        name = pasted.name if typed in {"", request.POST.get("suggested", "")} else typed
        if "create" in request.POST:
            username = user_of(request).get_username()
            draft = create_draft(pasted.to_document(name), username, pasted.test_values)
            address = reverse("draft", args=[draft.uid])
            if is_fragment(request):
                return HttpResponseClientRedirect(address)
            return redirect(address)
    except DefinitionError as error:
        place = error.position if isinstance(error, StatementError) else None
        has_line = place is not None and "\n" in text.strip()
        line = text.count("\n", 0, place) + 1 if has_line else None
        refusal = {"sql_error": in_language(error), "error_line": line}
        return _render_pasted(request, refusal, status=422)
    names = [parameter.name for parameter in pasted.taken]
    context = {
        "pasted": pasted,
        "statement": color_logic(pasted.statement, ToolType.SQL, names),
        "tool_name": name,
        # A person who unticks a parameter stays where they are.
        "is_first": "shown" not in request.POST,
    }
    return _render_pasted(request, context)


@sensitive_post_parameters("curl")
@never_cache
@for_staff_with(SEE_TOOLS, ADD_TOOLS)
@require_http_methods(["GET", "POST"])
def from_curl(request: HttpRequest) -> HttpResponse:
    """The draft of an HTTP tool that sends what a pasted curl command sends.

    A refused command goes back into its field, and nowhere else: it may hold a secret.
    """
    if request.method == "GET":
        return redirect(f"{reverse('tool-new')}#from-curl")
    name = request.POST.get("service", "").strip()[:_NAME_CHARACTERS]
    command, origin = request.POST.get("curl", ""), ""
    try:
        request_of_command = read_curl(command)
        origin = request_of_command.origin
        with transaction.atomic():
            service, notes = take_service(
                request_of_command,
                name,
                user_of(request),
                allows_host="allow_host" in request.POST,
            )
            tool, values = make_tool(request_of_command, service)
            draft = create_draft(tool, user_of(request).get_username(), values)
    except ToolboxError as error:
        new = DataSource(engine=HTTP.name, server_url=origin)
        refusal = {
            "curl_error": in_language(error),
            "curl": command[: MAX_COMMAND_CHARACTERS + 1],
            "service_name": name,
            "allowable_host": find_allowable_host(new)
            if rights_on_sources(user_of(request)).may_add
            else "",
            "chosen": "from-curl",
        }
        return _render_page(request, refusal, status=422)
    for note in notes:
        messages.info(request, note)
    return redirect("draft", draft.uid)


def create_draft(
    tool: ToolDocument, username: str, test_values: Mapping[str, JsonValue] | None = None
) -> ToolDraft:
    """The draft of a new tool, with arguments for its first trial.

    Raises DefinitionError for what could not be stored.
    """
    with transaction.atomic():
        draft = open_draft(None, username, start=tool)
        if not test_values:
            return draft
        document = DraftDocument(tool=tool, test_values=dict(test_values)).to_document()
        page_state = PageState(username=username, revision=draft.revision)
        return save_draft(draft.uid, document, page_state)


def list_cards() -> list[StarterCard]:
    """Every starter, with whether it runs here; one query."""
    has_tables = has_demo_tables()
    return [StarterCard(starter, has_tables or not starter.tables) for starter in STARTERS]


def _begin(request: HttpRequest) -> ToolDraft:
    template, username = request.POST.get("template", ""), user_of(request).get_username()
    source, wish = _find_source(request), _read_wish(request)
    source_name = source.name if source else None
    if template == EMPTY_SQL:
        empty = make_empty(ToolType.SQL.value, source_name)
        return create_draft(empty.replace(description_agent=wish), username)
    if template == EMPTY_PYTHON:
        empty = make_empty(ToolType.PYTHON.value)
        return create_draft(empty.replace(description_agent=wish), username)
    if template == EMPTY_HTTP:
        services = [one for one in named_sources_open_to(user_of(request)) if one.is_service]
        name = services[0].name if len(services) == 1 else None
        empty = make_empty(ToolType.HTTP.value, name)
        return create_draft(empty.replace(description_agent=wish), username)
    if template == TABLE:
        return create_draft(make_table_tool(_find_table(request)), username)
    starter = find_starter(template)
    if starter is None:
        raise DefinitionError(
            message("start.no_template", "There is no such template; choose one of these.")
        )
    tool = starter.tool.replace(name=choose_free_name(starter.tool.name))
    return create_draft(tool, username, starter.test_values)


def _read_wish(request: HttpRequest) -> str:
    """What an agent searched for in vain, which the new tool is to be found by."""
    given = request.POST if request.method == "POST" else request.GET
    return given.get("wish", "").replace("\0", "")[:_WISH_CHARACTERS]


def _find_source(request: HttpRequest) -> DataSource | None:
    """The data source that the request names, None the default; one that the user may use."""
    given = request.POST if request.method == "POST" else request.GET
    name = given.get("source", "")
    if name in {"", DEFAULT_SOURCE_NAME}:
        return None
    sources = named_sources_open_to(user_of(request))
    found = next((source for source in sources if source.name == name), None)
    if found is None:
        raise DefinitionError(
            message("start.source_closed", "There is no such data source, or you may not use it.")
        )
    return found


def _find_table(request: HttpRequest) -> CatalogTable:
    given = request.POST.get("table", "")
    number = int(given) if given.isascii() and given.isdigit() and len(given) < 19 else 0
    tables = tables_open_to(user_of(request)).present().select_related("source")
    table = tables.filter(pk=number).first()
    if table is None:
        raise DefinitionError(
            message("start.unknown_table", "Choose a table that the catalogue knows.")
        )
    return table


def _read_pasted(request: HttpRequest, text: str) -> PastedTool:
    """Raises DefinitionError for what cannot be a tool."""
    source, sources = _find_source(request), read_sources()
    name = source.name if source else None
    logic = SqlLogic(text, name, sources.dialects.get(name, Dialect.POSTGRESQL))
    keep = set(request.POST.getlist("shown")) - set(request.POST.getlist("take"))
    return read_pasted(logic, sources, user_of(request).get_username(), keep)


def _render_pasted(
    request: HttpRequest, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """The form and its preview for htmx, or else the page that holds it."""
    if not is_fragment(request):
        return _render_page(request, context, status=status)
    whole = {**_form_context(request), **context}
    return render(request, "toolbuilder/beginning/_from_sql.html", whole, status=status)


def _render_page(request: HttpRequest, context: dict[str, Any], status: int = 200) -> HttpResponse:
    given = request.POST if request.method == "POST" else request.GET
    whole = {
        "chosen": given.get("template", ""),
        "wish": _read_wish(request),
        "cards": list_cards(),
        **_form_context(request),
        **_table_context(request),
        **context,
    }
    return render(request, "toolbuilder/beginning/new.html", whole, status=status)


def _form_context(request: HttpRequest) -> dict[str, Any]:
    given = request.POST if request.method == "POST" else request.GET
    open_sources = named_sources_open_to(user_of(request))
    names = [source.name for source in open_sources if not source.is_service]
    return {
        "sql": given.get("sql", ""),
        "source": given.get("source", "") or DEFAULT_SOURCE_NAME,
        "sources": [DEFAULT_SOURCE_NAME, *names],
    }


def _table_context(request: HttpRequest) -> dict[str, Any]:
    given = request.POST if request.method == "POST" else request.GET
    words = given.get("words", "").replace("\0", "")[:_WORDS_CHARACTERS]
    try:
        source = _find_source(request)
    except DefinitionError:
        source = None
    page = SourceTables(source).list_tables(words)
    return {"tables": page, "table": given.get("table", ""), "words": words}
