"""What htmx needs to hear besides the fragment: messages as toasts, and that a session has ended."""

from collections.abc import Callable

from django.contrib.messages import get_messages
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from access.views.events import event_response, trigger_event

# With them the browser loads another page, which shows the messages.
_LEADING_HEADERS = ("HX-Redirect", "HX-Refresh", "HX-Location")


class PartialAnswerMiddleware:
    """Turns what a whole page would show around its content into events of the browser."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not request.htmx:  # type: ignore[attr-defined]
            return response
        address = response.headers.get("Location", "").split("?")[0]
        is_to_sign_in = response.status_code == 302 and address == reverse("sign-in")
        # Without this htmx would follow, and put the sign-in page where the fragment belongs.
        if is_to_sign_in and not request.user.is_authenticated:
            return event_response("session:ended", status=401)
        is_redirect = 300 <= response.status_code < 400
        if not is_redirect and not any(name in response for name in _LEADING_HEADERS):
            toasts = [
                {"level": note.level_tag, "text": str(note)} for note in get_messages(request)
            ]
            if toasts:
                trigger_event(response, "toast", toasts=toasts)
        return response


def refuse_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """`handler400`: what is too large is answered so, with its own status, which pages have a sentence for."""
    status = 413 if isinstance(exception, RequestDataTooBig) else 400
    return render(request, "400.html", {"is_too_large": status == 413}, status=status)
