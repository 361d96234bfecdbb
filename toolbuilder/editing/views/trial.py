"""Test runs: in the editor and in the drawer of the list, their plan, their CSV and their end."""

import re
from dataclasses import replace

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from access.reader_language import in_language
from access.views.events import trigger_event
from access.views.gates import for_staff_with, is_fragment, user_of
from catalog.models import DataSource
from catalog.sources.gates import rights_on_sources, visible_sources
from catalog.sources.services import find_allowable_host
from catalog.sources.settings import read_sources
from core.analysis import Analysis
from core.diagnostics import Diagnostic
from core.errors import DefinitionError, ToolboxError
from core.formatting import format_csv
from core.spreadsheet import write_spreadsheet
from core.toolspec import HttpLogic, SqlLogic, ToolSpec
from toolbuilder.cases.shown import show_cases
from toolbuilder.editing.drafts import DraftDocument, Work, find_work
from toolbuilder.editing.examining import Examined, examine
from toolbuilder.editing.explanations import offer_types
from toolbuilder.editing.form import read_form
from toolbuilder.editing.http_exchanges import find_rows
from toolbuilder.editing.http_form import read_fields
from toolbuilder.editing.http_page import secret_place, show_exchanges
from toolbuilder.editing.page import WorkbenchPage, build_examined_page
from toolbuilder.editing.result import ShownPlan, ShownTrial, is_query, show_plan, show_trial
from toolbuilder.editing.running import (
    arguments_of,
    caller_choices,
    facts_of,
    find_obstacle,
    runnable,
)
from toolbuilder.editing.trial import Trial, TrialCaller, explain_plan, run_trial, stop_trial
from toolbuilder.editing.trial_records import record_trial, with_last_values
from toolbuilder.editing.views.requests import (
    editor_action,
    page_context,
    page_token_of,
    read_posted,
    save_posted,
    sees_work,
)
from toolbuilder.editing.views.workbench import render_page
from toolbuilder.gates import CHANGE_TOOLS, SEE_TOOLS, may_change
from tools.costs import cost_limit_of

