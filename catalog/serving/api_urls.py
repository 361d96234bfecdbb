"""Addresses of the catalogue's REST API."""

from django.urls import re_path

from catalog.serving import api

# A table's name may hold slashes and line breaks, which <path:name> does not take.
_NAME = r"(?P<name>[\s\S]+)"

app_name = "catalogue_api"
urlpatterns = [
    re_path(r"^tables/?\Z", api.tables, name="tables"),
    re_path(r"^tags/?\Z", api.tags, name="tags"),
    # Details of a table whose own name ends like this are at ?names=.
    re_path(rf"^tables/{_NAME}/connection\Z", api.connection, name="connection"),
    re_path(rf"^tables/{_NAME}\Z", api.table, name="table"),
    re_path(r"", api.nothing),
]
