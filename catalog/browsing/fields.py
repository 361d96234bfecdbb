"""Texts and tags that are edited in place: what their forms show, and saving a text."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from django.contrib.auth.models import User
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from access.reader_language import in_language
from access.views.gates import is_fragment
from catalog.gates import tables_open_to
from catalog.models import CatalogColumn, CatalogTable, TableRelation, Tag
from core.errors import EditError, StaleEditError

_PLACEHOLDER_CHARACTERS = 300
TAGS_OFFERED = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class EditableText:
    """The form of one text of a row.

    `stored` is what the row holds; `typed` what the form holds where that is something else: because
    it was refused (`error`), or because somebody else wrote meanwhile (`is_stale`).
    """

    key: str
    address: str
    page: str
    label: str
    stored: str
    placeholder: str = ""
    # Moving on by the Enter key leads to the next field of the same group, '' for none.
    group: str = ""
    is_multiline: bool = False
    typed: str | None = None
    error: str = ""
    is_stale: bool = False
    is_saved: bool = False

    @property
    def text(self) -> str:
        """What the form holds."""
        return self.stored if self.typed is None else self.typed

    @property
    def digest(self) -> str:
        """What the form gives back, to tell whether it was made of the text that is there now."""
        return hashlib.sha256(self.stored.encode()).hexdigest()[:16]


def shorten_comment(comment: str) -> str:
    """The beginning of a database comment on one line, as an empty field shows it."""
    line = " ".join(comment[: 2 * _PLACEHOLDER_CHARACTERS].split())
    return line if len(line) <= _PLACEHOLDER_CHARACTERS else f"{line[:_PLACEHOLDER_CHARACTERS]}…"


def answer_text(
    request: HttpRequest, field: EditableText, write: Callable[[str], str]
) -> HttpResponse:
    """The field, after writing what was posted.

    `write` returns the text as it is stored, and raises StaleEditError where the row does not hold
    `field.stored` any more. 422 where the text is refused, 409 where somebody else has changed it
    since the form was made.
    """
    status = 200
    if request.method == "POST":
        typed = request.POST.get("text", "").replace("\r\n", "\n")
        try:
            if request.POST.get("was", "") != field.digest and typed.strip() != field.stored:
                field, status = replace(field, typed=typed, is_stale=True), 409
            else:
                field = replace(field, stored=write(typed), is_saved=True)
        except StaleEditError as error:
            present = str(next(iter(error.current.values()), ""))
            field, status = replace(field, stored=present, typed=typed, is_stale=True), 409
        except EditError as error:
            field, status = replace(field, typed=typed, error=in_language(error)), 422
        if field.is_saved and not is_fragment(request):
            return back_to(request, field.page)
    # The field alone for htmx, or on a page of its own for browsers without JavaScript.
    template = "_text.html" if is_fragment(request) else "text.html"
    return render(request, f"catalog/browsing/{template}", {"field": field}, status=status)


def back_to(request: HttpRequest, page: str) -> HttpResponseRedirect:
    """To the address that a form without JavaScript named, if it is ours, else to `page`."""
    address = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(address, allowed_hosts=None)
    return HttpResponseRedirect(address if is_ours else page)


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


def read_tag_names(table: CatalogTable) -> list[str]:
    """The tags of the table, by name."""
    return list(table.tags.order_by("name").values_list("name", flat=True))


def read_known_tags(user: User) -> list[str]:
    """The tags of tables that the user may see, those used most, at most 300, by name."""
    seen = Tag.objects.filter(tables__in=tables_open_to(user))
    used = seen.annotate(count=Count("tables")).order_by("-count", "name")
    return sorted(used.values_list("name", flat=True)[:TAGS_OFFERED])