WRITE_CONFIRMED = "write"
_NOT_IN_FILE_NAMES = re.compile(r"[^\w.-]+")
# Of an error, in a header; the pane has all of it.
_TOLD_CHARACTERS = 200
# A spreadsheet takes a file without it for one in the encoding of its country.
_MARK = "\ufeff"
_SPREADSHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class TrialRequest:
    """A request to try a document: what was found of it, with which arguments and as whom it runs.

    `caller_context` is what the result pane needs to choose a key to call with.
    """

    def __init__(
        self, request: HttpRequest, work: Work, document: DraftDocument | DefinitionError
    ) -> None:
        user = user_of(request)
        self.request, self.work, self.sources = request, work, read_sources()
        self.username = user.get_username()
        if isinstance(document, DefinitionError):
            # A form that cannot be kept is shown as a fault of what is there.
            fault = Diagnostic(message=document.message, code="definition")
            text = work.document.tool.definition
            analysis = Analysis(text=text, diagnostics=(fault,))
            self.examined = Examined(
                document=work.document, spec=None, analysis=analysis, faults={}
            )
        else:
            tool_id = work.tool.pk if work.tool else 0
            self.examined = examine(document, self.sources, self.username, tool_id=tool_id)
        self.spec = self.examined.spec
        choices = caller_choices(self.spec, self.sources, user)
        key_id = request.POST.get("call_as", "")
        key = next((key for key in choices["callers"] if key.key_id == key_id), None)
        self.caller_context = {**choices, "called_as": key.key_id if key else ""}
        self.caller = TrialCaller(
            username=self.username, facts=facts_of(key), token=page_token_of(request)
        )
        values = self.examined.document.test_values
        self.arguments = arguments_of(self.spec, values) if self.spec else {}

    def run(self, *, is_recorded: bool = False) -> tuple[ShownTrial, Trial | None]:
        """What is shown, and the run itself if nothing stopped it from beginning."""
        obstacle = find_obstacle(self.examined)
        if obstacle or self.spec is None:
            return self._with_allowable_host(obstacle or ShownTrial()), None
        spec = runnable(self.spec)
        if question := self._ask_before_writing(spec):
            return question, None
        trial = run_trial(spec, self.arguments, self.sources, self.caller)
        shown = show_trial(trial, spec.name, self.arguments, self.examined.analysis.columns)
        shown = replace(shown, offers=offer_types(spec, trial.error))
        if isinstance(spec.logic, HttpLogic):
            source = DataSource.objects.filter(name=spec.logic.data_source).first()
            refused = trial.error is not None and trial.error.code == "http.address_refused"
            shown = replace(
                shown,
                http=show_exchanges(trial.exchanges, secret_place(source)),
                setting="HTTP_ALLOWED_HOSTS" if refused else "",
            )
            shown = self._with_allowable_host(shown)
        if is_recorded:
            record_trial(self.work, self.username, self.arguments, trial)
        return shown, trial

    def _with_allowable_host(self, shown: ShownTrial) -> ShownTrial:
        """The failed trial with the host inside that this person may allow for the tool's service."""
        name = self.examined.document.tool.data_source
        rights = rights_on_sources(user_of(self.request))
        if not shown.error or not name or not rights.may_change:
            return shown
        source = visible_sources(user_of(self.request)).filter(name=name, engine="http").first()
        host = find_allowable_host(source) if source else ""
        return replace(shown, allowable_host=host, service=name)

    def _ask_before_writing(self, spec: ToolSpec) -> ShownTrial | None:
        """What is shown in place of a run that may change something, until a person says yes."""
        fields = read_fields(self.examined.document.tool.definition)
        is_asked = isinstance(spec.logic, HttpLogic) and fields.writes
        if not is_asked or self.request.POST.get("confirmed") == WRITE_CONFIRMED:
            return None
        text = _("%(method)s may change something at %(service)s. Send it?") % {
            "method": fields.method,
            "service": self.examined.document.tool.data_source or "",
        }
        return ShownTrial(error=text, confirms=WRITE_CONFIRMED)

    def explain(self) -> ShownPlan:
        """The database's plan, or why there is none."""
        obstacle = find_obstacle(self.examined)
        if self.spec and not isinstance(self.spec.logic, SqlLogic):
            return ShownPlan(is_python=True)
        if obstacle or self.spec is None:
            return ShownPlan(error=obstacle.error if obstacle else "")
        try:
            plan = explain_plan(runnable(self.spec), self.arguments, self.sources, self.caller)
        except ToolboxError as error:
            return ShownPlan(error=in_language(error))
        return show_plan(plan, cost_limit_of(self.spec, self.sources))

    def page(self) -> WorkbenchPage:
        """The page that shows it, saved or not."""
        return build_examined_page(self.work, self.examined, self.sources, self.username)


@editor_action
def test(request: HttpRequest, work: Work) -> HttpResponse:
    """Saves what is typed, runs it as a call is run, and shows what came of it."""
    tried = _read_tried(request, work)
    tried.work = save_posted(request, work, tried.examined.document)
    shown, _trial = tried.run(is_recorded=True)
    return _answer(tried, shown)


@editor_action
def cancel(request: HttpRequest, _work: Work) -> HttpResponse:
    """Stops the run of the page whose token is posted, on the database as well."""
    stop_trial(user_of(request).get_username(), page_token_of(request))
    return HttpResponse(status=204)


@editor_action
def plan(request: HttpRequest, work: Work) -> HttpResponse:
    """The database's plan of what is typed; nothing is saved or run."""
    tried = _read_tried(request, work)
    shown = tried.explain()
    if is_fragment(request):
        return _render_plan(request, shown)
    return render_page(request, tried.page(), plan=shown, **tried.caller_context)


@editor_action
def csv(request: HttpRequest, work: Work) -> HttpResponseBase:
    """Runs what is typed once more, and gives the whole answer as a file; nothing is saved."""
    tried = _read_tried(request, work)
    shown, trial = tried.run()
    return _download(tried, trial) if trial and not trial.error else _answer(tried, shown)


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def drawer(request: HttpRequest, name: str) -> HttpResponseBase:
    """What is served of a tool, with fields for its parameters, and what a run of it gave."""
    work = find_work(name)
    if work is None or work.served is None or not sees_work(user_of(request), work):
        raise Http404(_("There is no such tool."))
    if not may_change(user_of(request), work.tool):
        raise PermissionDenied(
            _("Ask an administrator for the right, or sign in as somebody else.")
        )
    # Never the draft; with the arguments of the user's last run.
    served = replace(work, draft=None, document=DraftDocument(tool=work.served))
    work = with_last_values(served, user_of(request).get_username())
    if request.method != "POST":
        return _render_drawer(TrialRequest(request, work, work.document))
    values = read_form(request.POST, work.document).test_values
    tried = TrialRequest(request, work, replace(work.document, test_values=values))
    part = request.GET.get("part")
    if part == "plan":
        shown_plan = tried.explain()
        if is_fragment(request):
            return _render_plan(request, shown_plan)
        return _render_drawer(tried, plan=shown_plan)
    shown, trial = tried.run(is_recorded=part != "csv")
    if part == "csv" and trial and not trial.error:
        return _download(tried, trial)
    return _render_drawer(tried, shown)


