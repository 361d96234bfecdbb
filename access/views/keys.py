"""The list of keys; making one, whose token is shown once, changing, rotating and revoking one."""

from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
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

from access.allowed_tools import MAX_TOOLS
from access.connecting import describe_connections, mcp_url
from access.key_forms import KeyForm
from access.keys import revoke_key, rotate_key
from access.models import ApiKey, AuditEntry
from access.proxies import client_address
from access.tool_names import OfferedTool, filter_tools, offered_tools
from access.views.gates import (
    ADD_KEYS,
    CHANGE_KEYS,
    SEE_KEYS,
    for_staff_with,
    is_fragment,
    user_of,
)
from access.visibility import hidden_tools

PAGE_SIZE = 50
EVENTS_SHOWN = 20
# The form posts a field for each tool that is ticked; others are found by their texts.
TOOLS_SHOWN = 200
OVERLAPS = {
    "24": gettext_lazy("1 day"),
    "1": gettext_lazy("1 hour"),
    "168": gettext_lazy("7 days"),
    "0": gettext_lazy("no overlap"),
}
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
    events = AuditEntry.objects.filter(kind=ApiKey._meta.db_table)[:EVENTS_SHOWN]
    context = {
        "query": query,
        "state": state,
        "states": STATES.items(),
        "page": page,
        "more": f"&state={state}",
        "events": events,
    }
    return render(request, "access/keys.html", context | _rights(request))


@for_staff_with(ADD_KEYS)
@never_cache
@sensitive_variables("issued")
@require_http_methods(["GET", "POST"])
def key_new(request: HttpRequest) -> HttpResponse:
    """The form of a new key, and after it the key's token with what to do with it: this once.

    `toolset` in the address is ticked already.
    """
    given = request.POST if request.method == "POST" else None
    form = KeyForm(given, user_of(request), toolset=request.GET.get("toolset", ""))
    if not (form.is_bound and form.is_valid()):
        return _render_form(request, form)
    issued = form.issue()
    return _render_token(request, issued.key, issued.token)


@for_staff_with(SEE_KEYS, CHANGE_KEYS)
@require_http_methods(["GET", "POST"])
def key_edit(request: HttpRequest, key_pk: int) -> HttpResponse:
    """The form of a key; changed, the list with it."""
    key = get_object_or_404(ApiKey.objects.select_related("owner"), pk=key_pk)
    form = KeyForm(request.POST if request.method == "POST" else None, user_of(request), key)
    if not (form.is_bound and form.is_valid()):
        return _render_form(request, form)
    form.change()
    messages.success(request, _("The key %(name)s was changed.") % {"name": key.name})
    return redirect("keys")


@for_staff_with(CHANGE_KEYS)
@never_cache
@sensitive_variables("token")
@require_POST
def key_rotate(request: HttpRequest, key_pk: int) -> HttpResponse:
    """A new token of the key, shown this once; the former one is good for the chosen hours yet."""
    key = get_object_or_404(ApiKey.objects.select_related("owner"), pk=key_pk)
    user, hours = user_of(request), request.POST.get("hours", "")
    if not may_rotate(user, key):
        raise PermissionDenied(_("Only its owner or a superuser may give a key a new token."))
    if not key.is_valid or hours not in OVERLAPS:
        messages.error(request, _("Only a valid key can have a new token."))
        return redirect("key", key_pk)
    token = rotate_key(key, timedelta(hours=int(hours)))
    return _render_token(request, key, token)


@for_staff_with()
@require_GET
def key_tools(request: HttpRequest) -> HttpResponse:
    """The tools that can be ticked, found by their texts, after those that are ticked."""
    user = user_of(request)
    if not (user.has_perm(ADD_KEYS) or user.has_perm(CHANGE_KEYS)):
        raise PermissionDenied(
            _("Ask an administrator for the right, or sign in as somebody else.")
        )
    offered = offered_tools(user)
    ticked = list(dict.fromkeys(request.GET.getlist("allowed_tools")))[:MAX_TOOLS]
    chosen = [offered.get(name, OfferedTool(name=name, is_served=False)) for name in ticked]
    others = [tool for name, tool in offered.items() if name not in ticked]
    context = _describe_ticks(chosen, filter_tools(others, request.GET.get("find", "")))
    return render(request, "access/_key_tools.html", context)


@for_staff_with(CHANGE_KEYS)
@require_POST
def key_revoke(request: HttpRequest, key_pk: int) -> HttpResponse:
    """The key's row, of a key that no runtime accepts any more."""
    key = get_object_or_404(ApiKey.objects.select_related("owner"), pk=key_pk)
    revoke_key(key)
    messages.success(request, _("The key %(name)s was revoked.") % {"name": key.name})
    if not is_fragment(request):
        return redirect("keys")
    return render(request, "access/_key_row.html", {"key": key} | _rights(request))


def may_rotate(user: User, key: ApiKey) -> bool:
    """Whether the person may hold the key's token, with which one acts for its owner."""
    return user.is_superuser or key.owner in (None, user)


def _render_form(request: HttpRequest, form: KeyForm) -> HttpResponse:
    ticked, user = set(form.ticked_tools), user_of(request)
    chosen = [tool for name, tool in form.tools.items() if name in ticked]
    others = [tool for name, tool in form.tools.items() if name not in ticked]
    context = {
        "form": form,
        "key": form.key,
        "overlaps": OVERLAPS.items() if form.key and may_rotate(user, form.key) else (),
        "address": client_address(request),
        **_describe_ticks(chosen, others),
    }
    status = 422 if form.is_bound else 200
    return render(request, "access/key_form.html", context | _rights(request), status=status)


def _describe_ticks(chosen: list[OfferedTool], others: list[OfferedTool]) -> dict[str, Any]:
    left_out = len(others) - TOOLS_SHOWN
    return {"chosen": chosen, "others": others[:TOOLS_SHOWN], "left_out": max(left_out, 0)}


@sensitive_variables("token", "context")
def _render_token(request: HttpRequest, key: ApiKey, token: str) -> HttpResponse:
    """The token with what connects a client, at the endpoint of the one toolset if it has nothing else."""
    address, grant = mcp_url(request), key.grant
    if (
        not grant.tools
        and grant.tools is not None
        and not grant.groups
        and len(grant.toolsets) == 1
    ):
        address = f"{address}/{next(iter(grant.toolsets))}"
    context = {
        "key": key,
        "token": token,
        "connections": describe_connections(address, token),
        "mcp_url": address,
    }
    return render(request, "access/key_created.html", context | _rights(request))


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


def _rights(request: HttpRequest) -> dict[str, Any]:
    user = user_of(request)
    hidden = hidden_tools(user)
    return {
        "hidden": hidden,
        "may_add": user.has_perm(ADD_KEYS),
        "may_change": user.has_perm(CHANGE_KEYS),
    }
