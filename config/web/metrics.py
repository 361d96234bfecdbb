"""Requests of the web side, counted and timed by view, and their address for Prometheus."""

import time
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class MetricsMiddleware:
    """Around everything; a request that leads to no view is counted under ''."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        from config.metrics import web_metrics  # noqa: PLC0415 - only where metrics are on

        self._get_response, self._durations = get_response, web_metrics().durations

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        response = self._get_response(request)
        view = request.resolver_match.view_name if request.resolver_match else ""
        # The client's own words would be labels without end.
        method = request.method if request.method in METHODS else "other"
        labels = (view, method, str(response.status_code))
        self._durations.note(labels, time.perf_counter() - began)
        return response


@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """The metrics of this process: with the token alone, never without one."""
    if not settings.METRICS_TOKEN:
        return HttpResponse("metrics are off at this port: METRICS_TOKEN is not set\n", status=404)
    from config.metrics import web_metrics  # noqa: PLC0415 - only where metrics are on
    from gateways.telemetry.exposition import CONTENT_TYPE  # noqa: PLC0415

    status, body = web_metrics().exposition.answer(request.headers.get("Authorization", ""))
    response = HttpResponse(body, status=status, content_type=CONTENT_TYPE)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response
