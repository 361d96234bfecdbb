"""Events of the browser that an answer to htmx sets off."""

from typing import Any

from django.http import HttpResponse
from django_htmx.http import trigger_client_event


def trigger_event(response: HttpResponse, name: str, **detail: Any) -> HttpResponse:
    """The response, which sets off the event on <body>: the asking element may be gone by then."""
    return trigger_client_event(response, name, {"target": "body", **detail})


def event_response(name: str, *, status: int, **detail: Any) -> HttpResponse:
    """An answer without content that sets off the event; `status` is one that is not swapped in."""
    response = HttpResponse(status=status, headers={"HX-Reswap": "none"})
    return trigger_event(response, name, **detail)
