"""The list of keys, making one, which is shown once, and revoking one."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.audit import API_KEY, actor_of
from access.connecting import describe_connections, mcp_url
from access.key_forms import KeyForm
from access.keys import revoke_key
from access.models import ApiKey, AuditEvent
from access.views.gates import (
    ADD_KEYS,
    CHANGE_KEYS,
    SEE_KEYS,
    for_staff_with,
    is_fragment,
    user_of,
)

PAGE_SIZE = 50
EVENTS_SHOWN = 20
STATES = {
    "": gettext_lazy("All"),
    "valid": gettext_lazy("Valid"),
    "expired": gettext_lazy("Expired"),
    "suspended": gettext_lazy("Owner deactivated"),
    "revoked": gettext_lazy("Revoked"),
}


@for_staff_with(SEE_KEYS)
@require_GET
def key_list(request: HttpRequest) -> HttpResponse:
    """Keys by name, 50 a page, found by name, id and owner."""
    query = request.GET.get("q", "").replace("\0", "").strip()[:200]
    state = request.GET.get("state", "")
    state = state if state in STATES else ""
    page = Paginator(_filter(query, state), PAGE_SIZE).get_page(request.GET.get("page"))
    events = AuditEvent.objects.filter(target_kind=API_KEY)[:EVENTS_SHOWN]
    context = {
        "query": query,
        "state": state,
        "states": STATES.items(),
        "page": page,
        "events": events,
    }
    return render(request, "access/keys.html", context | _rights(request))


@for_staff_with(ADD_KEYS)
@never_cache
@sensitive_variables("issued")
@require_http_methods(["GET", "POST"])
def key_new(request: HttpRequest) -> HttpResponse:
    """The form of a new key, and after it the key's token with what to do with it: this once."""
    form = KeyForm(request.POST if request.method == "POST" else None)
    if not (form.is_bound and form.is_valid()):
        return _render(request, "form", {"form": form}, status=422 if form.is_bound else 200)
    issued = form.issue(user_of(request), actor_of(request))
    address = mcp_url(request)
    context = {
        "key": issued.key,
        "token": issued.token,
        "connections": describe_connections(address, issued.token),
        "mcp_url": address,
    }
    return _render(request, "created", context | _rights(request))


@for_staff_with(CHANGE_KEYS)
@require_POST
def key_revoke(request: HttpRequest, key_pk: int) -> HttpResponse:
    """The key's row, of a key that no runtime accepts any more."""
    key = get_object_or_404(ApiKey.objects.select_related("owner"), pk=key_pk)
    revoke_key(key, actor_of(request))
    messages.success(request, _("The key %(name)s was revoked.") % {"name": key.name})
    if not is_fragment(request):
        return redirect("keys")
    return render(request, "access/_key_row.html", {"key": key} | _rights(request))


def _render(
    request: HttpRequest, part: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """The part alone in the dialog that htmx fills, or a page of its own."""
    name = f"_key_{part}_dialog" if is_fragment(request) else f"key_{part}"
    return render(request, f"access/{name}.html", context, status=status)


def _filter(query: str, state: str) -> "QuerySet[ApiKey]":
    keys = ApiKey.objects.select_related("owner")
    for word in query.split()[:8]:
        keys = keys.filter(
            Q(name__icontains=word) | Q(key_id__icontains=word) | Q(owner__username__icontains=word)
        )
    expired = Q(expires_at__lte=timezone.now())
    suspended = Q(owner__is_active=False)
    match state:
        case "valid":
            lasting = keys.filter(~expired | Q(expires_at=None), revoked_at=None)
            return lasting.filter(~suspended | Q(owner=None))
        case "expired":
            return keys.filter(expired, revoked_at=None)
        case "suspended":
            return keys.filter(suspended, revoked_at=None)
        case "revoked":
            return keys.exclude(revoked_at=None)
    return keys


def _rights(request: HttpRequest) -> dict[str, bool]:
    user = user_of(request)
    return {"may_add": user.has_perm(ADD_KEYS), "may_revoke": user.has_perm(CHANGE_KEYS)}
