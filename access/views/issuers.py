"""Issuers of access tokens and the rules on their claims; a pasted token is tried here."""

import json
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.connecting import endpoint_audiences, endpoint_url, page_url
from access.issuers.forms import IssuerForm, RuleForm, TokenForm
from access.issuers.models import IssuerRule, TokenIssuer, read_issuers
from access.issuers.trying import try_token
from access.reader_language import in_language
from access.views.gates import (
    ADD_ISSUERS,
    CHANGE_ISSUERS,
    DELETE_ISSUERS,
    SEE_ISSUERS,
    for_staff_with,
    user_of,
)
from core.errors import IssuerUnavailableError, TokenRefusedError


@for_staff_with(SEE_ISSUERS)
@require_GET
def issuer_list(request: HttpRequest) -> HttpResponse:
    """Every issuer with its rules, and the form that tries a token."""
    return _render_list(request, TokenForm())


@for_staff_with(SEE_ISSUERS)
@never_cache
@sensitive_post_parameters("token")
@require_http_methods(["GET", "POST"])
def token_try(request: HttpRequest) -> HttpResponse:
    """What a pasted token would get; it is neither stored nor written back into the page."""
    form = TokenForm(request.POST if request.method == "POST" else None)
    if not (form.is_bound and form.is_valid()):
        return _render_list(request, form, status=422 if form.is_bound else 200)
    given = form.cleaned_data
    audiences = endpoint_audiences(given["toolset"])
    token = "".join(given["token"].split()).removeprefix("Bearer")
    try:
        tried = try_token(token, read_issuers(), audiences)
    except (TokenRefusedError, IssuerUnavailableError) as error:
        form.add_error("token", in_language(error))
        return _render_list(request, form, status=422)
    claims = json.dumps(tried.claims, indent=2, ensure_ascii=False, sort_keys=True)
    rules = IssuerRule.objects.filter(pk__in=tried.rights.rules) if tried.rights else ()
    shown: dict[str, Any] = {"tried": tried, "claims": claims, "matched": rules}
    return _render_list(request, TokenForm(initial={"toolset": given["toolset"]}), **shown)


@for_staff_with(ADD_ISSUERS)
@require_http_methods(["GET", "POST"])
def issuer_new(request: HttpRequest) -> HttpResponse:
    """The form of a new issuer; kept, its page, where rules are added."""
    return _edit_issuer(request, None)


@for_staff_with(CHANGE_ISSUERS)
@require_http_methods(["GET", "POST"])
def issuer_edit(request: HttpRequest, issuer_pk: int) -> HttpResponse:
    """The form of an issuer, and its rules."""
    return _edit_issuer(request, get_object_or_404(TokenIssuer, pk=issuer_pk))


@for_staff_with(DELETE_ISSUERS)
@require_POST
def issuer_delete(request: HttpRequest, issuer_pk: int) -> HttpResponse:
    """The issuer and its rules gone; its tokens are refused."""
    get_object_or_404(TokenIssuer, pk=issuer_pk).delete()
    messages.success(request, _("The issuer was deleted."))
    return redirect("issuers")


@for_staff_with(CHANGE_ISSUERS)
@require_http_methods(["GET", "POST"])
def rule_new(request: HttpRequest, issuer_pk: int) -> HttpResponse:
    """The form of a new rule."""
    issuer = get_object_or_404(TokenIssuer, pk=issuer_pk)
    return _edit_rule(request, IssuerRule(issuer=issuer))


@for_staff_with(CHANGE_ISSUERS)
@require_http_methods(["GET", "POST"])
def rule_edit(request: HttpRequest, rule_pk: int) -> HttpResponse:
    """The form of a rule."""
    rules = IssuerRule.objects.select_related("issuer")
    return _edit_rule(request, get_object_or_404(rules, pk=rule_pk))


@for_staff_with(CHANGE_ISSUERS)
@require_POST
def rule_delete(request: HttpRequest, rule_pk: int) -> HttpResponse:
    """The rule gone, and with it what it granted."""
    rule = get_object_or_404(IssuerRule, pk=rule_pk)
    rule.delete()
    messages.success(request, _("The rule was deleted."))
    return redirect("issuer", rule.issuer_id)


def _render_list(
    request: HttpRequest, form: TokenForm, status: int = 200, **shown: Any
) -> HttpResponse:
    if form.is_bound:
        # The token itself is not written back.
        form.data = {"token": "", "toolset": form.data.get("toolset", "")}
    context = {
        "issuers": TokenIssuer.objects.prefetch_related("rules"),
        "form": form,
        "resource": endpoint_url(),
        "may_add": user_of(request).has_perm(ADD_ISSUERS),
        "may_change": user_of(request).has_perm(CHANGE_ISSUERS),
    }
    return render(request, "access/issuers.html", context | shown, status=status)


def _edit_issuer(request: HttpRequest, row: TokenIssuer | None) -> HttpResponse:
    form = IssuerForm(request.POST if request.method == "POST" else None, instance=row)
    if form.is_bound and form.is_valid():
        messages.success(request, _("The issuer was saved; its tokens are judged so from now on."))
        return redirect("issuer", form.save().pk)
    name = row.name if row else "NAME"
    context = {
        "form": form,
        "row": row,
        "rules": row.rules.all() if row else (),
        "may_delete": user_of(request).has_perm(DELETE_ISSUERS),
        "callback": page_url(request, reverse("sign-on-callback", args=[name])),
        "signed_out": page_url(request, reverse("sign-in")),
    }
    return _render_form(request, "access/issuer_form.html", form, context)


def _edit_rule(request: HttpRequest, rule: IssuerRule) -> HttpResponse:
    form = RuleForm(request.POST if request.method == "POST" else None, instance=rule)
    if form.is_bound and form.is_valid():
        form.save()
        messages.success(request, _("The rule was saved."))
        return redirect("issuer", rule.issuer_id)
    return _render_form(request, "access/rule_form.html", form, {"form": form, "rule": rule})


def _render_form(
    request: HttpRequest, template: str, form: forms.BaseForm, context: dict[str, Any]
) -> HttpResponse:
    return render(request, template, context, status=422 if form.is_bound else 200)
