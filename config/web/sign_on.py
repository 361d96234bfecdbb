"""Signing in and out by an issuer; a link leads there, for the pages' policy closes forms to other servers."""

import secrets
from datetime import timedelta
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth import login, logout
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from access.audit.models import AuditAction
from access.audit.trail import record_sign_in
from access.connecting import page_url
from access.issuers.models import TokenIssuer
from access.issuers.sign_on import begin_sign_on, finish_sign_on
from access.reader_language import in_language
from config.web.addresses import next_address
from config.web.theme import bring_layout
from core.errors import SignOnError

_BACKEND = "access.roles.rights.RoleBackend"
# Of the session: the pages that were asked for, by the state of each sign-in, and what its end needs.
_NEXTS, _SIGN_ON = "sign_on_nexts", "sign_on"
_MOST_NEXTS = 10
_SIGNED_OUT_COOKIE = "signed_out"
# Some servers refuse longer addresses, and the ID token of somebody in many groups is long.
_MAX_HINT_CHARACTERS = 2_000


def sign_on_issuers() -> QuerySet[TokenIssuer]:
    """The issuers by which people may sign in."""
    return TokenIssuer.objects.filter(is_active=True).exclude(client_id="").order_by("name")


@never_cache
@require_GET
def sign_on(request: HttpRequest, name: str) -> HttpResponse:
    """On to the issuer's own sign-in."""
    issuer = get_object_or_404(sign_on_issuers(), name=name)
    address, state = next_address(request), secrets.token_urlsafe(24)
    # Several tabs may be at the issuer, each on the way to a page of its own.
    nexts = {**request.session.get(_NEXTS, {}), state: address}
    request.session[_NEXTS] = dict(list(nexts.items())[-_MOST_NEXTS:])
    callback = page_url(request, reverse("sign-on-callback", args=[name]))
    try:
        return begin_sign_on(request, issuer, callback, state)
    except SignOnError as error:
        return _refuse(request, issuer, error, address)


@never_cache
@require_GET
def sign_on_callback(request: HttpRequest, name: str) -> HttpResponse:
    """Back from the issuer: signed in, on the page that was asked for."""
    issuer = get_object_or_404(sign_on_issuers(), name=name)
    address = request.session.get(_NEXTS, {}).get(request.GET.get("state", ""), "/")
    try:
        user, ending = finish_sign_on(request, issuer)
    except SignOnError as error:
        record_sign_in(AuditAction.SIGN_IN_REFUSED, None)
        return _refuse(request, issuer, error, address)
    login(request, user, backend=_BACKEND)
    record_sign_in(AuditAction.SIGNED_IN, user)
    request.session[_SIGN_ON] = ending
    # A moment and not a time: every change of the session would begin a time again.
    request.session.set_expiry(timezone.now() + timedelta(hours=settings.SIGN_ON_SESSION_HOURS))
    response = redirect(address)
    bring_layout(response, request, user)
    return response


@never_cache
@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session and show the form; after a sign-in by an issuer a page with a link that ends that one too."""
    ending = request.session.get(_SIGN_ON) or {}
    if isinstance(request.user, User):
        record_sign_in(AuditAction.SIGNED_OUT, request.user)
    logout(request)
    response: HttpResponse = redirect("sign-in")
    if ending.get("end"):
        back = page_url(request, reverse("sign-in"))
        given = {"post_logout_redirect_uri": back}
        # A session of an earlier version does not have it.
        if client_id := ending.get("client_id"):
            given["client_id"] = client_id
        if len(ending["id_token"]) <= _MAX_HINT_CHARACTERS or not client_id:
            given["id_token_hint"] = ending["id_token"]
        url = f"{ending['end']}?{urlencode(given)}"
        response = render(request, "web/signed_out.html", {"issuer": ending["issuer"], "url": url})
    # By it a page that the browser has kept knows that somebody signed out since (static/web/session.js).
    response.set_cookie(
        _SIGNED_OUT_COOKIE, secrets.token_urlsafe(8), samesite="Lax", secure=request.is_secure()
    )
    return response


def _refuse(
    request: HttpRequest, issuer: TokenIssuer, error: SignOnError, address: str
) -> HttpResponse:
    context = {"issuer": issuer.name, "error": in_language(error), "next": address}
    return render(request, "web/sign_on_failed.html", context, status=403)
