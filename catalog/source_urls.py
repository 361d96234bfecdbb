"""Addresses of the pages of data sources."""

from django.urls import path

from catalog.sources import editing, views

# No data source can be called "~".
urlpatterns = [
    path("", views.source_list, name="sources"),
    path("~/add/", editing.source_add, name="source-add"),
    path("<slug:name>/", views.source_page, name="source"),
    path("<slug:name>/check/", views.source_check, name="source-check"),
    path("<slug:name>/edit/", editing.source_edit, name="source-edit"),
    path("<slug:name>/delete/", editing.source_delete, name="source-delete"),
]
