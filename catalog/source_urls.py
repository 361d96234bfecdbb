"""Addresses of the pages of data sources."""

from django.urls import path

from catalog.views import source_editing, sources

# No data source can be called "~".
urlpatterns = [
    path("", sources.source_list, name="sources"),
    path("~/add/", source_editing.source_add, name="source-add"),
    path("<slug:name>/", sources.source_page, name="source"),
    path("<slug:name>/check/", sources.source_check, name="source-check"),
    path("<slug:name>/edit/", source_editing.source_edit, name="source-edit"),
    path("<slug:name>/delete/", source_editing.source_delete, name="source-delete"),
]
