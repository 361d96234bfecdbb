"""The search lab: a question ranked as agents find tools, saved questions, and what agents searched."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from access.list_addresses import read_filters, read_page
from access.models import ApiKey
from access.reader_language import in_language
from access.views.gates import SEE_CALLS, SEE_KEYS, for_staff_with, is_fragment, user_of
from catalog.exchange.spreadsheets import MAX_FILE_BYTES
from core.errors import EditError
from toolbuilder.gates import CHANGE_TOOLS, SEE_TOOLS, rights_of
from toolbuilder.search_lab.index import read_lab_index
from toolbuilder.search_lab.measuring import CUTS, measure_questions
from toolbuilder.search_lab.moves import read_measurements
from toolbuilder.search_lab.questions import (
    MAX_QUESTIONS,
    expected_of,
    export_questions,
    import_questions,
    save_question,
)
from toolbuilder.search_lab.recording import record_measurement
from toolbuilder.search_lab.search import LabState, find_seen, search_as
from toolbuilder.search_lab.traffic import DAYS, read_traffic
from toolbuilder.visibility import visible_questions

QUESTIONS_A_PAGE = 50
_KEYS_OFFERED = 500
_NAME_CHARACTERS = 200


@for_staff_with(SEE_TOOLS)
@require_GET
@vary_on_headers("HX-Request")
def search_lab(request: HttpRequest) -> HttpResponse:
    """The tools that a question finds, with what speaks for each."""
    state = LabState.read(request.GET)
    keys: list[ApiKey] = []
    if user_of(request).has_perm(SEE_KEYS):
        valid = ApiKey.objects.filter(revoked_at=None).order_by("name", "key_id")
        keys = list(valid[:_KEYS_OFFERED])
    key = next((key for key in keys if key.key_id == state.key), None)
    state = state if key else replace(state, key="")
    answer = search_as(state, key, user_of(request))
    context = {"state": state, "answer": answer, "rights": rights_of(request)}
    if not is_fragment(request):
        return render(request, "toolbuilder/search_lab/lab.html", context | {"keys": keys})
    response = render(request, "toolbuilder/search_lab/_answer.html", context)
    if not request.headers.get("HX-Current-URL", "").endswith(state.address()):
        response["HX-Push-Url"] = state.address()
    return response


@for_staff_with(SEE_TOOLS)
@require_GET
def questions(request: HttpRequest) -> HttpResponse:
    """Saved questions, newest first, 50 a page."""
    return render(request, "toolbuilder/search_lab/questions.html", _question_context(request))


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def question_add(request: HttpRequest) -> HttpResponse:
    """The question kept with its expected tools, beside those that it has already."""
    text = request.POST.get("text", "")
    expected = " ".join(request.POST.getlist("expected")).replace(",", " ").split()
    try:
        save_question(text, expected, user_of(request).get_username())
    except EditError as error:
        return _toast(request, in_language(error), is_error=True)
    return _toast(request, _("The question was saved."))


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def question_remove(request: HttpRequest, question_id: int) -> HttpResponse:
    """The question gone, as its row is."""
    get_object_or_404(visible_questions(user_of(request)), pk=question_id).delete()
    messages.success(request, _("The question was removed."))
    return HttpResponse() if is_fragment(request) else redirect("search-questions")


@for_staff_with(SEE_TOOLS)
@require_POST
def question_run(request: HttpRequest) -> HttpResponse:
    """Every question with its rank now, worst first, and the rates of all and of each language."""
    state = LabState.read(request.POST)
    user = user_of(request)
    saved = list(visible_questions(user)[:MAX_QUESTIONS])
    measured = measure_questions(saved, state.profile, user)
    context = {"measured": measured, "cuts": CUTS, "state": state, "rights": rights_of(request)}
    if is_fragment(request):
        return render(request, "toolbuilder/search_lab/_measured.html", context)
    whole = _question_context(request) | context
    return render(request, "toolbuilder/search_lab/questions.html", whole)


@for_staff_with(SEE_TOOLS)
@require_GET
def question_export(request: HttpRequest) -> HttpResponse:
    """All questions as a CSV file."""
    text = export_questions(visible_questions(user_of(request)))
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="search-questions.csv"'
    return response


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def question_import(request: HttpRequest) -> HttpResponse:
    """Back to the questions, with those of a CSV file among them; a bad file changes nothing."""
    file = request.FILES.get("file")
    try:
        data = file.read(MAX_FILE_BYTES + 1) if file else b""
        count = import_questions(data, user_of(request).get_username())
    except EditError as error:
        context = _question_context(request) | {"import_error": in_language(error)}
        return render(request, "toolbuilder/search_lab/questions.html", context, status=422)
    text = ngettext("%d question was read.", "%d questions were read.", count)
    messages.success(request, text % count)
    return redirect("search-questions")


@for_staff_with(SEE_TOOLS)
@require_GET
def moves(request: HttpRequest) -> HttpResponse:
    """How saved questions were found after each publishing, and what moved in one of these."""
    user = user_of(request)
    asked = read_filters(request.GET, ("tool", "at"), _NAME_CHARACTERS)
    page, measurements = read_measurements(user, asked["tool"], read_page(request.GET))
    chosen = (each for each in measurements if str(each.row.pk) == asked["at"])
    saved = visible_questions(user)[:MAX_QUESTIONS]
    names = sorted({name for question in saved for name in expected_of(question)})
    context = {
        "page": page,
        "measurements": measurements,
        "chosen": next(chosen, next(iter(measurements), None)),
        "cuts": CUTS,
        "tool": asked["tool"] if asked["tool"] in names else "",
        "tool_names": names,
        "rights": rights_of(request),
    }
    return render(request, "toolbuilder/search_lab/moves.html", context)


@for_staff_with(SEE_TOOLS, CHANGE_TOOLS)
@require_POST
def moves_measure(request: HttpRequest) -> HttpResponse:
    """Back to the measurements, with one of what is served now."""
    if record_measurement():
        messages.success(request, _("The saved questions were searched again."))
    else:
        messages.success(request, _("Nothing that counts has changed since the last measurement."))
    return redirect("search-moves")


@for_staff_with(SEE_TOOLS, SEE_CALLS)
@require_GET
def traffic(request: HttpRequest) -> HttpResponse:
    """What agents searched in the last 7 days: without calling anything, and most often."""
    pages = {
        name: read_page(QueryDict(f"page={request.GET.get(name, '')}"))
        for name in ("uncalled", "most")
    }
    context = {
        "traffic": read_traffic(pages["uncalled"], pages["most"]),
        "days": DAYS,
        "rights": rights_of(request),
    }
    return render(request, "toolbuilder/search_lab/traffic.html", context)


def _question_context(request: HttpRequest) -> dict[str, Any]:
    user = user_of(request)
    page = Paginator(visible_questions(user), QUESTIONS_A_PAGE).get_page(read_page(request.GET))
    return {
        "page": page,
        "state": LabState.read(request.GET),
        "tool_names": sorted(find_seen(read_lab_index(), user)),
        "rights": rights_of(request),
    }


def _toast(request: HttpRequest, text: str, *, is_error: bool = False) -> HttpResponse:
    """The text as a toast; without JavaScript on the page of questions."""
    if is_error:
        messages.error(request, text)
    else:
        messages.success(request, text)
    if is_fragment(request):
        return HttpResponse(status=422 if is_error else 200)
    return redirect(reverse("search-questions"))