def _read_tried(request: HttpRequest, work: Work) -> TrialRequest:
    try:
        return TrialRequest(request, work, read_posted(request, work))
    except DefinitionError as error:
        return TrialRequest(request, work, error)


def _download(tried: TrialRequest, trial: Trial) -> HttpResponseBase:
    """All rows, or the value, as a CSV file, or with `?as=xlsx` as a spreadsheet."""
    columns, rows, types = trial.columns, trial.rows, tried.examined.analysis.columns
    if not is_query(trial):
        found = find_rows(trial.structured) if trial.exchanges else None
        value = trial.structured.get("result", trial.structured)
        columns, rows = found or (("result",), [(value,)])
        types = ()
    is_spreadsheet = tried.request.GET.get("as") == "xlsx"
    response: HttpResponseBase
    if is_spreadsheet:
        pieces = write_spreadsheet(columns, rows, [column.type for column in types])
        response = StreamingHttpResponse(pieces, content_type=_SPREADSHEET)
    else:
        text = _MARK + format_csv(columns, rows)
        response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    name = _NOT_IN_FILE_NAMES.sub("_", tried.examined.document.tool.name) or "draft"
    file_name = f"{name}.{'xlsx' if is_spreadsheet else 'csv'}"
    header = content_disposition_header(as_attachment=True, filename=file_name)
    response["Content-Disposition"] = header or "attachment"
    return response


def _answer(tried: TrialRequest, shown: ShownTrial) -> HttpResponse:
    """The result pane with the steps and the state of the save, or the whole page with it."""
    request, status = tried.request, 200 if shown.exchange else 422
    context = {"trial": shown, **tried.caller_context}
    if not is_fragment(request):
        return render_page(request, tried.page(), status=status, **context)
    page = tried.page()
    context = {**page_context(request, page), **context, "cases": show_cases(page.work)}
    template = "toolbuilder/editing/_tested.html"
    return _report_refusal(render(request, template, context, status=status), shown)


def _render_plan(request: HttpRequest, shown: ShownPlan) -> HttpResponse:
    status = 422 if shown.error else 200
    return render(request, "toolbuilder/editing/_plan.html", {"plan": shown}, status=status)


def _render_drawer(
    tried: TrialRequest, shown: ShownTrial | None = None, *, plan: ShownPlan | None = None
) -> HttpResponse:
    request, page = tried.request, tried.page()
    address = reverse("tool-try", args=[tried.work.document.tool.name])
    context = {
        **page_context(request, page),
        **tried.caller_context,
        "trial": shown,
        "plan": plan,
        "form_id": "try-form",
        "fields": [row for row in page.rows if not row.is_bound],
        "actions": {
            "test": address,
            "cancel": tried.work.action("cancel"),
            "plan": f"{address}?part=plan",
            "csv": f"{address}?part=csv",
            "xlsx": f"{address}?part=csv&as=xlsx",
        },
    }
    template = "page"
    if is_fragment(request):
        template = "_drawer" if shown is None else "_answer"
    status = 422 if shown and shown.exchange is None else 200
    response = render(request, f"toolbuilder/editing/trial/{template}.html", context, status=status)
    return _report_refusal(response, shown) if shown else response


def _report_refusal(response: HttpResponse, shown: ShownTrial) -> HttpResponse:
    """The response with events that lead to the line or the parameter at fault."""
    if shown.line and shown.exchange:
        refused = {
            "line": shown.line,
            "message": shown.error[:_TOLD_CHARACTERS],
            "rule": shown.rule,
        }
        trigger_event(response, "tool:failed", **refused)
    if shown.parameter:
        trigger_event(response, "tool:refused", parameter=shown.parameter)
    return response
