"""Addresses of the pages of the catalogue and of data sources, and of the REST API."""

from django.urls import path, re_path, register_converter

from catalog.browsing import views as browsing
from catalog.browsing.addresses import AnyTextConverter
from catalog.editing import views as editing
from catalog.exchange import views as exchange
from catalog.files import views as files
from catalog.glossary import views as glossary
from catalog.scans import views as scans
from catalog.serving import api
from catalog.sources import editing as source_editing
from catalog.sources import service_views as services
from catalog.sources import views as sources

register_converter(AnyTextConverter, "anytext")

# No data source can be called "~", so no table's page has the address of a form.
urlpatterns = [
    path("", browsing.table_list, name="catalogue"),
    path("export/", exchange.export_page, name="catalogue-export"),
    path("import/", exchange.import_page, name="catalogue-import"),
    path("scans/", scans.scan_page, name="catalogue-scans"),
    path("~/glossary/", glossary.glossary, name="glossary"),
    path("~/glossary/add/", glossary.glossary_add, name="glossary-add"),
    path("~/glossary/export/", glossary.glossary_export, name="glossary-export"),
    path("~/glossary/import/", glossary.glossary_import, name="glossary-import"),
    path("~/glossary/<slug:key>/note/", glossary.glossary_note, name="glossary-note"),
    path("~/glossary/<slug:key>/active/", glossary.glossary_active, name="glossary-active"),
    path("~/glossary/<slug:key>/reset/", glossary.glossary_reset, name="glossary-reset"),
    path(
        "~/glossary/<slug:key>/terms/<slug:language>/",
        glossary.glossary_terms,
        name="glossary-terms",
    ),
    path("~/import/<str:key>/", exchange.import_plan, name="catalogue-import-plan"),
    path("~/import/<str:key>/apply/", exchange.import_apply, name="catalogue-import-apply"),
    path("~/import/<str:key>/drop/", exchange.import_drop, name="catalogue-import-drop"),
    path("~/scans/start/", scans.scan_start, name="catalogue-scan-start"),
    path("~/scans/<int:scan_id>/", scans.scan_progress, name="catalogue-scan"),
    path("~/scans/<int:scan_id>/cancel/", scans.scan_cancel, name="catalogue-scan-cancel"),
    path("~/tables/<int:table_id>/tags/", editing.table_tags, name="catalogue-table-tags"),
    path("~/tables/<int:table_id>/hidden/", editing.table_hidden, name="catalogue-table-hidden"),
    path("~/tables/<int:table_id>/relations/", editing.relation_add, name="catalogue-relation-add"),
    path(
        "~/tables/<int:table_id>/texts/<slug:name>/",
        editing.table_text_edit,
        name="catalogue-table-text",
    ),
    path("~/columns/<int:column_id>/mask/", editing.column_mask, name="catalogue-column-mask"),
    path(
        "~/columns/<int:column_id>/texts/<slug:name>/",
        editing.column_text_edit,
        name="catalogue-column-text",
    ),
    path(
        "~/relations/<int:relation_id>/text/",
        editing.relation_text_edit,
        name="catalogue-relation-text",
    ),
    path(
        "~/relations/<int:relation_id>/remove/",
        editing.relation_remove,
        name="catalogue-relation-remove",
    ),
    path("<slug:source_name>/<anytext:path>/", browsing.table_page, name="catalogue-table"),
]

# No data source can be called "~".
source_urlpatterns = [
    path("", sources.source_list, name="sources"),
    path("~/add/", source_editing.source_add, name="source-add"),
    path("<slug:name>/", sources.source_page, name="source"),
    path("<slug:name>/check/", sources.source_check, name="source-check"),
    path("<slug:name>/edit/", source_editing.source_edit, name="source-edit"),
    path("<slug:name>/delete/", source_editing.source_delete, name="source-delete"),
    path("<slug:name>/files/", files.file_list, name="source-files"),
    path("<slug:name>/files/<str:key>/", files.file_review, name="source-file"),
    path("<slug:name>/files/<str:table>/delete/", files.file_delete, name="source-file-delete"),
    path("<slug:name>/allow-host/", services.host_allow, name="source-host-allow"),
    path("<slug:name>/secrets/", services.secret_keep, name="source-secret-keep"),
    path(
        "<slug:name>/secrets/<slug:secret>/remove/",
        services.secret_remove,
        name="source-secret-remove",
    ),
]

# A table's name may hold slashes and line breaks, which <path:name> does not take.
_NAME = r"(?P<name>[\s\S]+)"
api_urlpatterns = [
    re_path(r"^tables/?\Z", api.tables, name="tables"),
    re_path(r"^tags/?\Z", api.tags, name="tags"),
    # Details of a table whose own name ends like this are at ?names=.
    re_path(rf"^tables/{_NAME}/connection\Z", api.connection, name="connection"),
    re_path(rf"^tables/{_NAME}\Z", api.table, name="table"),
    re_path(r"", api.nothing),
]
