"""The product's addresses and a page with one editor."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import include, path


def editor(request: HttpRequest) -> HttpResponse:
    text = request.POST.get("logic", request.GET.get("text", ""))
    return render(request, "editor.html", {"text": text, "is_sent": request.method == "POST"})


urlpatterns = [path("editor/", editor), path("", include("config.urls"))]
