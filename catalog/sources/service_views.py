"""What people set up of an HTTP service on its page: its host inside, and named secrets."""

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from access.reader_language import in_language
from access.views.gates import is_fragment, user_of
from catalog.models import DataSource
from catalog.sources.gates import find_source, for_changers, record_change
from catalog.sources.services import allow_host, forget_secret, keep_secret
from core.errors import EditError


@for_changers
@require_POST
def host_allow(request: HttpRequest, name: str) -> HttpResponse:
    """Allows the service the host inside at which it is, where the operator leaves that to people."""
    source = _find_service(request, name)
    with transaction.atomic():
        host = allow_host(source)
        if host:
            record_change(user_of(request), source, _("Allowed the host %s.") % host)
    text = _("%(name)s may be called at %(host)s now.") % {"name": name, "host": host}
    if not host:
        text = _("There is no host to allow; the operator sets HTTP_ALLOWED_HOSTS.")
    if is_fragment(request):
        context = {"host": host, "text": text}
        return render(request, "catalog/sources/_host_allowed.html", context)
    messages.add_message(request, messages.SUCCESS if host else messages.WARNING, text)
    return redirect("source", name)


@sensitive_post_parameters("secret")
@for_changers
@require_POST
def secret_keep(request: HttpRequest, name: str) -> HttpResponse:
    """Keeps a named secret of the service, encrypted; nobody can read it again."""
    source, secret_name = _find_service(request, name), request.POST.get("name", "").strip()
    try:
        with transaction.atomic():
            keep_secret(source, secret_name, request.POST.get("secret", "")[:8_000])
            record_change(user_of(request), source, _("Entered the secret %s.") % secret_name)
    except EditError as error:
        messages.error(request, in_language(error))
    else:
        messages.success(request, _("The secret %s is kept, encrypted.") % secret_name)
    return redirect("source", name)


@for_changers
@require_POST
def secret_remove(request: HttpRequest, name: str, secret: str) -> HttpResponse:
    """Removes a named secret; tools that name it say so from then on."""
    source = _find_service(request, name)
    with transaction.atomic():
        forget_secret(source, secret)
        record_change(user_of(request), source, _("Removed the secret %s.") % secret)
    messages.success(request, _("The secret %s was removed.") % secret)
    return redirect("source", name)


def _find_service(request: HttpRequest, name: str) -> DataSource:
    source = find_source(request, name)
    if not source.is_service:
        raise Http404(_("This is a database."))
    return source
