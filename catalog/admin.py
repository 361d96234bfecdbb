"""The back office of the catalogue: what scans own is to look at, what people own can be edited.

Data sources and MCP servers have their own in `sources` and `mcp_servers`.
"""

from textwrap import shorten
from typing import Any

from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

# Django looks for this module alone.
import catalog.mcp_servers.admin
import catalog.sources.admin  # noqa: F401
from access.views.gates import user_of
from catalog.changes import tables_changed
from catalog.gates import tables_open_to
from catalog.models import (
    CatalogColumn,
    CatalogQuery,
    CatalogScan,
    CatalogTable,
    ReferenceDocument,
    TableRelation,
    Tag,
)
from catalog.visible_admin import VisibleAdmin
from core.catalogue.entries import RelationType

# Names the data sources of the rows that are shown, and no others.
_BY_SOURCE = ("source", admin.RelatedOnlyFieldListFilter)


class _MadeByScans(VisibleAdmin[Any]):
    """Rows that only scans add."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


class _ReadOnly(_MadeByScans):
    """Rows to look at."""

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


@admin.register(Tag)
class TagAdmin(admin.ModelAdmin[Tag]):
    """Words for tables."""

    search_fields = ["name"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tag]:
        """As the pages have them: those of tables that the person sees, and those of none."""
        seen = Q(tables=None) | Q(tables__in=tables_open_to(user_of(request)))
        tags = super().get_queryset(request)
        return tags.filter(pk__in=Tag.objects.filter(seen).values("pk"))


@admin.register(CatalogTable)
class CatalogTableAdmin(_MadeByScans):
    """Tables; people's columns can be edited."""

    list_display = ["__str__", "source", "display_name", "kind", "row_estimate", "gone_at"]
    list_filter = [
        _BY_SOURCE,
        "kind",
        ("tags", admin.RelatedOnlyFieldListFilter),
        "is_hidden",
        ("gone_at", admin.EmptyFieldListFilter),
    ]
    list_select_related = ["source"]
    search_fields = ["schema", "name", "display_name", "description"]
    autocomplete_fields = ["tags"]
    readonly_fields = [
        *("source", "schema", "name", "kind", "source_comment", "row_estimate"),
        *("sample", "sample_note", "scanned_at", "changed_at", "gone_at"),
        *("updated_at", "updated_by"),
    ]

    def save_model(self, request: HttpRequest, obj: CatalogTable, form: Any, change: bool) -> None:
        obj.updated_by = request.user.get_username()
        super().save_model(request, obj, form, change)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        super().save_related(request, form, formsets, change)
        tables_changed([form.instance.pk])


@admin.register(CatalogColumn)
class CatalogColumnAdmin(_MadeByScans):
    """Columns; people's part can be edited."""

    source_paths = ("table__source",)

    list_display = ["name", "table", "type_name", "display_name", "is_masked", "gone_at"]
    list_filter = ["is_masked", ("gone_at", admin.EmptyFieldListFilter)]
    list_select_related = ["table"]
    search_fields = ["name", "display_name", "description", "table__name"]
    readonly_fields = [
        *("table", "name", "position", "type_name", "is_nullable", "is_primary_key"),
        *("source_comment", "gone_at", "updated_at", "updated_by"),
    ]

    def save_model(self, request: HttpRequest, obj: CatalogColumn, form: Any, change: bool) -> None:
        obj.updated_by = request.user.get_username()
        super().save_model(request, obj, form, change)
        tables_changed([obj.table_id])


@admin.register(TableRelation)
class TableRelationAdmin(VisibleAdmin[TableRelation]):
    """Relations; those of foreign keys are the scans'."""

    source_paths = ("table__source", "target__source")

    list_display = ["table", "target", "relation_type", "columns", "gone_at"]
    list_filter = ["relation_type"]
    list_select_related = ["table", "target"]
    search_fields = ["table__name", "target__name", "description"]
    autocomplete_fields = ["table", "target"]

    def get_readonly_fields(self, request: HttpRequest, obj: TableRelation | None = None) -> Any:
        """Of a foreign key, people say nothing but what it means."""
        if obj is None or obj.relation_type != RelationType.FOREIGN_KEY:
            return ["gone_at"]
        return ["table", "target", "relation_type", "columns", "target_columns", "gone_at"]

    def save_model(self, request: HttpRequest, obj: TableRelation, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        tables_changed([obj.table_id, obj.target_id])


@admin.register(CatalogScan)
class CatalogScanAdmin(_ReadOnly):
    """Scans, to look at."""

    list_display = ["id", "where", "state", "phase", "done", "found", "requested_at", "finished_at"]
    list_filter = ["state", _BY_SOURCE]
    list_select_related = ["source"]

    @admin.display(description=_("data source"), ordering="source__name")
    def where(self, scan: CatalogScan) -> str:
        return scan.source.name if scan.source else str(_("the default one"))

    @admin.display(description=_("done"))
    def done(self, scan: CatalogScan) -> str:
        return f"{scan.done_count:,} / {scan.total_count:,}"

    @admin.display(description=_("new, changed, gone"))
    def found(self, scan: CatalogScan) -> str:
        return f"{scan.new_count:,}, {scan.changed_count:,}, {scan.gone_count:,}"


@admin.register(CatalogQuery)
class CatalogQueryAdmin(_ReadOnly):
    """Searches, to look at."""

    source_paths = ()

    list_display = ["at", "surface", "query", "result_count", "user"]
    list_filter = ["surface"]
    list_select_related = ["user"]
    search_fields = ["query"]
    date_hierarchy = "at"


@admin.register(ReferenceDocument)
class ReferenceDocumentAdmin(admin.ModelAdmin[ReferenceDocument]):
    """To look at and to delete; what a file says is changed in the file."""

    list_display = ["key", "kind", "beginning", "source", "updated_at", "is_searchable"]
    list_filter = ["kind", "source", "table_name"]
    search_fields = ["key", "text", "source"]
    fields = ["key", "kind", "text", "content", "metadata", "source", "updated_at", "indexed_at"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(
        self, request: HttpRequest, obj: ReferenceDocument | None = None
    ) -> bool:
        return False

    @admin.display(description=_("text"), ordering="text")
    def beginning(self, document: ReferenceDocument) -> str:
        return shorten(document.text, 120, placeholder="…")

    @admin.display(description=_("vector up to date"), boolean=True)
    def is_searchable(self, document: ReferenceDocument) -> bool:
        return document.is_indexed
