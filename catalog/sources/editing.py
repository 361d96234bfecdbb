"""Data sources on their pages: registered, tried before they are saved, changed and deleted."""

from typing import Any

from django.contrib import messages
from django.contrib.admin.models import ADDITION, CHANGE, DELETION
from django.contrib.admin.utils import construct_change_message
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect, reswap, retarget

from access.views.gates import is_fragment, user_of
from catalog.changes import source_changed
from catalog.files.keeping import forget_source
from catalog.models import CheckState, DataSource
from catalog.rights import may_use
from catalog.sources.cards import USES, read_card
from catalog.sources.checking import store_report
from catalog.sources.forms import SourcePageForm
from catalog.sources.gates import (
    find_source,
    for_adders,
    for_changers,
    for_deleters,
    is_kept_by_variable,
    record_change,
)
from catalog.sources.states import explain_origin, state_of_check
from catalog.sources.views import view_of_report
from gateways.engines import KINDS

# A link may say where a database is, but not which of our secrets is sent there.
FILLED_IN = ("name", "engine", "host", "port", "database", "username", "path", "server_url")
_MAX_FILLED_IN = 1_000
_LEVELS = {
    CheckState.OK: messages.SUCCESS,
    CheckState.WARNING: messages.SUCCESS,
    CheckState.UNREACHABLE: messages.WARNING,
    CheckState.REFUSED: messages.ERROR,
}


@sensitive_post_parameters("new_password")
@for_adders
@require_http_methods(["GET", "POST"])
def source_add(request: HttpRequest) -> HttpResponse:
    """The form of a new data source, filled in from the query; never with a secret or a reference to one."""
    query = {name: request.GET.get(name, "")[:_MAX_FILLED_IN] for name in FILLED_IN}
    given = {name: text for name, text in query.items() if text}
    if given.get("engine") not in KINDS:
        given.pop("engine", None)
    return _answer(request, DataSource(**given if request.method == "GET" else {}))


@sensitive_post_parameters("new_password")
@for_changers
@require_http_methods(["GET", "POST"])
def source_edit(request: HttpRequest, name: str) -> HttpResponse:
    """The form of one; 409 where somebody else has saved it since the form was made."""
    source = find_source(request, name)
    if request.method != "POST" or request.POST.get("revision") == source.updated_at.isoformat():
        return _answer(request, source)
    context = {"saved": source, "is_stale": True}
    if is_fragment(request):
        # A notice above the form, which keeps what was typed.
        notice = render(request, "catalog/sources/_form_outcome.html", context, status=409)
        return reswap(retarget(notice, "#form-outcome"), "innerHTML")
    context |= _form_context(source, SourcePageForm(instance=source))
    return render(request, "catalog/sources/form.html", context, status=409)


@for_deleters
@require_http_methods(["GET", "POST"])
def source_delete(request: HttpRequest, name: str) -> HttpResponse:
    """What hangs on the data source, and its end; 409 where tools or a variable forbid that."""
    user, source = user_of(request), find_source(request, name)
    uses = [(use.label, use.read(user, source)) for use in USES.values()]
    is_kept = is_kept_by_variable(source)
    if request.method == "POST" and not is_kept:
        try:
            with transaction.atomic():
                record_change(user, source, "", DELETION)
                forget_source(source)
                source.delete()
                source_changed(None)
        except (ProtectedError, IntegrityError):
            pass
        else:
            messages.success(request, _("%s was deleted.") % name)
            return redirect("sources")
    context = {
        "source": source,
        "card": read_card(user, source),
        "blockers": [(label, things) for label, things in uses if things],
        "described_count": source.tables.exclude(description="", notes="", display_name="").count(),
        "is_kept_by_variable": is_kept,
        "origin": explain_origin(source),
    }
    status = 409 if request.method == "POST" else 200
    return render(request, "catalog/sources/delete.html", context, status=status)


def _answer(request: HttpRequest, source: DataSource) -> HttpResponse:
    """The form; after a POST the try's outcome, or the page of the saved row."""
    form = SourcePageForm(instance=source)
    if request.method == "POST":
        given, host = request.POST.copy(), request.POST.get("allow_host", "")
        # The button beside a refused address: it tries again, and saves nothing.
        is_trial = given.get("intent") == "try" or bool(host)
        if host:
            hosts = (given.get("allowed_hosts", ""), host)
            given["allowed_hosts"] = ", ".join(filter(None, hosts))
        form = SourcePageForm(given, instance=source, is_trial=is_trial)
        if form.is_valid() and not is_trial:
            source = _save(request, form)
            # The list, where the user has just shut himself out.
            is_visible = may_use(user_of(request), source)
            address = reverse("source", args=[source.name]) if is_visible else reverse("sources")
            redirected = HttpResponseClientRedirect if is_fragment(request) else redirect
            return redirected(address)
    # The form writes what was typed into its row, so the saved one is read from the database.
    saved = DataSource.objects.filter(pk=source.pk).first() if source.pk else None
    template = "_form.html" if is_fragment(request) else "form.html"
    status = 422 if form.is_bound and form.errors else 200
    context = _form_context(saved, form)
    return render(request, f"catalog/sources/{template}", context, status=status)


def _save(request: HttpRequest, form: SourcePageForm) -> DataSource:
    """The saved row with its check, said in a message."""
    flag = ADDITION if form.instance.pk is None else CHANGE
    text, level = _("%s was saved."), messages.SUCCESS
    with transaction.atomic():
        source = form.save()
        if form.report is not None:
            state = state_of_check(check := store_report(source, form.report))
            level = _LEVELS[CheckState(check.state)]
            text = _("%(name)s was saved: %(state)s.") % {"name": "%s", "state": state.label}
        done = construct_change_message(form, [], flag == ADDITION)  # type: ignore[arg-type]
        record_change(user_of(request), source, done, flag)
        source_changed(source)
    messages.add_message(request, level, text % source.name)
    return source


def _form_context(saved: DataSource | None, form: SourcePageForm) -> dict[str, Any]:
    check = view_of_report(form.instance.engine, form.report) if form.report else None
    return {
        "form": form,
        "saved": saved,
        "origin": explain_origin(saved) if saved else "",
        "revision": saved.updated_at.isoformat() if saved else "",
        "check": check,
        "longest_s": max(kind.longest_check_s for kind in KINDS.values()),
    }
