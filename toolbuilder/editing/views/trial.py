"""Test runs: in the editor and in the drawer of the list, their plan, their CSV and their end."""

import re
from dataclasses import dataclass, replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from access.models import ApiKey
from access.reader_language import in_language
from access.views.events import trigger_event
from access.views.gates import for_staff_with, is_fragment, user_of
from catalog.sources.settings import SourceSettings, read_sources
from core.analysis import Analysis
from core.diagnostics import Diagnostic
from core.errors import DefinitionError, ToolboxError
from core.formatting import format_csv
from core.toolspec import JsonValue, SqlLogic
from toolbuilder.editing.drafts import DraftDocument
from toolbuilder.editing.examining import Examined, examine
from toolbuilder.editing.form import read_form
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
    find_visible_work,
    page_token_of,
    read_posted,
    save_posted,
)
from toolbuilder.editing.views.workbench import page_context, render_page
from toolbuilder.editing.works import Work
from toolbuilder.gates import CHANGE_TOOLS, SEE_TOOLS

_NOT_IN_FILE_NAMES = re.compile(r"[^\w.-]+")
# A spreadsheet takes a file without it for one in the encoding of its country.
_MARK = "\ufeff"


@editor_action
def test(request: HttpRequest, work: Work) -> HttpResponse:
    """Saves what is typed, runs it as a call is run, and shows what came of it."""
    asked = _ask_posted(request, work)
    asked = replace(asked, work=save_posted(request, work, asked.examined.document))
    return _answer(asked, _run_recorded(asked))


@editor_action
def cancel(request: HttpRequest, _work: Work) -> HttpResponse:
    """Stops the run of the page whose token is posted, on the database as well."""
    stop_trial(_username(request), page_token_of(request))
    return HttpResponse(status=204)


@editor_action
def plan(request: HttpRequest, work: Work) -> HttpResponse:
    """The database's plan of what is typed; nothing is saved or run."""
    asked = _ask_posted(request, work)
    shown = _explain(asked)
    if is_fragment(request):
        return _render_plan(request, shown)
    return render_page(request, asked.page(), plan=shown, **_context_of_caller(asked))


