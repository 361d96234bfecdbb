"""Relations on a table's page: added, described and removed."""

from typing import Any

from django import forms
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from access.reader_language import in_language
from catalog.browsing.addresses import address_of, source_name_of
from catalog.browsing.fields import answer_text, back_to, is_fragment
from catalog.browsing.related import read_related, read_relation_choices
from catalog.browsing.texts import relation_text
from catalog.editing.relations import RelationTerms, add_relation, edit_relation, remove_relation
from catalog.editing.views import get_table
from catalog.gates import for_editors, tables_open_to, user_of
from catalog.models import CatalogTable, TableRelation
from core.catalogue.entries import RelationType
from core.catalogue.near_names import find_near
from core.errors import EditError
from core.messages import message

_NAMES_COMPARED = 20_000


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
    page = f"{address_of(relation.table, source_name_of(relation.table))}?tab=related"

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
    exact = [one for one in found if str(one) == name or one.schema == table.schema]
    if exact or len(found) == 1:
        return (exact or found)[0]
    near = find_near(
        name, [str(one) for one in tables.only("schema", "name", "source__name")[:_NAMES_COMPARED]]
    )
    if near:
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
    page = f"{address_of(table, source_name_of(table))}?tab=related"
    is_wrong = bool(form.errors)
    if not is_fragment(request) and not is_wrong:
        return back_to(request, page)
    context: dict[str, Any] = {
        "table": table,
        "address": address_of(table, source_name_of(table)),
        "rights": {"may_edit": True},
        "form": form if is_wrong else RelationForm(),
        **read_related(user, table),
        "choices": read_relation_choices(user, table),
    }
    template = "catalog/browsing/_related.html" if is_fragment(request) else "catalog/browsing/related.html"
    return render(request, template, context, status=422 if is_wrong else 200)
