"""Limits and what is used of them; making, changing, switching and deleting them."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.limits.models import TargetType, ToolLimit
from access.limits.usage import counts_in_postgres, limit_zone, read_uses
from access.models import ApiKey, TokenIssuer
from access.tool_names import tool_names
from access.views.gates import (
    ADD_LIMITS,
    CHANGE_LIMITS,
    DELETE_LIMITS,
    SEE_LIMITS,
    for_staff_with,
    user_of,
)
from access.visibility import visible_limits
from core.formatting import format_csv
from core.limits import Measure

PAGE_SIZE = 100
EXPORT_LIMIT = 10_000
NAMES_OFFERED = 1_000
LEVELS = {
    "": gettext_lazy("All"),
    "bad": gettext_lazy("Used up"),
    "warn": gettext_lazy("Above 80 %"),
}
_MEASURES = [measure.value for measure in Measure]


class LimitForm(forms.ModelForm[ToolLimit]):
    """One limit: whose calls, of which tool, how much."""

    class Meta:
        model = ToolLimit
        fields = ["target_type", "target_id", "tool_name", *_MEASURES]
        widgets = dict.fromkeys(("target_id", "tool_name"), forms.TextInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in _MEASURES:
            # From what a number is refused.
            self.fields[name].min_value = 0  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError for what would limit nothing, or nobody."""
        given = super().clean() or self.cleaned_data
        if all(given.get(name) is None for name in _MEASURES) and not self.errors:
            raise forms.ValidationError(
                _("Write at least one number: calls, rows, bytes or seconds.")
            )
        for name in _MEASURES:
            if (given.get(name) or 0) < 0:
                self.add_error(name, _("a limit is 0 or more"))
        who = (given.get("target_id") or "").strip()
        match given.get("target_type"):
            case TargetType.TOOL | TargetType.ALL:
                given["target_id"] = None
            case TargetType.KEY if who and not ApiKey.objects.filter(key_id=who).exists():
                self.add_error("target_id", _("There is no key with this id."))
            case TargetType.USER if who and not _is_person(who):
                self.add_error("target_id", _("There is no user of this name."))
        return given


@for_staff_with(SEE_LIMITS)
@require_GET
def limit_list(request: HttpRequest) -> HttpResponse:
    """Limits with bars of what is used, found by who and tool."""
    query = request.GET.get("q", "").replace("\0", "").strip()[:200]
    level = request.GET.get("level", "")
    rows = list(_filter(user_of(request), query))
    uses = read_uses(rows)
    shown = [use for use in uses if level in ("", use.level) or level not in LEVELS]
    page = Paginator(shown, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "query": query,
        "level": level if level in LEVELS else "",
        "levels": [
            (name, label, sum(name in ("", use.level) for use in uses))
            for name, label in LEVELS.items()
        ],
        "page": page,
        "more": f"&level={level}" if level in LEVELS else "",
        "uses": page.object_list,
        "faults": [row for row in rows if row.fault],
        "zone": limit_zone(),
        "in_postgres": counts_in_postgres(),
    }
    return render(request, "access/limits.html", context | _rights(request))


@for_staff_with(SEE_LIMITS)
@require_GET
def limit_export(request: HttpRequest) -> HttpResponse:
    """The limits with what is used of them as CSV."""
    uses = read_uses(_filter(user_of(request), "")[:EXPORT_LIMIT])
    columns = ["id", "target_type", "target_id", "tool_name", "measure", "most", "used", "ends_at"]
    lines = [
        [
            *(use.row.pk, use.row.target_type, use.row.target_id, use.row.tool_name),
            *(use.measure.value, use.most, use.used, use.ends_at and use.ends_at.isoformat()),
        ]
        for use in uses
    ]
    # The mark makes spreadsheets read Korean and Japanese as UTF-8.
    text = "\ufeff" + format_csv(columns, lines)
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="limits.csv"'
    return response


@for_staff_with(ADD_LIMITS)
@require_http_methods(["GET", "POST"])
def limit_new(request: HttpRequest) -> HttpResponse:
    """The form of a new limit; kept, the list with it."""
    return _edit(request, None)


@for_staff_with(CHANGE_LIMITS)
@require_http_methods(["GET", "POST"])
def limit_edit(request: HttpRequest, limit_pk: int) -> HttpResponse:
    """The form of a limit; changed, the list with it."""
    return _edit(request, get_object_or_404(visible_limits(user_of(request)), pk=limit_pk))


@for_staff_with(CHANGE_LIMITS)
@require_POST
def limit_switch(request: HttpRequest, limit_pk: int) -> HttpResponse:
    """The limit on or off; what was used stays counted."""
    row = get_object_or_404(visible_limits(user_of(request)), pk=limit_pk)
    row.is_active = not row.is_active
    row.save(update_fields=["is_active"])
    return redirect("limits")


@for_staff_with(DELETE_LIMITS)
@require_POST
def limit_delete(request: HttpRequest, limit_pk: int) -> HttpResponse:
    """The limit gone."""
    get_object_or_404(visible_limits(user_of(request)), pk=limit_pk).delete()
    messages.success(request, _("The limit was deleted."))
    return redirect("limits")


def _is_person(name: str) -> bool:
    """Whether calls of somebody of this name may come: a user, or `issuer:subject` of a registered issuer."""
    issuer, colon, _subject = name.partition(":")
    if colon:
        return TokenIssuer.objects.filter(name=issuer).exists()
    return User.objects.filter(username=name).exists()


def _edit(request: HttpRequest, row: ToolLimit | None) -> HttpResponse:
    form = LimitForm(request.POST if request.method == "POST" else None, instance=row)
    if form.is_bound and form.is_valid():
        form.save()
        messages.success(request, _("The limit holds from now on."))
        return redirect("limits")
    keys = ApiKey.objects.filter(revoked_at=None).order_by("name")
    users = User.objects.filter(is_active=True).order_by("username")
    context = {
        "form": form,
        "row": row,
        "keys": keys[:NAMES_OFFERED],
        "users": users[:NAMES_OFFERED],
        "tools": tool_names(user_of(request))[:NAMES_OFFERED],
        "measures": [form[name] for name in _MEASURES],
        "zone": limit_zone(),
    }
    status = 422 if form.is_bound else 200
    return render(request, "access/limit_form.html", context | _rights(request), status=status)


def _filter(user: User, query: str) -> "QuerySet[ToolLimit]":
    rows = visible_limits(user).order_by("target_type", "target_id", "tool_name", "id")
    for word in query.split()[:8]:
        keys = ApiKey.objects.filter(name__icontains=word).values("key_id")
        named = Q(target_id__icontains=word) | Q(tool_name__icontains=word)
        rows = rows.filter(named | Q(target_id__in=keys))
    return rows


def _rights(request: HttpRequest) -> dict[str, bool]:
    user = user_of(request)
    return {
        "may_add": user.has_perm(ADD_LIMITS),
        "may_change": user.has_perm(CHANGE_LIMITS),
        "may_delete": user.has_perm(DELETE_LIMITS),
    }
