"""A span for each request of the web side."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from opentelemetry.trace import SpanKind, Status, StatusCode

from access.request_ids import REQUEST_ID
from config.traces import spanning
from config.web.metrics import METHODS


class TracesMiddleware:
    """Around everything but static files. Neither address nor form is told: they hold names and values."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith(settings.STATIC_URL):
            return self._get_response(request)
        method = request.method if request.method in METHODS else "_OTHER"
        sender = request.headers.get("traceparent", "")
        with spanning(str(method), SpanKind.SERVER, sender) as span:
            response = self._get_response(request)
            route = f"/{request.resolver_match.route}" if request.resolver_match else ""
            if route:
                span.update_name(f"{method} {route}")
                span.set_attribute("http.route", route)
            span.set_attributes(
                {
                    "http.request.method": str(method),
                    "http.response.status_code": response.status_code,
                    "url.scheme": request.scheme or "",
                    "toolbuilder.request_id": REQUEST_ID.get(),
                }
            )
            if response.status_code >= 500:
                span.set_attribute("error.type", str(response.status_code))
                span.set_status(Status(StatusCode.ERROR))
        return response
