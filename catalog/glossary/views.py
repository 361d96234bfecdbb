"""The page of the glossary: concepts listed, edited where they stand, added, switched off, reset."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from access.list_addresses import ListState
from access.reader_language import in_language
from access.views.gates import is_fragment, user_of
from catalog.browsing.fields import EditableText, answer_text
from catalog.exchange.spreadsheets import MAX_FILE_BYTES
from catalog.gates import for_editors, for_staff, rights_of
from catalog.glossary.concepts import (
    LANGUAGES,
    GlossaryEntry,
    add_concept,
    edit_note,
    edit_terms,
    find_entry,
    join_terms,
    read_entries,
    reset_concept,
    set_concept_active,
)
from catalog.glossary.files import export_glossary, import_glossary
from core.errors import EditError
from core.retrieval.tokens import fold

PAGE_SIZE = 50
STATES = {
    "": gettext_lazy("All"),
    "changed": pgettext_lazy("concepts", "Changed"),
    "own": pgettext_lazy("concepts", "Added"),
    "off": gettext_lazy("Switched off"),
}
LANGUAGE_LABELS = {
    "ko": gettext_lazy("Korean"),
    "ja": gettext_lazy("Japanese"),
    "en": gettext_lazy("English"),
}
_CHOICES: dict[str, Callable[[GlossaryEntry], bool]] = {
    "changed": lambda entry: entry.is_shipped and entry.is_changed,
    "own": lambda entry: not entry.is_shipped,
    "off": lambda entry: not entry.is_active,
}


@dataclass(frozen=True, kw_only=True)
class GlossaryState(ListState):
    """What the address of the page says; '' means any."""

    url_name = "glossary"
    query_characters = 200
    choices = {"state": STATES}

    state: str = ""


@dataclass(frozen=True, slots=True)
class GlossaryRow:
    """A concept with its fields, one of each language and the note."""

    entry: GlossaryEntry
    terms: list[EditableText]
    note: EditableText


@for_staff
@require_GET
@vary_on_headers("HX-Request")
def glossary(request: HttpRequest) -> HttpResponse:
    """Concepts, by key: searched, filtered, 50 a page."""
    state = GlossaryState.read(request.GET)
    words = [fold(word).replace(" ", "") for word in state.q.split()]
    entries = [
        entry
        for entry in read_entries()
        if (state.state not in _CHOICES or _CHOICES[state.state](entry))
        and all(word in _searched(entry) for word in words)
    ]
    page: Page[GlossaryEntry] = Paginator(entries, PAGE_SIZE).get_page(state.page)
    context: dict[str, Any] = {
        "state": state,
        "page": page,
        "rows": [_row_of(entry) for entry in page.object_list],
        "page_numbers": list(page.paginator.get_elided_page_range(page.number)),
        "rights": rights_of(request),
        "fields": _add_fields({}),
    }
    if not is_fragment(request):
        more = {"states": STATES.items(), "languages": LANGUAGE_LABELS.items()}
        return render(request, "catalog/glossary/page.html", context | more)
    response = render(request, "catalog/glossary/_answer.html", context)
    address = state.address(page=state.page)
    if not request.headers.get("HX-Current-URL", "").endswith(address):
        response["HX-Push-Url"] = address
    return response


@for_editors
@require_POST
def glossary_add(request: HttpRequest) -> HttpResponse:
    """Back to the page, with the new concept first; or the form with what is wrong in it."""
    typed = {language: request.POST.get(language, "") for language in LANGUAGES}
    key = request.POST.get("key", "")
    try:
        entry = add_concept(key, typed, user_of(request).get_username())
    except EditError as error:
        context = {"error": in_language(error), "typed_key": key, "fields": _add_fields(typed)}
        return render(request, "catalog/glossary/add.html", context, status=422)
    messages.success(request, _("The concept %(key)s was added.") % {"key": entry.key})
    return redirect(GlossaryState(q=entry.key).address())


@for_editors
@require_http_methods(["GET", "POST"])
def glossary_terms(request: HttpRequest, key: str, language: str) -> HttpResponse:
    """The field of a concept's terms of one language, after writing what was posted."""
    entry = _get_entry(key)
    if language not in LANGUAGES:
        raise Http404

    def write(typed: str) -> str:
        changed = edit_terms(entry, language, typed, user_of(request).get_username())
        return join_terms(changed.terms.get(language, ()))

    return answer_text(request, _terms_field(entry, language), write)


