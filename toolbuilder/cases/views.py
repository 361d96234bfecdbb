"""Test cases in the editor: run, saved from a run, a call or by hand, accepted, deleted, nightly."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _

from access.call_log import shown_arguments
from access.models import CallRecord
from access.reader_language import in_language
from access.views.gates import SEE_CALLS, is_fragment, user_of
from access.visibility import visible_calls
from catalog.sources.settings import read_sources
from core.cases.documents import CaseDocument, CaseSource
from core.cases.expectations import (
    AtMost,
    AtMostMs,
    AtMostTokens,
    Columns,
    ErrorWith,
    Expectation,
    RowCount,
    read_expectation,
)
from core.catalogue.masking import MASK
from core.errors import DefinitionError, EditError
from core.http_logic import is_writing
from core.messages import message
from core.toolspec import JsonValue, ToolSpec
from toolbuilder.cases.forms import (
    CHECKS,
    COMPARISONS,
    argument_fields,
    example_arguments,
    expectation_lines,
    read_caller,
    read_case_form,
    require_form_name,
)
from toolbuilder.cases.rows import accept_answers, golden_of, read_row, save_case
from toolbuilder.cases.running import run_case, run_rows
from toolbuilder.cases.shown import show_cases
from toolbuilder.editing.drafts import Work
from toolbuilder.editing.examining import examine
from toolbuilder.editing.running import list_callers
from toolbuilder.editing.trial import TrialCaller
from toolbuilder.editing.trial_records import read_trials
from toolbuilder.editing.views.requests import (
    editor_action,
    editor_context,
    lead_to,
    page_token_of,
    read_posted,
)
from toolbuilder.history.differences import find_renamed
from toolbuilder.models import NightlyCases, ToolCase, ToolTrial

# What is proposed as the most that a run may cost: some room over what it cost.
_ROOM = 2


@editor_action
def run(request: HttpRequest, work: Work) -> HttpResponse:
    """Runs the posted cases, or all, against what is typed; nothing of the tool is saved."""
    rows = ToolCase.objects.of(work.tool, work.draft)
    chosen = rows.filter(pk__in=_ids(request)) if "case" in request.POST else rows
    _run(request, work, list(chosen), is_asked_for=True)
    return _answer(request, work)


@editor_action
def accept(request: HttpRequest, work: Work) -> HttpResponse:
    """Makes the last answer of a case its golden one, and runs it, as after each change of a case."""
    row = _find_row(request, work)
    if row.answer is None:
        raise DefinitionError(
            message("case.no_answer", "There is no new answer to accept; run the case again.")
        )
    accept_answers([row], user_of(request).get_username(), _version_of(work))
    _run(request, work, [row])
    return _answer(request, work)


@editor_action
def delete(request: HttpRequest, work: Work) -> HttpResponse:
    """Deletes a case."""
    ToolCase.objects.of(work.tool, work.draft).filter(pk__in=_ids(request)).delete()
    return _answer(request, work)


@editor_action
def nightly(request: HttpRequest, work: Work) -> HttpResponse:
    """Has the cases of a tool run each night, or no longer."""
    if work.tool is None:
        raise Http404
    if "nightly" in request.POST:
        NightlyCases.objects.get_or_create(tool=work.tool)
    else:
        NightlyCases.objects.filter(tool=work.tool).delete()
    return _answer(request, work)


@editor_action
def keep(request: HttpRequest, work: Work) -> HttpResponse:
    """Asks what is expected of the user's last run; then runs it once more, and saves it as a case."""
    last = next(iter(read_trials(work, user_of(request).get_username())), None)
    if last is None:
        raise DefinitionError(
            message("case.no_trial", "There is no run to save as a case: run the tool first.")
        )
    refusal = ""
    if "confirmed" in request.POST:
        try:
            case = _case_of_trial(request, work, last)
            row = save_case(work.tool, work.draft, case, user_of(request).get_username())
        except (DefinitionError, EditError) as error:
            refusal = in_language(error)
        else:
            _run(request, work, [row])
            return _answer(request, work)
    examined = examine(work.document, read_sources(), user_of(request).get_username())
    context = {
        "last": last,
        "columns": ", ".join(column.name for column in examined.analysis.columns),
        "most_ms": max(10, round(last.duration_ms * _ROOM)),
        "most_tokens": max(10, last.tokens * _ROOM),
        "name": request.POST.get("case_name", ""),
        "refusal": refusal,
        "is_writing": examined.spec is not None and is_writing(examined.spec.logic),
    }
    return _render(request, work, "keep", context)


