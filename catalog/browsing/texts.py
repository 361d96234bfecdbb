"""The texts of tables, columns and relations that people write, as fields of the pages."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from catalog.browsing.fields import EditableText, shorten_comment
from catalog.models import CatalogColumn, CatalogTable, TableRelation


@dataclass(frozen=True, slots=True)
class TextKind:
    """A text that a row has; `label` takes the name of the row."""

    label: str | Promise
    is_multiline: bool = False
    placeholder: str | Promise = ""


TABLE_TEXTS: Mapping[str, TextKind] = {
    "display_name": TextKind(
        gettext_lazy("Display name of %s"), placeholder=gettext_lazy("Name for people")
    ),
    "description": TextKind(
        gettext_lazy("Description of %s"), True, gettext_lazy("What one row is, and what it is for")
    ),
    "notes": TextKind(
        gettext_lazy("Notes on %s"),
        True,
        gettext_lazy("What one must know before querying it: filters, size, update times."),
    ),
}
COLUMN_TEXTS: Mapping[str, TextKind] = {
    "display_name": TextKind(
        gettext_lazy("Display name of %s"), placeholder=gettext_lazy("Display name")
    ),
    "description": TextKind(gettext_lazy("Description of %s"), True),
}


def table_text(table: CatalogTable, name: str, page: str) -> EditableText:
    """The field of a table's display_name, description or notes."""
    kind = TABLE_TEXTS[name]
    comment = table.source_comment if name == "description" else ""
    return EditableText(
        key=f"table-{table.pk}-{name}",
        address=reverse("catalogue-table-text", args=[table.pk, name]),
        page=page,
        label=str(kind.label) % table.name,
        stored=getattr(table, name),
        placeholder=shorten_comment(comment) or str(kind.placeholder),
        is_multiline=kind.is_multiline,
    )


def column_text(column: CatalogColumn, name: str, page: str) -> EditableText:
    """The field of a column's display_name or description; Enter leads to the next column's."""
    kind = COLUMN_TEXTS[name]
    comment = column.source_comment if name == "description" else ""
    return EditableText(
        key=f"column-{column.pk}-{name}",
        address=reverse("catalogue-column-text", args=[column.pk, name]),
        page=page,
        label=str(kind.label) % column.name,
        stored=getattr(column, name),
        placeholder=shorten_comment(comment) or str(kind.placeholder),
        group=f"column-{name}",
        is_multiline=kind.is_multiline,
    )


def relation_text(relation: TableRelation, name: str, page: str) -> EditableText:
    """The field of a relation's description; `name` is the other table's."""
    return EditableText(
        key=f"relation-{relation.pk}",
        address=reverse("catalogue-relation-text", args=[relation.pk]),
        page=page,
        label=_("Description of the relation to %s") % name,
        stored=relation.description,
        placeholder=_("What the relation means"),
        group="relation",
        is_multiline=True,
    )
