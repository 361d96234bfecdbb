"""The page that connects an agent: a key of its own, what its client needs, and the wait for its first call."""

from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods

from access.allowed_tools import every_tool
from access.connecting import describe_connections, mcp_url
from access.key_forms import EVERY, THESE, KeyForm
from access.models import ApiKey, CallRecord, Outcome, Toolset
from access.views.gates import ADD_KEYS, SEE_KEYS, SEE_TOOLSETS, for_staff_with, user_of
from access.visibility import visible_calls
from toolbuilder.dashboard.connecting import read_wait
from toolbuilder.dashboard.progress import choose_key_name
from toolbuilder.visibility import visible_tools

AGENTS_SHOWN = 8
CALLS_SHOWN = 5
_REFUSALS_READ = timedelta(days=1)


@for_staff_with()
@never_cache
@sensitive_variables("issued", "shown")
@require_http_methods(["GET", "POST"])
def connect(request: HttpRequest) -> HttpResponse:
    """The three steps before there is a key; a POST makes it, and shows it this once."""
    if request.method == "GET":
        return _render(request, None)
    user = user_of(request)
    if not user.has_perm(ADD_KEYS):
        return _render(request, None, status=403)
    toolset = request.POST.get("toolset", "")
    given = {
        "name": request.POST.get("name", "").strip() or choose_key_name(),
        "owner": user.get_username(),
        "days": request.POST.get("days", ""),
        "reach": THESE if toolset else EVERY,
        "toolsets": [toolset] if toolset else [],
        "sources": every_tool(),
    }
    form = KeyForm(given, user)
    if not form.is_valid():
        faults = [str(fault) for faults in form.errors.values() for fault in faults]
        return _render(request, None, error=" ".join(faults), status=422)
    issued = form.issue()
    response = _render(request, issued.key, token=issued.token)
    # A reload asks for the page of the key, which nobody can read again.
    response["HX-Push-Url"] = reverse("connect-key", args=[issued.key.key_id])
    return response


@for_staff_with()
@never_cache
@require_GET
def connect_key(request: HttpRequest, key_id: str) -> HttpResponse:
    """The steps with a key that is there; its secret is not shown again."""
    user = user_of(request)
    visible = Q() if user.has_perm(SEE_KEYS) else Q(owner=user)
    return _render(request, get_object_or_404(ApiKey.objects.filter(visible), key_id=key_id))


@sensitive_variables("token", "shown", "context")
def _render(
    request: HttpRequest,
    key: ApiKey | None,
    *,
    token: str = "",
    error: str = "",
    status: int = 200,
) -> HttpResponse:
    user = user_of(request)
    address, shown = mcp_url(request), token or _("<your key>")
    toolset = request.POST.get("toolset", request.GET.get("toolset", ""))
    toolsets = Toolset.objects.order_by("name") if user.has_perm(SEE_TOOLSETS) else ()
    if key and key.grant.tools == frozenset() and len(key.grant.toolsets) == 1:
        address = f"{address}/{next(iter(key.grant.toolsets))}"
    tool = visible_tools(user).filter(name=request.GET.get("tool", "")).first()
    context: dict[str, Any] = {
        "key": key,
        "token": token,
        "mcp_url": address,
        "connections": describe_connections(address, shown),
        "may_add_keys": user.has_perm(ADD_KEYS),
        "name": choose_key_name(),
        "lifetimes": KeyForm(None, user).fields["days"].choices,  # type: ignore[attr-defined]
        "toolsets": toolsets,
        "toolset": toolset,
        "tool": tool,
        "error": error,
        "agents": list(_list_agents(request)),
    }
    if key:
        calls = visible_calls(user).filter(key_id=key.key_id, at__gte=key.created_at)
        context |= read_wait(request, key) | {"calls": calls.order_by("at", "id")[:CALLS_SHOWN]}
    return render(request, "toolbuilder/dashboard/connect.html", context, status=status)


def _list_agents(request: HttpRequest) -> list[dict[str, Any]]:
    """The person's own valid keys, newest first, each with why it was refused last, if it never was good."""
    keys = ApiKey.objects.filter(owner=user_of(request), revoked_at=None).exclude(
        expires_at__lte=timezone.now()
    )
    shown = list(keys.order_by("-created_at")[:AGENTS_SHOWN])
    refused = CallRecord.objects.filter(
        key_id__in=[key.key_id for key in shown if key.last_used_at is None],
        outcome=Outcome.REFUSED,
        at__gte=timezone.now() - _REFUSALS_READ,
    )
    last = {call.key_id: call for call in refused.order_by("at", "id")}
    return [{"key": key, "refusal": last.get(key.key_id)} for key in shown]