@editor_action
def edit(request: HttpRequest, work: Work) -> HttpResponse:
    """The form of a case, new, from a recorded call or there already; `confirmed` saves it."""
    row = _find_row(request, work) if request.POST.get("case") else None
    spec = work.document.tool.to_spec(read_sources())
    former, case, refusal = _find_former(request, work, spec, row), None, ""
    if "confirmed" in request.POST:
        callers = list_callers(user_of(request))
        try:
            case = read_case_form(request.POST, spec, callers, former)
            saved = save_case(work.tool, work.draft, case, user_of(request).get_username(), row=row)
        except (DefinitionError, EditError) as error:
            refusal = in_language(error)
        else:
            _run(request, work, [saved])
            return _answer(request, work)
    shown = case or former
    taken = {parameter.name for parameter in spec.parameters}
    context = {
        "case": shown,
        "row": row,
        "fields": argument_fields(spec, shown.arguments),
        "gone": sorted(shown.arguments.keys() - taken),
        "lines": expectation_lines(shown),
        "checks": CHECKS.items(),
        "comparisons": COMPARISONS,
        "refusal": refusal,
        "call": request.POST.get("call", ""),
    }
    return _render(request, work, "case", context)


def _run(
    request: HttpRequest, work: Work, rows: Sequence[ToolCase], *, is_asked_for: bool = False
) -> None:
    sources, username = read_sources(), user_of(request).get_username()
    tool = read_posted(request, work).tool
    caller = TrialCaller(username=username, token=page_token_of(request))
    run_rows(
        rows,
        tool.to_spec(sources),
        sources,
        caller,
        logic_hash=tool.logic_hash,
        renamed=find_renamed(work.served, tool) if work.served else None,
        is_asked_for=is_asked_for,
    )


def _case_of_trial(request: HttpRequest, work: Work, last: ToolTrial) -> CaseDocument:
    """The case that the dialog says, of a run that is made now."""
    sources, posted = read_sources(), request.POST
    case = CaseDocument(
        name=require_form_name(posted),
        arguments=dict(last.arguments),
        caller=read_caller(posted, list_callers(user_of(request))),
        source=CaseSource.TRIAL,
    )
    caller = TrialCaller(username=user_of(request).get_username(), token=page_token_of(request))
    spec = work.document.tool.to_spec(sources)
    error = [ErrorWith(posted.get("error_text", "")[:1_000])] if "error" in posted else []
    if is_writing(spec.logic):
        # It is not sent once more: what is expected is what the dialog knows of the run.
        return replace(case, expects=(*error, *_limits_of(posted)))
    outcome = run_case(spec, case, sources, caller)
    if (found := outcome.outcome) is None or (found.error and "error" not in posted):
        reason = outcome.verdict.sentence or ""
        raise DefinitionError(
            message("case.run_failed", "It could not be run just now: {reason}", reason=reason)
        )
    expects: list[Expectation] = [*error]
    if found.answer and found.answer.columns is not None:
        if "rows" in posted:
            expects.append(RowCount("=", len(found.answer.rows)))
        if "columns" in posted:
            expects.append(Columns.of_answer(found.answer))
    case = replace(case, expects=(*expects, *_limits_of(posted)))
    if "golden" in posted and found.answer:
        golden = golden_of(found.answer, caller.username, _version_of(work))
        case = replace(case, golden=golden)
    return case


def _limits_of(posted: QueryDict) -> Iterator[AtMost]:
    """The most that a run may cost, as the dialog says."""
    limits: tuple[tuple[type[AtMost], str], ...] = (
        (AtMostMs, "most_ms"),
        (AtMostTokens, "most_tokens"),
    )
    for kind, name in limits if "most" in posted else ():
        digits = posted.get(name, "").replace(",", "")
        if digits.isascii() and digits.isdigit():
            yield kind(int(digits[:9]))


