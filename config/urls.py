"""The web side's addresses."""

from django.contrib import admin
from django.contrib.staticfiles.storage import staticfiles_storage
from django.urls import include, path
from django.utils.translation import gettext_lazy as _
from django.views.generic import RedirectView

from config.health import healthz

admin.site.site_header = "Toolbuilder"
admin.site.site_title = "Toolbuilder"
admin.site.index_title = _("Tools, data sources, keys and calls")
admin.site.site_url = "/"

handler400 = "config.web.partial_answers.refuse_request"

urlpatterns = [
    path("", include("config.web.urls")),
    path("admin/", admin.site.urls),
    path("favicon.ico", RedirectView.as_view(url=staticfiles_storage.url("toolbuilder/icon.svg"))),
    path("", include("access.urls")),
    path("", include("toolbuilder.urls")),
    path("catalogue/", include("catalog.urls")),
    path("sources/", include("catalog.source_urls")),
    path("api/", include("catalog.serving.api_urls")),
    path("healthz", healthz, name="healthz"),
]
