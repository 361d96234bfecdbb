"""The call log, the page of a call, and the log as a file."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from access.call_log import (
    ANY_FAILURE,
    EXPORT_LIMIT,
    CallLogState,
    export_calls,
    read_called_tools,
    read_calls,
    shown_arguments,
)
from access.models import ApiKey, Outcome, RuntimeInstance
from access.views.gates import SEE_CALLS, for_staff_with, is_fragment, user_of
from access.visibility import visible_calls

_KEYS_OFFERED = 500


@for_staff_with(SEE_CALLS)
@require_GET
@vary_on_headers("HX-Request")
def call_list(request: HttpRequest) -> HttpResponse:
    """Calls, newest first, 50 a page: filtered by tool, caller, key, outcome, days and error text."""
    state = CallLogState.read(request.GET)
    context: dict[str, Any] = {"state": state, "page": read_calls(state, user_of(request))}
    if not is_fragment(request):
        return render(request, "access/calls.html", context | _choices(request))
    response = render(request, "access/_calls_answer.html", context)
    address = state.address(before=state.before, after=state.after)
    if not request.headers.get("HX-Current-URL", "").endswith(address):
        response["HX-Push-Url"] = address
    return response


@for_staff_with(SEE_CALLS)
@require_GET
@vary_on_headers("HX-Request")
def call_page(request: HttpRequest, call_id: int) -> HttpResponse:
    """Everything that is recorded of a call; htmx gets it as a drawer beside the list."""
    call = get_object_or_404(visible_calls(user_of(request)), pk=call_id)
    key = ApiKey.objects.filter(key_id=call.key_id).first() if call.key_id else None
    runtimes = RuntimeInstance.objects
    runtime = runtimes.filter(pk=call.runtime_id).first() if call.runtime_id else None
    context = {"call": call, "key": key, "runtime": runtime, "arguments": shown_arguments(call)}
    template = "access/_call_drawer.html" if is_fragment(request) else "access/call.html"
    return render(request, template, context)


@for_staff_with(SEE_CALLS)
@require_GET
def call_export(request: HttpRequest) -> HttpResponse:
    """The filtered log as a CSV file."""
    text = export_calls(CallLogState.read(request.GET), user_of(request))
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    name = f"calls-{timezone.localdate():%Y%m%d}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _choices(request: HttpRequest) -> dict[str, Any]:
    return {
        "tools": read_called_tools(user_of(request)),
        "keys": ApiKey.objects.order_by("name", "key_id").only("name", "key_id")[:_KEYS_OFFERED],
        "outcomes": [choice for choice in Outcome.choices if choice[0] != Outcome.OK],
        "any_failure": ANY_FAILURE,
        "export_limit": EXPORT_LIMIT,
    }