def _find_former(
    request: HttpRequest, work: Work, spec: ToolSpec, row: ToolCase | None
) -> CaseDocument:
    """What the form begins with: the case, a row of the last run, a recorded call, or the examples of the parameters."""
    if row:
        return read_row(row)
    if text := request.POST.get("expected_row", ""):
        last = next(iter(read_trials(work, user_of(request).get_username())), None)
        return _expect_row(text, dict(last.arguments) if last else {})
    if number := request.POST.get("call", ""):
        call = _find_call(request, work, number)
        values = shown_arguments(call)
        if not isinstance(values, dict):
            raise DefinitionError(
                message("case.no_arguments", "The values of this call's arguments were not kept.")
            )
        given = {name: value for name, value in values.items() if value != MASK}
        expects: tuple[Expectation, ...] = ()
        if call.error:
            expects = (ErrorWith(call.error[:200]),)
        elif call.row_count is not None and not call.truncated:
            expects = (RowCount("=", call.row_count),)
        return CaseDocument(name="", arguments=given, expects=expects, source=CaseSource.CALL)
    examples: dict[str, JsonValue] = example_arguments(spec)
    if examples:
        return CaseDocument(name="", arguments=examples, source=CaseSource.EXAMPLE)
    names = {parameter.name for parameter in spec.parameters}
    values = work.document.test_values
    return CaseDocument(name="", arguments={name: values[name] for name in values if name in names})


def _expect_row(text: str, arguments: dict[str, JsonValue]) -> CaseDocument:
    """A case that begins with: these arguments give that row, JSON of values by column."""
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        values = None
    expected = read_expectation({"check": "row", "values": values}, str(_("case")))
    return CaseDocument(name="", arguments=arguments, expects=(expected,), source=CaseSource.TRIAL)


def _find_call(request: HttpRequest, work: Work, number: str) -> CallRecord:
    user = user_of(request)
    if not (
        number.isascii() and number.isdigit() and len(number) < 19 and user.has_perm(SEE_CALLS)
    ):
        raise Http404
    names = {work.document.tool.name, work.tool.name if work.tool else ""}
    return get_object_or_404(visible_calls(user), pk=number, tool_name__in=names)


def _find_row(request: HttpRequest, work: Work) -> ToolCase:
    [*ids] = _ids(request)
    return get_object_or_404(ToolCase.objects.of(work.tool, work.draft), pk__in=ids[:1])


def _ids(request: HttpRequest) -> list[int]:
    texts = request.POST.getlist("case")
    return [int(text) for text in texts if text.isascii() and text.isdigit() and len(text) < 19]


def _version_of(work: Work) -> int:
    """The version whose logic the answers are of; 0 for a draft that says something else."""
    is_same = work.served and work.served.logic_hash == work.document.tool.logic_hash
    return work.tool.version if work.tool and is_same else 0


def _answer(request: HttpRequest, work: Work) -> HttpResponse:
    """The cases as they are now, and no dialog any more."""
    if not is_fragment(request):
        return lead_to(request, f"{work.address}#result-panel-cases")
    context = {**editor_context(request, work), "cases": show_cases(work), "actions": work.actions}
    return render(request, "toolbuilder/cases/_changed.html", context)


def _render(request: HttpRequest, work: Work, part: str, context: dict[str, Any]) -> HttpResponse:
    """The dialog that htmx puts into #dialogs, or a page of its own."""
    is_part = is_fragment(request)
    whole = {
        **editor_context(request, work),
        "work": work,
        "callers": list_callers(user_of(request)),
        **context,
    }
    name = f"_{part}_dialog" if is_part else part
    status = 422 if context["refusal"] else 200
    response = render(request, f"toolbuilder/cases/{name}.html", whole, status=status)
    if is_part:
        response["HX-Retarget"], response["HX-Reswap"] = "#dialogs", "innerHTML"
    return response
