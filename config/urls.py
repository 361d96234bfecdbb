"""The web side's addresses."""

from django.contrib import admin
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import Error, connection
from django.http import HttpRequest, JsonResponse
from django.urls import include, path
from django.utils.translation import gettext_lazy as _
from django.views.generic import RedirectView

from catalog.urls import api_urlpatterns, source_urlpatterns
from config.web.metrics import metrics

# Here and not when apps are ready: the served side shows no pages, and starts without them.
admin.autodiscover()
admin.site.site_header = "Toolbuilder"
admin.site.site_title = "Toolbuilder"
admin.site.index_title = _("Tools, data sources, keys and calls")
admin.site.site_url = "/"

handler400 = "config.web.partial_answers.refuse_request"


def healthz(_request: HttpRequest) -> JsonResponse:
    """Whether the web side can do its work: 200 or 503, and nothing more, for anybody may ask."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return JsonResponse({"status": "unavailable"}, status=503)
    return JsonResponse({"status": "ok"})


urlpatterns = [
    path("", include("config.web.urls")),
    path("admin/", admin.site.urls),
    path("favicon.ico", RedirectView.as_view(url=staticfiles_storage.url("toolbuilder/icon.svg"))),
    path("", include("access.urls")),
    path("", include("toolbuilder.urls")),
    path("catalogue/", include("catalog.urls")),
    path("sources/", include(source_urlpatterns)),
    path("api/", include((api_urlpatterns, "catalogue_api"))),
    path("healthz", healthz, name="healthz"),
    path("metrics", metrics, name="metrics"),
]
