"""Scans on the catalogue's pages: started, watched and cancelled."""

from typing import Any
from urllib.parse import urlsplit

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from access.views.gates import is_fragment, user_of
from catalog.gates import for_scanners, for_staff, named_sources_open_to, rights_of
from catalog.models import ACTIVE_STATES, CatalogScan, DataSource
from catalog.rights import on_open_source, open_sources
from catalog.scans.scanning import cancel_scan, request_scan
from core.catalogue.entries import DEFAULT_SOURCE_NAME


def read_scan_panel(request: HttpRequest, sources: list[DataSource]) -> dict[str, Any]:
    """What the dialog and the page of scans show: the data sources, active scans and last ones."""
    scans = _visible_scans(request)
    last = scans.exclude(state__in=ACTIVE_STATES).order_by("source_id", "-pk").distinct("source_id")
    return {
        "scan_sources": [DEFAULT_SOURCE_NAME, *(source.name for source in sources)],
        "active_scans": list(scans.filter(state__in=ACTIVE_STATES)),
        "last_scans": list(last),
    }


@for_staff
@require_GET
def scan_page(request: HttpRequest) -> HttpResponse:
    """The dialog's content as a page, for browsers without JavaScript."""
    panel = read_scan_panel(request, named_sources_open_to(user_of(request)))
    return render(request, "catalog/scans/page.html", {"rights": rights_of(request), **panel})


@for_scanners
@require_POST
def scan_start(request: HttpRequest) -> HttpResponse:
    """The scan of a data source, the running one where there is one."""
    user = user_of(request)
    name = request.POST.get("source", "").replace("\0", "")
    source = None
    if name != DEFAULT_SOURCE_NAME:
        source = get_object_or_404(open_sources(user), name=name)
    return _show(request, request_scan(source, user.get_username()))


@for_staff
@require_GET
def scan_progress(request: HttpRequest, scan_id: int) -> HttpResponse:
    """How far a scan is; it asks again each second until the scan is over."""
    return _show(request, get_object_or_404(_visible_scans(request), pk=scan_id))


@for_scanners
@require_POST
def scan_cancel(request: HttpRequest, scan_id: int) -> HttpResponse:
    """The scan after a request to stop it, which takes effect within a second."""
    scan = get_object_or_404(_visible_scans(request), pk=scan_id)
    cancel_scan(scan)
    return _show(request, scan)


def _show(request: HttpRequest, scan: CatalogScan) -> HttpResponse:
    if not is_fragment(request):
        return redirect("catalogue-scans")
    # The list that the scan is watched from, '' where it is watched from another page.
    parts = urlsplit(request.headers.get("HX-Current-URL", ""))
    address = reverse("catalogue")
    list_address = f"{address}?{parts.query}" if parts.path == address else ""
    context = {"scan": scan, "rights": rights_of(request), "list_address": list_address}
    return render(request, "catalog/scans/_scan.html", context)


def _visible_scans(request: HttpRequest) -> "QuerySet[CatalogScan]":
    scans = CatalogScan.objects.filter(on_open_source(user_of(request)))
    return scans.select_related("source")
