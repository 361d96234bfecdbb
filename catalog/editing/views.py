"""What people change on a table's page: texts, tags, masks, relations, whether agents see it."""

from typing import Any

from django import forms
from django.db import transaction
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from access.reader_language import in_language
from access.views.gates import is_fragment, user_of
from catalog.browsing.addresses import NAMES_COMPARED, address_of
from catalog.browsing.columns import to_column_row
from catalog.browsing.fields import (
    COLUMN_TEXTS,
    TABLE_TEXTS,
    answer_text,
    back_to,
    column_text,
    read_known_tags,
    read_tag_names,
    relation_text,
    table_text,
)
from catalog.browsing.related import read_related, read_relation_choices
from catalog.editing.relations import RelationTerms, add_relation, edit_relation, remove_relation
from catalog.editing.tables import edit_column, edit_table, set_tags
from catalog.gates import for_editors, tables_open_to
from catalog.models import CatalogColumn, CatalogTable, TableRelation
from core.catalogue.entries import RelationType
from core.catalogue.near_names import find_near
from core.errors import EditError
from core.messages import message

MASK_CHOICES = {"": None, "yes": True, "no": False}


@for_editors
@require_http_methods(["GET", "POST"])
def table_text_edit(request: HttpRequest, table_id: int, name: str) -> HttpResponse:
    """The field of one text of a table, saved where it is posted."""
    if name not in TABLE_TEXTS:
        raise Http404
    table = get_table(request, table_id)
    page = address_of(table, "notes" if name == "notes" else "")
    field = table_text(table, name, page)

    def write(text: str) -> str:
        username = user_of(request).get_username()
        edit_table(table, username, {name: field.stored}, **{name: text})
        return str(getattr(table, name))

    return answer_text(request, field, write)


@for_editors
@require_http_methods(["GET", "POST"])
def column_text_edit(request: HttpRequest, column_id: int, name: str) -> HttpResponse:
    """The field of one text of a column, saved where it is posted."""
    if name not in COLUMN_TEXTS:
        raise Http404
    column = get_column(request, column_id)
    field = column_text(column, name, address_of(column.table))

    def write(text: str) -> str:
        username = user_of(request).get_username()
        edit_column(column, username, {name: field.stored}, **{name: text})
        return str(getattr(column, name))

    return answer_text(request, field, write)


@for_editors
@require_POST
def column_mask(request: HttpRequest, column_id: int) -> HttpResponse:
    """Whether samples hide the column: yes, no, or as the rule of names has it."""
    column = get_column(request, column_id)
    choice = request.POST.get("mask", "")
    if choice not in MASK_CHOICES:
        raise Http404
    edit_column(column, user_of(request).get_username(), is_masked=MASK_CHOICES[choice])
    if not is_fragment(request):
        return back_to(request, address_of(column.table))
    row = to_column_row(column, column.table, [])
    return render(request, "catalog/browsing/_mask.html", {"row": row, "is_saved": True})


@for_editors
@require_POST
def table_hidden(request: HttpRequest, table_id: int) -> HttpResponse:
    """Hides the table from agents, or shows it to them again."""
    table = get_table(request, table_id)
    is_hidden = request.POST.get("hidden") == "yes"
    edit_table(table, user_of(request).get_username(), is_hidden=is_hidden)
    if not is_fragment(request):
        return back_to(request, address_of(table))
    return render(request, "catalog/browsing/_hidden.html", {"table": table})


@for_editors
@require_POST
@transaction.atomic
def table_tags(request: HttpRequest, table_id: int) -> HttpResponse:
    """The tags after one was added or removed; 422 where the new one is refused."""
    table = get_table(request, table_id)
    # Two tags that are added at the same time are both there afterwards.
    CatalogTable.objects.select_for_update().get(pk=table.pk)
    typed, error = request.POST.get("add", "").strip(), ""
    names = [name for name in read_tag_names(table) if name != request.POST.get("remove")]
    try:
        set_tags(table, user_of(request).get_username(), [*names, typed] if typed else names)
    except EditError as refusal:
        error = in_language(refusal)
    if not error and not is_fragment(request):
        return back_to(request, address_of(table))
    context = {
        "table": table,
        "tag_names": read_tag_names(table),
        "known_tags": read_known_tags(user_of(request)),
        "typed": typed if error else "",
        "error": error,
        "may_edit": True,
        "address": address_of(table),
    }
    template = "_tags.html" if is_fragment(request) else "tags.html"
    status = 422 if error else 200
    return render(request, f"catalog/browsing/{template}", context, status=status)


def get_table(request: HttpRequest, table_id: int) -> CatalogTable:
    """The table, or 404 where the user may not see it."""
    visible = tables_open_to(user_of(request)).select_related("source")
    return get_object_or_404(visible, pk=table_id)


