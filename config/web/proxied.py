"""What a proxy says of the scheme: believed of TRUSTED_PROXIES, taken away from others."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponsePermanentRedirect
from django.http.response import HttpResponseBase

from access.proxies import is_from_trusted_proxy

_SCHEME = "HTTP_X_FORWARDED_PROTO"


class ProxyMiddleware:
    """Django believes X-Forwarded-Proto of everybody, so only the header of a trusted proxy gets there.

    What came to such a proxy over plain HTTP is sent on to WEB_PUBLIC_URL when that has TLS.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_from_trusted_proxy(request):
            request.META.pop(_SCHEME, None)
        elif settings.IS_HTTPS and request.META.get(_SCHEME, "https") != "https":
            return HttpResponsePermanentRedirect(
                f"{settings.WEB_PUBLIC_URL}{request.get_full_path()}"
            )
        return self._get_response(request)
