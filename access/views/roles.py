"""The roles of people and groups: the list with the form of a new one, and taking one away."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from access.roles.models import RoleGrant
from access.views.gates import ADD_ROLES, DELETE_ROLES, SEE_ROLES, for_staff_with, user_of

SHOWN = 1_000


class RoleForm(forms.ModelForm[RoleGrant]):
    """A role of one person or one group, over all or on the tools of a toolset."""

    class Meta:
        model = RoleGrant
        fields = ["user", "group", "role", "toolset"]


@for_staff_with(SEE_ROLES)
@require_http_methods(["GET", "POST"])
def role_list(request: HttpRequest) -> HttpResponse:
    """Who has which role where; posted, one more."""
    may_add = user_of(request).has_perm(ADD_ROLES)
    if request.method != "POST":
        return _render(request, RoleForm() if may_add else None)
    if not may_add:
        raise PermissionDenied(
            _("Ask an administrator for the right, or sign in as somebody else.")
        )
    form = RoleForm(request.POST)
    if not form.is_valid():
        return _render(request, form, status=422)
    form.save()
    messages.success(request, _("The role holds from now on."))
    return redirect("roles")


@for_staff_with(SEE_ROLES, DELETE_ROLES)
@require_POST
def role_delete(request: HttpRequest, grant_pk: int) -> HttpResponse:
    """The role taken away; it holds no more with the next request."""
    get_object_or_404(RoleGrant, pk=grant_pk).delete()
    messages.success(request, _("The role was taken away."))
    return redirect("roles")


def _render(request: HttpRequest, form: RoleForm | None, status: int = 200) -> HttpResponse:
    rows = RoleGrant.objects.select_related("user", "group", "toolset")
    context: dict[str, Any] = {
        "grants": rows.order_by("group__name", "user__username", "role")[:SHOWN],
        "form": form,
        "may_delete": user_of(request).has_perm(DELETE_ROLES),
    }
    return render(request, "access/roles.html", context, status=status)
