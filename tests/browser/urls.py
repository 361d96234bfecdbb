"""The product's addresses and a page that shows every component."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import include, path


@login_required
def components(request: HttpRequest) -> HttpResponse:
    return render(request, "components.html")


@login_required
def speak(request: HttpRequest) -> HttpResponse:
    messages.success(request, "Saved.")
    messages.error(request, "The database refused it.")
    return render(request, "components.html") if not request.htmx else HttpResponse("done")  # type: ignore[attr-defined]


@login_required
def fail(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("a page about an error", status=500)


urlpatterns = [
    path("components/", components, name="components"),
    path("components/speak/", speak, name="speak"),
    path("components/fail/", fail, name="fail"),
    path("", include("config.urls")),
]
