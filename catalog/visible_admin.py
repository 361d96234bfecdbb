"""Back office of what belongs to a data source: it shows what the pages show, and no more."""

from typing import Any, ClassVar, TypeVar

from django.contrib import admin
from django.db.models import ForeignKey, Model, QuerySet
from django.forms import ModelChoiceField
from django.http import HttpRequest

from access.views.gates import user_of
from catalog.gates import tables_open_to
from catalog.models import CatalogTable, DataSource
from catalog.rights import closed_sources, open_sources

_Row = TypeVar("_Row", bound=Model)


class VisibleAdmin(admin.ModelAdmin[_Row]):
    """Leaves out the rows, and choices in forms, of data sources that the person may not use.

    `source_paths` lead from a row to its data sources.
    """

    source_paths: ClassVar[tuple[str, ...]] = ("source",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[_Row]:
        rows, closed = super().get_queryset(request), closed_sources(user_of(request))
        for path in self.source_paths:
            rows = rows.exclude(**{f"{path}__in": closed})
        return rows

    def formfield_for_foreignkey(
        self, db_field: ForeignKey[Any, Any], request: HttpRequest, **kwargs: Any
    ) -> ModelChoiceField[Any] | None:
        user = user_of(request)
        if db_field.related_model is DataSource:
            kwargs["queryset"] = open_sources(user)
        elif db_field.related_model is CatalogTable:
            kwargs["queryset"] = tables_open_to(user)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)
