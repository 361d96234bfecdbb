"""The web side's addresses."""

from django.contrib import admin
from django.urls import path
from django.views.generic import RedirectView

from config.health import healthz

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="admin:index"), name="home"),
    path("admin/", admin.site.urls),
    path("healthz", healthz, name="healthz"),
]