@for_editors
@require_http_methods(["GET", "POST"])
def glossary_note(request: HttpRequest, key: str) -> HttpResponse:
    """The field of a concept's note, after writing what was posted."""
    entry = _get_entry(key)

    def write(typed: str) -> str:
        return edit_note(entry, typed, user_of(request).get_username()).note

    return answer_text(request, _note_field(entry), write)


@for_editors
@require_POST
def glossary_active(request: HttpRequest, key: str) -> HttpResponse:
    """The row with the concept in use or not, as `active` says."""
    entry, is_active = _get_entry(key), request.POST.get("active") == "yes"
    try:
        entry = set_concept_active(key, user_of(request).get_username(), is_active=is_active)
    except EditError as error:
        messages.error(request, in_language(error))
    return _answer_row(request, entry)


@for_editors
@require_POST
def glossary_reset(request: HttpRequest, key: str) -> HttpResponse:
    """The row as it is shipped; one that people added is gone."""
    _get_entry(key)
    entry = reset_concept(key)
    if entry is None:
        messages.success(request, _("The concept %(key)s was deleted.") % {"key": key})
        # An empty answer takes the row out of the table.
        return HttpResponse() if is_fragment(request) else redirect("glossary")
    messages.success(request, _("The concept %(key)s is as it was shipped.") % {"key": key})
    return _answer_row(request, entry)


@for_staff
@require_GET
def glossary_export(request: HttpRequest) -> HttpResponse:
    """All concepts as a CSV file."""
    response = HttpResponse(export_glossary(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="glossary.csv"'
    return response


@for_editors
@require_POST
def glossary_import(request: HttpRequest) -> HttpResponse:
    """Back to the page, with what a file says; or the form with what is wrong in it."""
    file = request.FILES.get("file")
    try:
        data = file.read(MAX_FILE_BYTES + 1) if file else b""
        count = import_glossary(data, user_of(request).get_username())
    except EditError as error:
        context = {"import_error": in_language(error)}
        return render(request, "catalog/glossary/import.html", context, status=422)
    text = ngettext("%d concept was changed.", "%d concepts were changed.", count)
    messages.success(request, text % count)
    return redirect("glossary")


def _searched(entry: GlossaryEntry) -> str:
    terms = [term for of_language in entry.terms.values() for term in of_language]
    # Apart, so that no word is found across the ends of two terms.
    return "\n".join(fold(text).replace(" ", "") for text in (entry.key, entry.note, *terms))


def _get_entry(key: str) -> GlossaryEntry:
    entry = find_entry(key)
    if entry is None:
        raise Http404
    return entry


def _answer_row(request: HttpRequest, entry: GlossaryEntry) -> HttpResponse:
    if not is_fragment(request):
        return redirect(GlossaryState(q=entry.key).address())
    context = {"row": _row_of(entry), "rights": rights_of(request)}
    return render(request, "catalog/glossary/_row.html", context)


def _row_of(entry: GlossaryEntry) -> GlossaryRow:
    fields = [_terms_field(entry, language) for language in LANGUAGES]
    return GlossaryRow(entry, fields, _note_field(entry))


def _terms_field(entry: GlossaryEntry, language: str) -> EditableText:
    label = _("Terms of %(key)s: %(language)s")
    return EditableText(
        key=f"concept-{entry.key}-{language}",
        address=reverse("glossary-terms", args=[entry.key, language]),
        page=GlossaryState(q=entry.key).address(),
        label=label % {"key": entry.key, "language": LANGUAGE_LABELS[language]},
        stored=join_terms(entry.terms.get(language, ())),
        placeholder=str(LANGUAGE_LABELS[language]),
        group=f"terms-{language}",
        is_multiline=True,
    )


def _note_field(entry: GlossaryEntry) -> EditableText:
    return EditableText(
        key=f"concept-{entry.key}-note",
        address=reverse("glossary-note", args=[entry.key]),
        page=GlossaryState(q=entry.key).address(),
        label=_("Note on %s") % entry.key,
        stored=entry.note,
        group="concept-note",
        is_multiline=True,
    )


def _add_fields(typed: dict[str, str]) -> list[tuple[str, str, str]]:
    """Name, label and content of the fields of a new concept's terms."""
    return [(name, str(label), typed.get(name, "")) for name, label in LANGUAGE_LABELS.items()]
