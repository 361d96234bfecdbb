"""Addresses of the catalogue's pages."""

from django.urls import path, register_converter

from catalog.browsing import views as browsing
from catalog.browsing.addresses import AnyTextConverter
from catalog.editing import relation_views as relations
from catalog.editing import views as editing
from catalog.exchange import views as exchange
from catalog.glossary import views as glossary
from catalog.scans import views as scans

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
    path(
        "~/tables/<int:table_id>/relations/", relations.relation_add, name="catalogue-relation-add"
    ),
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
        relations.relation_text_edit,
        name="catalogue-relation-text",
    ),
    path(
        "~/relations/<int:relation_id>/remove/",
        relations.relation_remove,
        name="catalogue-relation-remove",
    ),
    path("<slug:source_name>/<anytext:path>/", browsing.table_page, name="catalogue-table"),
]
