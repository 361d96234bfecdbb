"""What people change on a table's page: texts, tags, masks, and whether agents are told of it."""

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_http_methods, require_POST

from access.reader_language import in_language
from catalog.browsing.addresses import address_of, source_name_of
from catalog.browsing.columns import to_column_row
from catalog.browsing.fields import answer_text, back_to, is_fragment
from catalog.browsing.tags import read_known_tags, read_tag_names
from catalog.browsing.texts import COLUMN_TEXTS, TABLE_TEXTS, column_text, table_text
from catalog.editing.tables import edit_column, edit_table, set_tags
from catalog.gates import for_editors, tables_open_to, user_of
from catalog.models import CatalogColumn, CatalogTable
from core.errors import EditError

MASK_CHOICES = {"": None, "yes": True, "no": False}


@for_editors
@require_http_methods(["GET", "POST"])
def table_text_edit(request: HttpRequest, table_id: int, name: str) -> HttpResponse:
    """The field of one text of a table, saved where it is posted."""
    if name not in TABLE_TEXTS:
        raise Http404
    table = get_table(request, table_id)
    tab = "?tab=notes" if name == "notes" else ""
    field = table_text(table, name, f"{address_of(table, source_name_of(table))}{tab}")

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
    field = column_text(column, name, address_of(column.table, source_name_of(column.table)))

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
        return back_to(request, address_of(column.table, source_name_of(column.table)))
    row = to_column_row(column, column.table, [])
    return render(request, "catalog/browsing/_mask.html", {"row": row, "is_saved": True})


@for_editors
@require_POST
def table_hidden(request: HttpRequest, table_id: int) -> HttpResponse:
    """Whether agents are told of the table."""
    table = get_table(request, table_id)
    is_hidden = request.POST.get("hidden") == "yes"
    edit_table(table, user_of(request).get_username(), is_hidden=is_hidden)
    if not is_fragment(request):
        return back_to(request, address_of(table, source_name_of(table)))
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
        return back_to(request, address_of(table, source_name_of(table)))
    return _show_tags(request, table, typed if error else "", error)


def get_table(request: HttpRequest, table_id: int) -> CatalogTable:
    """The table, or 404 where the user may not see it."""
    visible = tables_open_to(user_of(request)).select_related("source")
    return get_object_or_404(visible, pk=table_id)


def get_column(request: HttpRequest, column_id: int) -> CatalogColumn:
    """The column with its table, or 404 where the user may not see it."""
    visible = CatalogColumn.objects.filter(table__in=tables_open_to(user_of(request)))
    return get_object_or_404(visible.select_related("table__source"), pk=column_id)


def _show_tags(request: HttpRequest, table: CatalogTable, typed: str, error: str) -> HttpResponse:
    context = {
        "table": table,
        "tag_names": read_tag_names(table),
        "known_tags": read_known_tags(user_of(request)),
        "typed": typed,
        "error": error,
        "may_edit": True,
        "address": address_of(table, source_name_of(table)),
    }
    template = "catalog/browsing/_tags.html" if is_fragment(request) else "catalog/browsing/tags.html"
    return render(request, template, context, status=422 if error else 200)
