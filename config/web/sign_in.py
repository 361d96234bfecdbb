"""Signing in by name and password, in a page or in the dialog of an ended session."""

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext
from django.views.csrf import csrf_failure
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe
from django_htmx.middleware import HtmxDetails

from access.audit.trail import record_sign_in
from access.models import AuditAction
from access.proxies import client_address
from access.sign_ins import KNOWN_FOR, StartedSignIn, start_sign_in
from access.views.events import event_response
from config.web.addresses import next_address
from config.web.sign_on import sign_on_issuers
from config.web.theme import bring_layout

DEVICE_COOKIE = "device"
_DEVICE_CHARACTERS = 100


class HtmxRequest(HttpRequest):
    """A request as HtmxMiddleware leaves it."""

    htmx: HtmxDetails


class SignInForm(AuthenticationForm):
    """Name and password, refused without a look at them after too many wrong ones.

    `device` is the mark that the browser keeps after a success.
    """

    error_messages = {
        **AuthenticationForm.error_messages,
        "invalid_login": _("The user name or the password is wrong."),
    }
    wait_minutes = 0
    device = ""

    def clean(self) -> dict[str, object]:
        # Without a request, as from a command, there is nobody to hold up.
        if self.request is None:
            return super().clean()
        attempt = begin_sign_in(self.request, self.cleaned_data.get("username", ""))
        if attempt.wait_minutes:
            self.wait_minutes = attempt.wait_minutes
            self.add_error(None, explain_wait(attempt.wait_minutes))
            return self.cleaned_data
        cleaned = super().clean()
        self.device = attempt.succeed()
        return cleaned


def begin_sign_in(request: HttpRequest, username: str) -> StartedSignIn:
    """An attempt at this person's password from the client of the request."""
    device = request.COOKIES.get(DEVICE_COOKIE, "")[:_DEVICE_CHARACTERS]
    return start_sign_in(username, client_address(request), device)


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def sign_in(request: HtmxRequest) -> HttpResponse:
    """The form, and after it the page that was asked for; htmx gets the form alone."""
    form = SignInForm(request, request.POST if request.method == "POST" else None)
    address = next_address(request)
    if request.user.is_authenticated and not (form.is_bound or request.htmx or address == "/"):
        # Pages refuse whom they know with 403, so this person signed in in another tab. The back
        # office alone leads its own refused ones here.
        is_refused = address.startswith(reverse("admin:index")) and not request.user.is_staff
        if not is_refused:
            return redirect(address)
    if form.is_bound and form.is_valid():
        login(request, form.get_user())
        record_sign_in(AuditAction.SIGNED_IN, form.get_user())
        response = _renew(request, status=204) if request.htmx else redirect(address)
        bring_layout(response, request, form.get_user())
        response.set_cookie(
            DEVICE_COOKIE,
            form.device,
            max_age=KNOWN_FOR,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
        return response
    if form.is_bound and not form.wait_minutes:
        # What was typed is kept only where it names somebody: it may be a password in the wrong field.
        name = form.cleaned_data.get("username", "")
        record_sign_in(AuditAction.SIGN_IN_REFUSED, User.objects.filter(username=name).first())
    template = "web/_session_form.html" if request.htmx else "web/sign_in.html"
    context = {"form": form, "next": address, "issuers": sign_on_issuers()}
    response = render(request, template, context, status=422 if form.errors else 200)
    if form.wait_minutes:
        response.status_code = 429
        response["Retry-After"] = str(form.wait_minutes * 60)
    return response


@never_cache
@require_safe
def session_state(request: HttpRequest) -> HttpResponse:
    """Who is signed in, '' for nobody, and the token that a form needs now."""
    return JsonResponse({"username": request.user.get_username(), "token": get_token(request)})


def refuse_form(request: HtmxRequest, reason: str = "") -> HttpResponse:
    """CSRF_FAILURE_VIEW: a page that was loaded before the person signed in or out elsewhere."""
    if not request.htmx:
        return csrf_failure(request, reason)
    if not request.user.is_authenticated:
        return event_response("session:ended", status=401)
    return _renew(request, status=409)


def _renew(request: HtmxRequest, *, status: int) -> HttpResponse:
    """What a page needs to go on, and whose it is now: it must not be another person's."""
    username = request.user.get_username()
    return event_response(
        "session:renewed", status=status, token=get_token(request), username=username
    )


def explain_wait(minutes: int) -> str:
    """The sentence for somebody who has tried too often."""
    text = ngettext(
        "Too many attempts. Try again in %(minutes)d minute.",
        "Too many attempts. Try again in %(minutes)d minutes.",
        minutes,
    )
    return text % {"minutes": minutes}
