"""Data sources on their pages: registered, tried before they are saved, changed and deleted."""

from typing import Any

from django.contrib import messages
from django.contrib.admin.models import ADDITION, CHANGE, DELETION
from django.contrib.admin.utils import construct_change_message
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from django_htmx.http import HttpResponseClientRedirect, reswap, retarget

from catalog.browsing.fields import is_fragment
from catalog.changes import source_changed
from catalog.gates import user_of
from catalog.models import CheckState, DataSource, Engine
from catalog.sources.cards import read_card
from catalog.sources.check_views import view_of_report
from catalog.sources.checking import store_report
from catalog.sources.findings import LONGEST_CHECK_S
from catalog.sources.gates import (
    find_source,
    for_adders,
    for_changers,
    for_deleters,
    is_kept_by_variable,
    record_change,
    visible_sources,
)
from catalog.sources.page_forms import SourcePageForm
from catalog.sources.states import explain_origin, state_of_check
from catalog.sources.uses import USES

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
    """The form of a new data source."""
    return _answer(request, DataSource())


@sensitive_post_parameters("new_password")
@for_changers
@require_http_methods(["GET", "POST"])
def source_edit(request: HttpRequest, name: str) -> HttpResponse:
    """The form of one; 409 where somebody else has saved it since the form was made."""
    source = find_source(request, name)
    if request.method == "POST" and request.POST.get("revision") != _revision_of(source):
        return _answer_stale(request, source)
    return _answer(request, source)


@for_deleters
@require_http_methods(["GET", "POST"])
def source_delete(request: HttpRequest, name: str) -> HttpResponse:
    """What hangs on the data source, and its end; 409 where tools or a variable forbid that."""
    source = find_source(request, name)
    blockers = _read_blockers(user_of(request), source)
    if request.method != "POST":
        return _render_deletion(request, source, blockers)
    if is_kept_by_variable(source) or not _delete(user_of(request), source):
        return _render_deletion(request, source, blockers, status=409)
    messages.success(request, _("%s was deleted.") % name)
    return redirect("sources")


def _answer(request: HttpRequest, source: DataSource) -> HttpResponse:
    """The form; after a POST the try's outcome, or the page of the saved row."""
    if request.method != "POST":
        return _render_form(request, source, SourcePageForm(instance=source))
    is_trial = request.POST.get("intent") == "try"
    form = SourcePageForm(request.POST, instance=source, is_trial=is_trial)
    if not form.is_valid() or is_trial:
        return _render_form(request, source, form)
    return _lead_to(request, _save(request, form))


def _answer_stale(request: HttpRequest, source: DataSource) -> HttpResponse:
    """A notice above the form, which keeps what was typed; without JavaScript the form as it is now."""
    context = {"saved": source, "is_stale": True}
    if is_fragment(request):
        notice = render(request, "catalog/sources/_form_outcome.html", context, status=409)
        return reswap(retarget(notice, "#form-outcome"), "innerHTML")
    context |= _form_context(source, SourcePageForm(instance=source))
    return render(request, "catalog/sources/form.html", context, status=409)


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


def _lead_to(request: HttpRequest, source: DataSource) -> HttpResponse:
    """To the saved row's page, or to the list where the user has just shut himself out."""
    is_visible = visible_sources(user_of(request)).filter(pk=source.pk).exists()
    address = reverse("source", args=[source.name]) if is_visible else reverse("sources")
    if is_fragment(request):
        return HttpResponseClientRedirect(address)
    return redirect(address)


def _render_form(request: HttpRequest, source: DataSource, form: SourcePageForm) -> HttpResponse:
    # The form writes what was typed into its row, so the saved one is asked of the database.
    saved = DataSource.objects.filter(pk=source.pk).first() if source.pk else None
    template = "_form.html" if is_fragment(request) else "form.html"
    status = 422 if form.is_bound and form.errors else 200
    context = _form_context(saved, form)
    return render(request, f"catalog/sources/{template}", context, status=status)


def _form_context(saved: DataSource | None, form: SourcePageForm) -> dict[str, Any]:
    check = view_of_report(form.instance.engine, form.report) if form.report else None
    return {
        "form": form,
        "saved": saved,
        "origin": explain_origin(saved) if saved else "",
        "revision": _revision_of(saved) if saved else "",
        "check": check,
        "longest_s": LONGEST_CHECK_S[Engine.POSTGRESQL],
    }


def _revision_of(source: DataSource) -> str:
    return source.updated_at.isoformat()


def _delete(user: User, source: DataSource) -> bool:
    """Whether it is gone; the history keeps who did it."""
    try:
        with transaction.atomic():
            record_change(user, source, "", DELETION)
            source.delete()
            source_changed(None)
    except (ProtectedError, IntegrityError):
        return False
    return True


def _read_blockers(user: User, source: DataSource) -> list[tuple[Any, Any]]:
    """Kinds of things on it, with the first of each."""
    found = [(use.label, use.read(user, source)) for use in USES.values()]
    return [(label, things) for label, things in found if things]


def _render_deletion(
    request: HttpRequest, source: DataSource, blockers: list[tuple[Any, Any]], status: int = 200
) -> HttpResponse:
    described = source.tables.exclude(description="", notes="", display_name="").count()
    context = {
        "source": source,
        "card": read_card(user_of(request), source),
        "blockers": blockers,
        "described_count": described,
        "is_kept_by_variable": is_kept_by_variable(source),
        "origin": explain_origin(source),
    }
    return render(request, "catalog/sources/delete.html", context, status=status)
