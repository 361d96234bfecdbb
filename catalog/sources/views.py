"""The list of data sources, the page of one, and its check."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from access.views.gates import is_fragment, user_of
from catalog.gates import rights_of
from catalog.models import ACTIVE_STATES, CatalogScan, CheckState, DataSource, KeptCheck
from catalog.sources.cards import DEFAULT_VARIABLES, USES, read_card, read_cards
from catalog.sources.checking import check_sources, find_check, state_of
from catalog.sources.connections import make_default_row
from catalog.sources.findings import StageOutcome, group_by_stage, list_stages, read_findings
from catalog.sources.gates import (
    find_source,
    for_changers,
    for_viewers,
    is_kept_by_variable,
    record_change,
    rights_on_sources,
)
from catalog.sources.services import find_allowable_host, list_secrets
from catalog.sources.states import is_as_checked
from core.catalogue.entries import DEFAULT_SOURCE_NAME
from gateways.check_report import ConnectionReport
from gateways.engines import find_kind


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckView:
    """What a check said; `checked_at` is None of one that is not kept."""

    state: CheckState
    stages: list[StageOutcome]
    server: str = ""
    role: str = ""
    role_sql: str = ""
    checked_at: datetime | None = None
    is_refused: bool = False


def view_of_check(engine: str, check: KeptCheck) -> CheckView:
    """A stored check; other programs write rows too, so its report may be anything."""
    report = check.report if isinstance(check.report, Mapping) else {}
    return CheckView(
        state=CheckState(check.state),
        stages=group_by_stage(find_kind(engine), read_findings(check)),
        server=str(report.get("server", "")),
        role=str(report.get("role", "")),
        role_sql=str(report.get("role_sql", "")),
        checked_at=check.checked_at,
        is_refused=bool(check.refusal),
    )


def view_of_report(engine: str, report: ConnectionReport) -> CheckView:
    """A check that is not kept."""
    state = state_of(report)
    return CheckView(
        state=state,
        stages=group_by_stage(find_kind(engine), report.findings),
        server=report.server,
        role=report.role,
        role_sql=report.role_sql,
        is_refused=state is CheckState.REFUSED,
    )


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
    source = _find_shown(request, name)
    check = find_check(source)
    return _render_page(request, source, view_of_check(source.engine, check) if check else None)


@for_changers
@require_POST
def source_check(request: HttpRequest, name: str) -> HttpResponse:
    """The check's stages after asking the database."""
    source = _find_shown(request, name)
    if source.is_default and not source.host:
        return redirect("source", name)
    [check] = check_sources([source])
    state = CheckState(check.state)
    text = _("Checked the connection: %s.") % state.label
    record_change(user_of(request), source, text)
    if not is_fragment(request):
        messages.info(request, text)
        return redirect("source", name)
    # The row still holds the check before this one.
    return _render_panel(request, _find_shown(request, name), view_of_check(source.engine, check))


def _find_shown(request: HttpRequest, name: str) -> DataSource:
    return make_default_row() if name == DEFAULT_SOURCE_NAME else find_source(request, name)


def _render_page(request: HttpRequest, source: DataSource, check: CheckView | None) -> HttpResponse:
    user = user_of(request)
    row = source if source.pk else None
    scans = CatalogScan.objects.filter(source=row, state__in=ACTIVE_STATES)
    user_names, group_names = [], []
    if row and row.is_restricted:
        users = row.allowed_users.order_by("username")
        user_names = list(users.values_list("username", flat=True))
        group_names = list(row.allowed_groups.order_by("name").values_list("name", flat=True))
    context = {
        "card": read_card(user, source),
        "source": source,
        "is_default": row is None,
        "variables": DEFAULT_VARIABLES,
        "is_kept_by_variable": is_kept_by_variable(source),
        "uses": [(use.label, use.read(user, row)) for use in USES.values()],
        **_panel_context(request, source, check),
        # The scan that waits or runs, and what the fragments of scans ask for.
        "scan": scans.select_related("source").first(),
        "rights": rights_of(request),
        "allowable_host": find_allowable_host(source) if source.is_service else "",
        "secrets": list_secrets(source) if source.is_service else [],
        "user_names": user_names,
        "group_names": group_names,
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
    kind = find_kind(source.engine)
    panel = {
        "address": reverse("source-check", args=[source.name]),
        "longest_s": kind.longest_check_s,
        "pending": list_stages(kind),
        "check": check,
        "is_outdated": check is not None and not is_as_checked(source),
    }
    return {"panel": panel, "source_rights": rights_on_sources(user_of(request))}
