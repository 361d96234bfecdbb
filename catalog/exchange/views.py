"""Descriptions as files: exported, and imported after their differences were shown."""

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from access.reader_language import in_language
from access.views.gates import user_of
from catalog.browsing.listing import TableListState, filter_tables
from catalog.exchange.apply import apply_import
from catalog.exchange.export import FileFormat, export_descriptions
from catalog.exchange.plan import ImportPlan, drop_plan, find_plan, keep_plan, read_import
from catalog.gates import for_scanners, for_staff, tables_open_to
from catalog.models import CatalogTable
from core.errors import EditError

CHANGES_A_PAGE = 300
FAULTS_SHOWN = 200
_CONTENT_TYPES = {FileFormat.CSV: "text/csv", FileFormat.YAML: "application/yaml"}


class ImportForm(forms.Form):
    """The file of an import."""

    file = forms.FileField(label=gettext_lazy("File"), allow_empty_file=True)

    def to_plan(self, tables: "QuerySet[CatalogTable]") -> ImportPlan | None:
        """What the file would change, or None where it cannot be read, which `errors` tells."""
        file: UploadedFile[bytes] = self.cleaned_data["file"]
        try:
            return read_import(file, file.name or "", tables)
        except EditError as error:
            self.add_error("file", in_language(error))
            return None


@for_staff
@require_GET
def export_page(request: HttpRequest) -> HttpResponse:
    """The descriptions of all tables, or of those of one data source, as a download."""
    try:
        file_format = FileFormat(request.GET.get("format", "csv"))
    except ValueError:
        raise Http404 from None
    state = TableListState(source=TableListState.read(request.GET).source)
    tables = filter_tables(tables_open_to(user_of(request)), state)
    text = "".join(export_descriptions(file_format, tables))
    response = HttpResponse(text, content_type=f"{_CONTENT_TYPES[file_format]}; charset=utf-8")
    name = f"catalogue-{timezone.localdate():%Y%m%d}.{file_format}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@for_scanners
@require_http_methods(["GET", "POST"])
def import_page(request: HttpRequest) -> HttpResponse:
    """The form of an import; a file that can be read leads to what it would change."""
    if request.method != "POST":
        return render(request, "catalog/exchange/import.html", {"form": ImportForm()})
    user = user_of(request)
    form = ImportForm(request.POST, request.FILES)
    plan = form.to_plan(tables_open_to(user)) if form.is_valid() else None
    if plan is None:
        return render(request, "catalog/exchange/import.html", {"form": form}, status=422)
    return redirect("catalogue-import-plan", key=keep_plan(plan, user))


@for_scanners
@require_GET
def import_plan(request: HttpRequest, key: str) -> HttpResponse:
    """What an import would change, old beside new, and what of the file cannot be used."""
    plan = find_plan(key, user_of(request))
    if plan is None:
        return _answer_no_plan(request)
    page = Paginator(plan.changes, CHANGES_A_PAGE).get_page(request.GET.get("page", "1"))
    context = {
        "plan": plan,
        "key": key,
        "page": page,
        "faults": plan.faults[:FAULTS_SHOWN],
        "unknown": plan.unknown[:FAULTS_SHOWN],
        "table_count": len({change.table_id for change in plan.changes}),
    }
    return render(request, "catalog/exchange/plan.html", context)


@for_scanners
@require_POST
def import_apply(request: HttpRequest, key: str) -> HttpResponse:
    """How much was written; what somebody changed since the plan was shown was left alone."""
    user = user_of(request)
    plan = find_plan(key, user)
    if plan is None:
        return _answer_no_plan(request)
    drop_plan(key, user)
    report = apply_import(plan, user.get_username(), tables_open_to(user))
    return render(request, "catalog/exchange/done.html", {"plan": plan, "report": report})


@for_scanners
@require_POST
def import_drop(request: HttpRequest, key: str) -> HttpResponse:
    """Back to the form; nothing of the file is kept."""
    drop_plan(key, user_of(request))
    return redirect("catalogue-import")


def _answer_no_plan(request: HttpRequest) -> HttpResponse:
    form = ImportForm()
    context = {"form": form, "is_lost": True}
    return render(request, "catalog/exchange/import.html", context, status=404)
