"""Where a form leads back to."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def next_address(request: HttpRequest) -> str:
    """The `next` of the form or the query if it is a path of this server, else the start."""
    address = request.POST.get("next") or request.GET.get("next") or ""
    # `redirect` would take anything else for the name of a view.
    is_ours = address.startswith("/") and url_has_allowed_host_and_scheme(
        address, {request.get_host()}, require_https=request.is_secure()
    )
    return address if is_ours else "/"
