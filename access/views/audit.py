"""The audit trail: its list, an entry with what changed, the check of its chain, and the trail as a file."""

from collections.abc import AsyncIterator
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib import messages
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from access.audit.heads import describe_head
from access.audit.listing import TrailState, export_trail, read_trail
from access.audit.models import AuditAction, AuditEntry, kind_label
from access.audit.trail import QUICK, ChainCheck, check_chain
from access.audit.triggers import AUDITED_TABLES
from access.views.gates import SEE_AUDIT, for_staff_with, is_fragment


@for_staff_with(SEE_AUDIT)
@require_GET
@vary_on_headers("HX-Request")
def audit_list(request: HttpRequest) -> HttpResponse:
    """Entries, newest first, 50 a page, with whether the newest thousand are as they were written."""
    state = TrailState.read(request.GET)
    context: dict[str, Any] = {"state": state, "page": read_trail(state)}
    if is_fragment(request):
        response = render(request, "access/_audit_answer.html", context)
        address = state.address(before=state.before, after=state.after)
        if not request.headers.get("HX-Current-URL", "").endswith(address):
            response["HX-Push-Url"] = address
        return response
    context |= {
        "fault": explain_fault(check_chain(QUICK)),
        "kinds": sorted((str(kind_label(table)), table) for table in AUDITED_TABLES),
        "actions": AuditAction.choices,
        "head": describe_head(),
    }
    return render(request, "access/audit.html", context)


@for_staff_with(SEE_AUDIT)
@require_GET
@vary_on_headers("HX-Request")
def audit_entry(request: HttpRequest, number: int) -> HttpResponse:
    """One entry with what was before and after; htmx gets it as a drawer beside the list."""
    entry = get_object_or_404(AuditEntry, pk=number)
    template = "access/_audit_drawer.html" if is_fragment(request) else "access/audit_entry.html"
    return render(request, template, {"entry": entry})


@for_staff_with(SEE_AUDIT)
@require_POST
def audit_verify(request: HttpRequest) -> HttpResponse:
    """Check every entry, and say on the page what was found."""
    check = check_chain()
    if fault := explain_fault(check):
        messages.error(request, fault)
    else:
        text = _("All %(count)s entries are as they were written.")
        messages.success(request, text % {"count": check.entries})
    return redirect("audit")


@for_staff_with(SEE_AUDIT)
@require_GET
def audit_export(request: HttpRequest) -> StreamingHttpResponse:
    """The filtered trail as a CSV file, sent while it is read."""
    portions = export_trail(TrailState.read(request.GET))

    async def stream() -> AsyncIterator[str]:
        while text := await sync_to_async(lambda: next(portions, ""))():
            yield text

    # Of a plain iterator Django would read all before it sends the first part; of an async one elsewhere.
    is_async = isinstance(request, ASGIRequest)
    response = StreamingHttpResponse(
        stream() if is_async else portions, content_type="text/csv; charset=utf-8"
    )
    name = f"audit-{timezone.localdate():%Y%m%d}.csv"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def explain_fault(check: ChainCheck) -> str:
    """What is wrong with the trail, '' for a whole one."""
    match check.fault:
        case "missing":
            text = _("Entry %(number)s is missing: somebody removed it from the database.")
        case "changed":
            text = _(
                "Entry %(number)s is not what was written: somebody changed it in the database."
            )
        case "head":
            text = _("The trail ends with entry %(number)s, but its head says otherwise.")
        case _whole:
            return ""
    return text % {"number": check.broken}
