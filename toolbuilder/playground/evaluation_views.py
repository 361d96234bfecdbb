"""The evaluation of the playground: its questions, and the runs that a page advances."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.reader_language import in_language
from access.tool_names import tool_names
from access.views.gates import for_staff_with, is_fragment, user_of
from catalog.exchange.spreadsheets import MAX_FILE_BYTES
from core.errors import EditError, ToolboxError
from toolbuilder.gates import CHANGE_TOOLS, SEE_TOOLS, rights_of
from toolbuilder.models import (
    PlaygroundChat,
    PlaygroundQuestion,
    PlaygroundRun,
    PlaygroundState,
)
from toolbuilder.playground.evaluating import advance_run, start_run
from toolbuilder.playground.exchanges import CALL_TOOL, SEARCH_TOOL, called_name, chat_settings
from toolbuilder.playground.identity import close_access, may_ask, open_access
from toolbuilder.playground.questions import (
    DEFAULT_SET,
    clean_set_name,
    hide_questions,
    import_questions,
    keep_question,
    take_from_lab,
)
from toolbuilder.playground.report import export_report, make_report
from toolbuilder.playground.steps import resume_steps, stop_steps
from toolbuilder.playground.turns import turn_of
from toolbuilder.visibility import hidden_tool_names, visible_questions


def report_context(request: HttpRequest, set_name: str = "", show: str = "") -> dict[str, Any]:
    """What the evaluation's part of the page knows."""
    user = user_of(request)
    newest = PlaygroundQuestion.objects.order_by("-id").values_list("set_name", flat=True).first()
    name = set_name or request.GET.get("set", "") or newest or DEFAULT_SET
    return {
        "default_set": DEFAULT_SET,
        "report": make_report(user, clean_set_name(name), show or request.GET.get("show", "")),
        "rights": rights_of(request),
        "may_run": may_ask(request) and chat_settings().is_complete,
        "tool_names": tool_names(user),
    }


@for_staff_with(SEE_TOOLS)
@never_cache
@require_GET
def evaluation(request: HttpRequest) -> HttpResponse:
    """The questions of a set with their verdicts, all or those of one look."""
    if not is_fragment(request):
        query = {name: request.GET[name] for name in ("set", "show") if name in request.GET}
        return redirect(f"{reverse('playground')}?{urlencode({'view': 'evaluation', **query})}")
    return _answer(request, "")


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def question_add(request: HttpRequest) -> HttpResponse:
    """The set with one more question: from the form, or the last one of a chat with what it called first."""
    set_name, posted = clean_set_name(request.POST.get("set", "")), request.POST
    text, expected = posted.get("text", ""), posted.get("expected", "")
    if number := posted.get("chat", ""):
        own = PlaygroundChat.objects.filter(owner=user_of(request).get_username())
        chat = get_object_or_404(own, pk=number if number.isdigit() and len(number) < 19 else 0)
        asked = [entry["text"] for entry in chat.entries if entry["kind"] == "question"]
        calls = [call for entry in turn_of(chat.entries) for call in entry["calls"]]
        names = [called_name(call["name"], call["arguments"]) for call in calls]
        chosen = [name for name in names if name not in (SEARCH_TOOL, CALL_TOOL)]
        text, expected = asked[-1], next(iter(chosen), "")
    try:
        keep_question(
            set_name, text, expected=expected, arguments=posted.get("arguments", ""),
            username=user_of(request).get_username(),
        )  # fmt: skip
    except EditError as error:
        return _answer(request, set_name, error=in_language(error))
    return _answer(request, set_name)


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def question_import(request: HttpRequest) -> HttpResponse:
    """The set with the questions of a CSV file, or with those of the search lab."""
    set_name, user = clean_set_name(request.POST.get("set", "")), user_of(request)
    try:
        if "lab" in request.POST:
            count = take_from_lab(visible_questions(user), set_name, user.get_username())
        else:
            file = request.FILES.get("file")
            data = file.read(MAX_FILE_BYTES + 1) if file else b""
            count = import_questions(data, set_name, user.get_username())
    except EditError as error:
        return _answer(request, set_name, error=in_language(error))
    text = ngettext("%d question was read.", "%d questions were read.", count)
    messages.success(request, text % count)
    return redirect(f"{reverse('playground')}?{urlencode({'view': 'evaluation', 'set': set_name})}")


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def question_remove(request: HttpRequest, question_id: int) -> HttpResponse:
    """The set without the question."""
    visible = hide_questions(hidden_tool_names(user_of(request)))
    question = get_object_or_404(PlaygroundQuestion.objects.filter(visible), pk=question_id)
    question.delete()
    return _answer(request, question.set_name)


@for_staff_with(SEE_TOOLS)
@never_cache
@require_POST
def run_start(request: HttpRequest) -> HttpResponse:
    """The set with a new run, which the page then advances."""
    set_name, user = clean_set_name(request.POST.get("set", "")), user_of(request)
    visible = hide_questions(hidden_tool_names(user))
    toolset = request.POST.get("toolset", "")
    try:
        open_access(request)
        start_run(
            PlaygroundQuestion.objects.filter(visible, set_name=set_name),
            set_name,
            user.get_username(),
            model=request.POST.get("model", "")[:200],
            toolset=toolset if toolset.isascii() and toolset.replace("-", "").isalnum() else "",
        )
    except ToolboxError as error:
        return _answer(request, set_name, error=in_language(error))
    return _answer(request, set_name)


@for_staff_with(SEE_TOOLS)
@never_cache
@require_POST
def run_step(request: HttpRequest, run_id: int) -> HttpResponse:
    """The set after a few more of the run's questions; the page asks again until it is done."""
    run = get_object_or_404(PlaygroundRun, pk=run_id)
    try:
        access = open_access(request, run.toolset)
    except ToolboxError as error:
        return _answer(request, run.set_name, error=in_language(error))
    if "again" in request.POST:
        resume_steps(run)
    advance_run(run, access)
    if run.state != PlaygroundState.RUNNING:
        close_access(request)
    return _answer(request, run.set_name)


@for_staff_with(SEE_TOOLS)
@require_POST
def run_stop(request: HttpRequest, run_id: int) -> HttpResponse:
    """The set with its run stopped: what is done stays, and it can be carried on."""
    run = get_object_or_404(PlaygroundRun, pk=run_id)
    stop_steps(run)
    return _answer(request, run.set_name)


@for_staff_with(SEE_TOOLS)
@require_GET
def export(request: HttpRequest) -> HttpResponse:
    """The set with the verdicts of its newest run as a CSV file."""
    report = report_context(request)["report"]
    response = HttpResponse(export_report(report), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="evaluation.csv"'
    return response


def _answer(request: HttpRequest, set_name: str, error: str = "") -> HttpResponse:
    if not is_fragment(request):
        if error:
            messages.error(request, error)
        query = urlencode({"view": "evaluation", "set": set_name})
        return redirect(f"{reverse('playground')}?{query}")
    context = report_context(request, set_name, request.POST.get("show", ""))
    part = "toolbuilder/playground/_evaluation.html"
    return render(request, part, context | {"error": error}, status=422 if error else 200)
