"""The first run: from data over a first tool to an agent that is connected with it."""

import time
from datetime import timedelta
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from access.connecting import describe_connections, mcp_url
from access.keys import issue_key
from access.models import ApiKey, CallRecord, Outcome
from access.views.gates import ADD_KEYS, SEE_KEYS, for_staff_with, is_fragment, user_of
from access.visibility import visible_calls
from toolbuilder.beginning.views import list_cards
from toolbuilder.dashboard.progress import choose_key_name, read_progress
from toolbuilder.gates import rights_of

KEY_LIFETIME = timedelta(days=90)
WAIT_S = 600
_JUST_NOW = timedelta(minutes=1)
# A runtime's clock may be behind the database's.
_CLOCK_MARGIN = timedelta(minutes=1)


@for_staff_with()
@require_GET
def start(request: HttpRequest) -> HttpResponse:
    """The steps to a first tool, each with how far it is done; the next one is open."""
    return _render_page(request, {})


@for_staff_with(ADD_KEYS)
@never_cache
@sensitive_variables("issued", "context")
@require_POST
def start_key(request: HttpRequest) -> HttpResponse:
    """A new key with what connects a client, shown this once, and the wait for its first use."""
    user = user_of(request)
    expires_at = timezone.now() + KEY_LIFETIME
    issued = issue_key(choose_key_name(), user, expires_at)
    address = mcp_url(request)
    context = {
        "key": issued.key,
        "token": issued.token,
        "mcp_url": address,
        "connections": describe_connections(address, issued.token),
        "began": int(time.time()),
    }
    if is_fragment(request):
        return render(request, "toolbuilder/dashboard/_connect.html", context | _rights(request))
    return _render_page(request, context)


@for_staff_with()
@never_cache
@require_GET
@vary_on_headers("HX-Request")
def connected(request: HttpRequest, key_id: str) -> HttpResponse:
    """Whether a client has used the key: 204 while one is waited for, which changes nothing."""
    # The key of the user, or of anybody for those who may see keys.
    user = user_of(request)
    visible = Q() if user.has_perm(SEE_KEYS) else Q(owner=user)
    key = get_object_or_404(ApiKey.objects.filter(visible), key_id=key_id)
    context = read_wait(request, key)
    refusal = context["refusal"]
    is_known = request.GET.get("refusal", "") == (str(refusal.pk) if refusal else "")
    if is_fragment(request) and context["is_waiting"] and context["has_begun"] and is_known:
        return HttpResponse(status=204)
    if is_fragment(request):
        return render(request, "toolbuilder/dashboard/_waiting.html", context | {"is_update": True})
    return _render_page(request, context)


def read_wait(request: HttpRequest, key: ApiKey) -> dict[str, Any]:
    """What is known of a client that is to use the key; the address may say when the wait `began`."""
    user, text = user_of(request), request.GET.get("began", "")
    # Seconds since 1970.
    began = int(text) if text.isascii() and text.isdigit() and len(text) < 13 else None
    is_over = began is not None and time.time() - began > WAIT_S
    is_waiting = key.is_valid and key.last_used_at is None and not is_over
    refused = CallRecord.objects.filter(key_id=key.key_id, outcome=Outcome.REFUSED)
    refusal = refused.order_by("-at", "-id").first() if key.last_used_at is None else None
    used_at = key.last_used_at
    calls = visible_calls(user).filter(key_id=key.key_id, at__gte=key.created_at - _CLOCK_MARGIN)
    return {
        "key": key,
        "is_waiting": is_waiting,
        "has_begun": began is not None,
        "is_over": is_over,
        "began": began if is_waiting and began else int(time.time()),
        "refusal": refusal,
        "is_fresh": used_at is not None and timezone.now() - used_at < _JUST_NOW,
        # The tool of the key's first call that the user sees, '' before it.
        "first_call": calls.order_by("at", "id").values_list("tool_name", flat=True).first() or "",
    }


def _render_page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    progress = read_progress(user_of(request))
    current = "connect" if "key" in context else progress.current
    whole = {
        "progress": progress,
        "current": current,
        "steps": progress.list_steps(current),
        "cards": list_cards(),
        **_rights(request),
        **context,
    }
    return render(request, "toolbuilder/dashboard/start.html", whole)


def _rights(request: HttpRequest) -> dict[str, Any]:
    may_add_keys = user_of(request).has_perm(ADD_KEYS)
    return {"rights": rights_of(request), "may_add_keys": may_add_keys}