def get_column(request: HttpRequest, column_id: int) -> CatalogColumn:
    """The column with its table, or 404 where the user may not see it."""
    visible = CatalogColumn.objects.filter(table__in=tables_open_to(user_of(request)))
    return get_object_or_404(visible.select_related("table__source"), pk=column_id)


class RelationForm(forms.Form):
    """A relation of people: to which table, and by which columns or condition."""

    target = forms.CharField(label=gettext_lazy("Related table"), max_length=300)
    relation_type = forms.ChoiceField(
        label=gettext_lazy("Kind"),
        choices=[
            (RelationType.OWN.value, gettext_lazy("belongs together")),
            (RelationType.DERIVED.value, gettext_lazy("derived from it")),
        ],
    )
    column = forms.CharField(label=gettext_lazy("Column"), required=False, max_length=300)
    target_column = forms.CharField(
        label=gettext_lazy("Column of the related table"), required=False, max_length=300
    )
    join_condition = forms.CharField(label=gettext_lazy("Join condition"), required=False)
    description = forms.CharField(label=gettext_lazy("Description"), required=False)

    def to_terms(self) -> RelationTerms:
        """What the verb takes; several columns stand between commas."""
        data = self.cleaned_data
        return RelationTerms(
            relation_type=RelationType(data["relation_type"]),
            columns=_split(data["column"]),
            target_columns=_split(data["target_column"]),
            join_condition=data["join_condition"],
            description=data["description"],
        )


@for_editors
@require_POST
def relation_add(request: HttpRequest, table_id: int) -> HttpResponse:
    """The relations with the new one; 422 where it cannot be."""
    table = get_table(request, table_id)
    form = RelationForm(request.POST)
    if form.is_valid():
        try:
            target = _find_target(request, table, form.cleaned_data["target"])
            add_relation(table, target, user_of(request).get_username(), form.to_terms())
        except EditError as error:
            form.add_error(None, in_language(error))
    return _show(request, table, form)


@for_editors
@require_http_methods(["GET", "POST"])
def relation_text_edit(request: HttpRequest, relation_id: int) -> HttpResponse:
    """The field of a relation's description, saved where it is posted."""
    relation = _get_relation(request, relation_id)
    page = address_of(relation.table, "related")

    def write(text: str) -> str:
        edit_relation(relation, user_of(request).get_username(), description=text)
        return relation.description

    return answer_text(request, relation_text(relation, relation.target.name, page), write)


@for_editors
@require_POST
def relation_remove(request: HttpRequest, relation_id: int) -> HttpResponse:
    """The relations without this one, which people made."""
    relation = _get_relation(request, relation_id)
    table = relation.target if "from_target" in request.POST else relation.table
    form = RelationForm(None)
    try:
        remove_relation(relation, user_of(request).get_username())
    except EditError as error:
        form = RelationForm(QueryDict())
        form.full_clean()
        form.add_error(None, in_language(error))
    return _show(request, table, form)


def _split(text: str) -> list[str]:
    return [name for part in text.split(",") if (name := part.strip())]


def _find_target(request: HttpRequest, table: CatalogTable, name: str) -> CatalogTable:
    """The table of that name in the same data source; raises EditError with near names."""
    tables = tables_open_to(user_of(request)).filter(source=table.source).select_related("source")
    schema, _dot, bare = name.rpartition(".")
    found = list(tables.filter(Q(name=name) | Q(schema=schema, name=bare))[:2])
    exact = [target for target in found if str(target) == name or target.schema == table.schema]
    if exact or len(found) == 1:
        return (exact or found)[0]
    known = tables.only("schema", "name", "source__name")[:NAMES_COMPARED]
    if near := find_near(name, list(map(str, known))):
        raise EditError(
            message(
                "relation.no_table_near",
                "There is no table {name} in this data source; did you mean {names}?",
                name=name,
                names=", ".join(near),
            )
        )
    raise EditError(
        message("relation.no_table", "There is no table {name} in this data source.", name=name)
    )


def _get_relation(request: HttpRequest, relation_id: int) -> TableRelation:
    visible = tables_open_to(user_of(request))
    relations = TableRelation.objects.filter(table__in=visible, target__in=visible)
    return get_object_or_404(
        relations.select_related("table__source", "target__source"), pk=relation_id
    )


def _show(request: HttpRequest, table: CatalogTable, form: RelationForm) -> HttpResponse:
    user = user_of(request)
    page = address_of(table, "related")
    is_wrong = bool(form.errors)
    if not is_fragment(request) and not is_wrong:
        return back_to(request, page)
    context: dict[str, Any] = {
        "table": table,
        "address": address_of(table),
        "rights": {"may_edit": True},
        "form": form if is_wrong else RelationForm(),
        **read_related(user, table),
        "choices": read_relation_choices(user, table),
    }
    template = (
        "catalog/browsing/_related.html"
        if is_fragment(request)
        else "catalog/browsing/related.html"
    )
    return render(request, template, context, status=422 if is_wrong else 200)
