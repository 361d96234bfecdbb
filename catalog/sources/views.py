"""The list of data sources, the page of one, and its check."""

from typing import Any

from asgiref.sync import async_to_sync
from django.contrib import messages
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from catalog.browsing.fields import is_fragment
from catalog.gates import rights_of, user_of
from catalog.models import CatalogScan, CheckState, DataSource, ScanState
from catalog.sources.cards import DEFAULT_VARIABLES, make_default_row, read_card, read_cards
from catalog.sources.check_views import CheckView, make_panel, view_of_check, view_of_report
from catalog.sources.checking import check_sources
from catalog.sources.gates import (
    find_source,
    for_changers,
    for_viewers,
    is_kept_by_variable,
    record_change,
    rights_on_sources,
)
from catalog.sources.settings import default_settings
from catalog.sources.states import find_check, is_as_checked
from catalog.sources.uses import USES
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from gateways.checks.postgres import inspect_postgres

_ACTIVE = (ScanState.QUEUED, ScanState.RUNNING)


@for_viewers
@require_GET
def source_list(request: HttpRequest) -> HttpResponse:
    """A card for each data source that the user may see, the default one first."""
    user = user_of(request)
    context = {
        "cards": read_cards(user),
        "variables": DEFAULT_VARIABLES,
        "rights": rights_on_sources(user),
    }
    return render(request, "catalog/sources/list.html", context)


@for_viewers
@require_GET
def source_page(request: HttpRequest, name: str) -> HttpResponse:
    """All of one data source; of the default one without what only a row has."""
    source = make_default_row() if name == DEFAULT_SOURCE_NAME else find_source(request, name)
    return _render_page(request, source, _stored_check(source))


@for_changers
@require_POST
def source_check(request: HttpRequest, name: str) -> HttpResponse:
    """The check's stages after asking the database, which is kept for all but the default one."""
    if name == DEFAULT_SOURCE_NAME:
        return _check_default(request)
    source = find_source(request, name)
    [check] = check_sources([source])
    state = CheckState(check.state)
    text = _("Checked the connection: %s.") % state.label
    record_change(user_of(request), source, text)
    if not is_fragment(request):
        messages.info(request, text)
        return redirect("source", name)
    # The row still holds the check before this one.
    return _render_panel(request, find_source(request, name), view_of_check(source.engine, check))


def _check_default(request: HttpRequest) -> HttpResponse:
    source, settings = make_default_row(), default_settings()
    if settings is None:
        return redirect("source", DEFAULT_SOURCE_NAME)
    report = async_to_sync(inspect_postgres)(settings)
    check = view_of_report(source.engine, report)
    if is_fragment(request):
        return _render_panel(request, source, check)
    return _render_page(request, source, check)


def _stored_check(source: DataSource) -> CheckView | None:
    check = find_check(source) if source.pk else None
    return view_of_check(source.engine, check) if check else None


def _render_page(request: HttpRequest, source: DataSource, check: CheckView | None) -> HttpResponse:
    user = user_of(request)
    context = {
        "card": read_card(user, source),
        "source": source,
        "is_default": source.pk is None,
        "variables": DEFAULT_VARIABLES,
        "is_kept_by_variable": is_kept_by_variable(source),
        "uses": [(use.label, use.read(user, _row(source))) for use in USES.values()],
        **_panel_context(request, source, check),
        **_read_scan(request, source),
        **_read_users(source),
    }
    return render(request, "catalog/sources/detail.html", context)


def _render_panel(request: HttpRequest, source: DataSource, check: CheckView) -> HttpResponse:
    """The panel, with the pill of the page's head where the check is kept."""
    context = {"card": read_card(user_of(request), source), "is_default": source.pk is None}
    context |= _panel_context(request, source, check)
    return render(request, "catalog/sources/_check_answer.html", context)


def _panel_context(
    request: HttpRequest, source: DataSource, check: CheckView | None
) -> dict[str, Any]:
    address = reverse("source-check", args=[source.name])
    is_outdated = source.pk is not None and check is not None and not is_as_checked(source)
    return {
        "panel": make_panel(source, address, check, is_outdated=is_outdated),
        "source_rights": rights_on_sources(user_of(request)),
    }


def _read_scan(request: HttpRequest, source: DataSource) -> dict[str, Any]:
    """The scan that waits or runs; `rights` is what the fragments of scans ask."""
    of_source = Q(source=source) if source.pk else Q(source=None)
    scan = CatalogScan.objects.filter(of_source, state__in=_ACTIVE).select_related("source").first()
    return {"scan": scan, "rights": rights_of(request)}


def _read_users(source: DataSource) -> dict[str, Any]:
    if not source.pk or not source.is_restricted:
        return {"user_names": [], "group_names": []}
    return {
        "user_names": list(
            source.allowed_users.order_by("username").values_list("username", flat=True)
        ),
        "group_names": list(source.allowed_groups.order_by("name").values_list("name", flat=True)),
    }


def _row(source: DataSource) -> DataSource | None:
    return source if source.pk else None
