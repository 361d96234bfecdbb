"""The call log, the page of a call, and the log as a file."""

from collections.abc import AsyncIterator, Iterator
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from access.call_log import (
    ANY_FAILURE,
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
    """Calls, newest first, 50 a page: filtered by all that is recorded of them.

    204 where a live log has nothing newer than the place `seen`, which changes nothing.
    """
    state = CallLogState.read(request.GET)
    page = read_calls(state, user_of(request))
    if is_fragment(request) and request.GET.get("seen", "") == page.newest != "":
        return HttpResponse(status=204)
    context: dict[str, Any] = {"state": state, "page": page}
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
    arguments = shown_arguments(call)
    context = {
        "call": call,
        "key": key,
        "runtime": runtime,
        "arguments": arguments,
        "has_values": isinstance(arguments, dict),
    }
    template = "access/_call_drawer.html" if is_fragment(request) else "access/call.html"
    return render(request, template, context)


@for_staff_with(SEE_CALLS)
@require_GET
def call_export(request: HttpRequest) -> StreamingHttpResponse:
    """The filtered log as a CSV file, which is sent while it is read."""
    chunks = export_calls(CallLogState.read(request.GET), user_of(request))
    # Else Django collects all of them before it sends the first.
    content = _in_turns(chunks) if isinstance(request, ASGIRequest) else chunks
    response = StreamingHttpResponse(content, content_type="text/csv; charset=utf-8")
    name = f"calls-{timezone.localdate():%Y%m%d}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


async def _in_turns(chunks: Iterator[str]) -> AsyncIterator[str]:
    while (chunk := await sync_to_async(lambda: next(chunks, ""))()) != "":
        yield chunk


def _choices(request: HttpRequest) -> dict[str, Any]:
    return {
        "tools": read_called_tools(user_of(request)),
        "keys": ApiKey.objects.order_by("name", "key_id").only("name", "key_id")[:_KEYS_OFFERED],
        "outcomes": [choice for choice in Outcome.choices if choice[0] != Outcome.OK],
        "any_failure": ANY_FAILURE,
    }
