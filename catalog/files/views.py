"""The pages of uploaded files: the tables of a source, a file before it is one, and its end."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from access.reader_language import in_language
from access.views.gates import user_of
from catalog.changes import source_changed
from catalog.files.keeping import (
    UPLOADS,
    WaitingFile,
    delete_table,
    drop_waiting,
    find_lost_columns,
    find_users,
    find_waiting,
    keep_table,
    list_tables,
    receive_file,
    upload_limit,
)
from catalog.models import DataSource
from catalog.scans.scanning import request_scan
from catalog.sources.gates import find_source, for_changers, record_change
from core.errors import DataSourceError, ToolboxError

# The guess of a column that is none of the types that can be chosen stays as it is.
AS_GUESSED = ""


@for_changers
@require_http_methods(["GET", "POST"])
def file_list(request: HttpRequest, name: str) -> HttpResponse:
    """The tables of the source; an uploaded file leads to what it seems to hold."""
    source = _find_source(request, name)
    fault = ""
    if request.method == "POST":
        try:
            if (file := request.FILES.get("file")) is None:
                fault = _("Choose a file.")
            else:
                table, username = request.POST.get("table", ""), user_of(request).get_username()
                waiting = receive_file(source, username, file, table)
                return redirect("source-file", name, waiting.key)
        except ToolboxError as error:
            fault = in_language(error.message)
    context = {
        "source": source,
        "tables": list_tables(source),
        "limit": upload_limit(),
        "fault": fault,
    }
    return render(request, "catalog/files/list.html", context, status=422 if fault else 200)


@for_changers
@require_http_methods(["GET", "POST"])
def file_review(request: HttpRequest, name: str, key: str) -> HttpResponse:
    """What the file seems to hold, with the types to correct; then it is a table."""
    source = _find_source(request, name)
    user = user_of(request)
    waiting = find_waiting(source, user.get_username(), key)
    if waiting is None:
        messages.warning(
            request, _("This file was taken, dropped, or is too old. Choose it again.")
        )
        return redirect("source-files", name)
    if request.method != "POST":
        return _show(request, source, waiting)
    if request.POST.get("intent") == "drop":
        drop_waiting(waiting)
        return redirect("source-files", name)
    try:
        count = keep_table(source, waiting, _read_types(request, waiting))
    except DataSourceError as error:
        return _show(request, source, waiting, in_language(error.message))
    record_change(user, source, f"{waiting.table} ← {waiting.file_name}")
    source_changed(source)
    request_scan(source, user.get_username())
    done = ngettext("%(table)s has %(count)s row.", "%(table)s has %(count)s rows.", count)
    messages.success(request, done % {"table": waiting.table, "count": f"{count:,}"})
    return redirect("source-files", name)


@for_changers
@require_http_methods(["GET", "POST"])
def file_delete(request: HttpRequest, name: str, table: str) -> HttpResponse:
    """What uses the table, and its end."""
    source = _find_source(request, name)
    if table not in {kept.name for kept in list_tables(source)}:
        raise Http404
    if request.method == "POST":
        delete_table(source, table)
        record_change(user_of(request), source, f"− {table}")
        source_changed(source)
        request_scan(source, user_of(request).get_username())
        messages.success(request, _("%s was deleted.") % table)
        return redirect("source-files", name)
    context = {"source": source, "table": table, "users": find_users(source, table, None)}
    return render(request, "catalog/files/delete.html", context)


def _find_source(request: HttpRequest, name: str) -> DataSource:
    source = find_source(request, name)
    if not source.takes_uploads:
        raise Http404
    return source


def _show(
    request: HttpRequest, source: DataSource, waiting: WaitingFile, fault: str = ""
) -> HttpResponse:
    chosen = _read_types(request, waiting)
    lost = find_lost_columns(source, waiting)
    replaces = waiting.table.lower() in {kept.name.lower() for kept in list_tables(source)}
    columns: list[dict[str, Any]] = [
        {
            "name": name,
            "field": f"type-{index}",
            "guessed": kind.lower(),
            "chosen": chosen.get(name, AS_GUESSED),
        }
        for index, (name, kind) in enumerate(waiting.columns)
    ]
    context = {
        "source": source,
        "waiting": waiting,
        "columns": columns,
        "types": [(kind, kind.lower()) for kind in UPLOADS.types],
        "replaces": replaces,
        "lost": lost,
        "users": find_users(source, waiting.table, lost) if lost else [],
        "fault": fault,
    }
    return render(request, "catalog/files/review.html", context, status=422 if fault else 200)


def _read_types(request: HttpRequest, waiting: WaitingFile) -> dict[str, str]:
    """The types that were chosen, by column, where they are not the guess."""
    chosen = {}
    for index, (name, guessed) in enumerate(waiting.columns):
        kind = request.POST.get(f"type-{index}", AS_GUESSED)
        if kind in UPLOADS.types and kind != guessed:
            chosen[name] = kind
    return chosen
