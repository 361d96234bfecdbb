"""The settings: what concerns the person, and for superusers how this installation is set up."""

import platform
from importlib.metadata import version
from typing import Any

import django
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from access.connecting import local_mcp_url
from access.views.gates import user_of
from config.web.service_states import read_service_states
from config.web.sign_in import begin_sign_in, explain_wait
from config.web.variables import list_variables


class PersonForm(forms.ModelForm[User]):
    """The name that is shown, and the e-mail address."""

    class Meta:
        model = User
        fields = ["first_name", "last_name", "email"]


class PasswordForm(PasswordChangeForm):
    """A new password for a person who knows the old one; wrong ones count as those of signing in do."""

    def __init__(self, user: User, data: Any = None, *, request: HttpRequest | None = None) -> None:
        super().__init__(user, data)
        self._request = request

    def clean_old_password(self) -> str:
        if self._request is None:
            return super().clean_old_password()
        attempt = begin_sign_in(self._request, self.user.get_username())
        if attempt.wait_minutes:
            raise ValidationError(explain_wait(attempt.wait_minutes))
        password = super().clean_old_password()
        attempt.succeed()
        return password


@login_required
@never_cache
@require_GET
def settings_page(request: HttpRequest) -> HttpResponse:
    """Who the person is, their password, and for superusers the system."""
    return _render(request)


@login_required
@never_cache
@require_POST
def settings_person(request: HttpRequest) -> HttpResponse:
    """Keep the name and the e-mail address."""
    form = PersonForm(request.POST, instance=_own_row(request))
    if not form.is_valid():
        return _render(request, status=422, person_form=form)
    form.save()
    messages.success(request, _("Saved."))
    return redirect("settings")


@login_required
@never_cache
@sensitive_post_parameters()
@require_POST
def settings_password(request: HttpRequest) -> HttpResponse:
    """Change the password; this session goes on, those on other machines end."""
    form = PasswordForm(_own_row(request), request.POST, request=request)
    if not form.is_valid():
        return _render(request, status=422, password_form=form)
    update_session_auth_hash(request, form.save())
    messages.success(request, _("The password is changed. Other sessions of yours have ended."))
    return redirect("settings")


def _render(request: HttpRequest, *, status: int = 200, **bound: Any) -> HttpResponse:
    user = user_of(request)
    context = {
        "person_form": PersonForm(instance=user),
        "password_form": PasswordForm(user),
        **bound,
    }
    if user.is_superuser:
        context |= {
            "versions": [
                ("Toolbuilder", settings.VERSION),
                ("Python", platform.python_version()),
                ("Django", django.get_version()),
                ("FastMCP", version("fastmcp")),
            ],
            "web_url": request.build_absolute_uri("/"),
            "mcp_url": local_mcp_url(request),
            "public_url": settings.MCP_PUBLIC_URL,
            "services": read_service_states(),
            "groups": list_variables(),
        }
    return render(request, "web/settings.html", context, status=status)


def _own_row(request: HttpRequest) -> User:
    """The user's row apart from the request's, which must not show what a form refuses."""
    return User.objects.get(pk=user_of(request).pk)