@editor_action
def csv(request: HttpRequest, work: Work) -> HttpResponse:
    """Runs what is typed once more, and gives the whole answer as a file; nothing is saved."""
    asked = _ask_posted(request, work)
    shown, trial = _run(asked)
    return _download(asked, trial) if trial and not trial.error else _answer(asked, shown)


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def drawer(request: HttpRequest, name: str) -> HttpResponse:
    """What is served of a tool, with fields for its parameters, and what a run of it gave."""
    work = _served_work(request, name)
    if request.method != "POST":
        return _render_drawer(_ask(request, work, work.document))
    given = read_form(request.POST, work.document).test_values
    asked = _ask(request, work, replace(work.document, test_values=given))
    match request.GET.get("part"):
        case "plan":
            return _answer_plan(asked)
        case "csv":
            shown, trial = _run(asked)
            if trial and not trial.error:
                return _download(asked, trial)
        case _:
            shown = _run_recorded(asked)
    return _render_drawer(asked, shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """What is to be tried, by whom, and with whose key."""

    request: HttpRequest
    work: Work
    examined: Examined
    sources: SourceSettings
    choices: dict[str, Any]
    called_as: ApiKey | None = None

    @property
    def arguments(self) -> dict[str, JsonValue]:
        spec = self.examined.spec
        return arguments_of(spec, self.examined.document.test_values) if spec else {}

    @property
    def caller(self) -> TrialCaller:
        return TrialCaller(
            username=_username(self.request),
            facts=facts_of(self.called_as),
            token=page_token_of(self.request),
        )

    def page(self) -> WorkbenchPage:
        """The page that shows it, saved or not."""
        username = _username(self.request)
        return build_examined_page(self.work, self.examined, self.sources, username)


def _ask_posted(request: HttpRequest, work: Work) -> _Asked:
    try:
        return _ask(request, work, read_posted(request, work))
    except DefinitionError as error:
        text = work.document.tool.definition
        fault = Diagnostic(message=error.message, code="definition")
        analysis = Analysis(text=text, diagnostics=(fault,))
        seen = Examined(document=work.document, spec=None, analysis=analysis, faults={})
        return _Asked(request=request, work=work, examined=seen, sources=read_sources(), choices={})


def _ask(request: HttpRequest, work: Work, document: DraftDocument) -> _Asked:
    sources = read_sources()
    tool_id = work.tool.pk if work.tool else 0
    examined = examine(document, sources, _username(request), tool_id=tool_id)
    choices = caller_choices(examined.spec, user_of(request))
    chosen = request.POST.get("call_as", "")
    return _Asked(
        request=request,
        work=work,
        examined=examined,
        sources=sources,
        choices=choices,
        called_as=next((key for key in choices["callers"] if key.key_id == chosen), None),
    )


def _run_recorded(asked: _Asked) -> ShownTrial:
    shown, trial = _run(asked)
    if trial:
        record_trial(asked.work, _username(asked.request), asked.arguments, trial)
    return shown


def _run(asked: _Asked) -> tuple[ShownTrial, Trial | None]:
    """What is shown, and the run itself where nothing stood in its way."""
    obstacle, spec = find_obstacle(asked.examined), asked.examined.spec
    if obstacle or spec is None:
        return obstacle or ShownTrial(), None
    spec = runnable(spec)
    trial = run_trial(spec, asked.arguments, asked.sources, asked.caller)
    return show_trial(trial, spec.name, asked.arguments, asked.examined.analysis.columns), trial


def _explain(asked: _Asked) -> ShownPlan:
    obstacle, spec = find_obstacle(asked.examined), asked.examined.spec
    if spec and not isinstance(spec.logic, SqlLogic):
        return ShownPlan(is_python=True)
    if obstacle or spec is None:
        return ShownPlan(error=obstacle.error if obstacle else "")
    try:
        text = explain_plan(runnable(spec), asked.arguments, asked.sources, asked.caller)
    except ToolboxError as error:
        return ShownPlan(error=in_language(error))
    return show_plan(text)


def _download(asked: _Asked, trial: Trial) -> HttpResponse:
    if is_query(trial):
        text = format_csv(trial.columns, trial.rows)
    else:
        text = format_csv(("result",), [[trial.structured["result"]]])
    name = _NOT_IN_FILE_NAMES.sub("_", asked.examined.document.tool.name) or "draft"
    response = HttpResponse(_MARK + text, content_type="text/csv; charset=utf-8")
    header = content_disposition_header(as_attachment=True, filename=f"{name}.csv")
    response["Content-Disposition"] = header or "attachment"
    return response


def _answer(asked: _Asked, shown: ShownTrial) -> HttpResponse:
    """The result pane with the steps and the state of the save, or the whole page with it."""
    request, status = asked.request, 200 if shown.exchange else 422
    context = {"trial": shown, **_context_of_caller(asked)}
    if not is_fragment(request):
        return render_page(request, asked.page(), status=status, **context)
    context = {**page_context(request, asked.page()), **context}
    template = "toolbuilder/editing/_tested.html"
    return _tell_refused(render(request, template, context, status=status), shown)


def _render_plan(request: HttpRequest, shown: ShownPlan) -> HttpResponse:
    status = 422 if shown.error else 200
    return render(request, "toolbuilder/editing/_plan.html", {"plan": shown}, status=status)


def _answer_plan(asked: _Asked) -> HttpResponse:
    shown = _explain(asked)
    if is_fragment(asked.request):
        return _render_plan(asked.request, shown)
    return _render_drawer(asked, plan=shown)


def _render_drawer(
    asked: _Asked, shown: ShownTrial | None = None, *, plan: ShownPlan | None = None
) -> HttpResponse:
    request = asked.request
    page, address = asked.page(), reverse("tool-try", args=[asked.work.document.tool.name])
    context = {
        **page_context(request, page),
        **_context_of_caller(asked),
        "trial": shown,
        "plan": plan,
        "form_id": "try-form",
        "fields": [row for row in page.rows if not row.is_bound],
        "actions": {
            "test": address,
            "cancel": asked.work.action("cancel"),
            "plan": f"{address}?part=plan",
            "csv": f"{address}?part=csv",
        },
    }
    template = "page"
    if is_fragment(request):
        template = "_drawer" if shown is None else "_answer"
    status = 422 if shown and shown.exchange is None else 200
    response = render(request, f"toolbuilder/editing/trial/{template}.html", context, status=status)
    return _tell_refused(response, shown) if shown else response


def _tell_refused(response: HttpResponse, shown: ShownTrial) -> HttpResponse:
    if shown.line and shown.exchange:
        trigger_event(response, "tool:failed", line=shown.line, message=shown.error)
    if not shown.parameter:
        return response
    return trigger_event(response, "tool:refused", parameter=shown.parameter)


def _context_of_caller(asked: _Asked) -> dict[str, Any]:
    chosen = asked.called_as.key_id if asked.called_as else ""
    return {**asked.choices, "called_as": chosen}


def _served_work(request: HttpRequest, name: str) -> Work:
    """What is served under the name, with the arguments of the user's last run of it."""
    work = find_visible_work(user_of(request), name)
    if work is None or work.served is None:
        raise Http404(_("There is no such tool."))
    served = replace(work, draft=None, document=DraftDocument(tool=work.served))
    return with_last_values(served, _username(request))


def _username(request: HttpRequest) -> str:
    return user_of(request).get_username()
