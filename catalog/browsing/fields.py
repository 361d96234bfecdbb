"""Texts that are edited where they stand: what the form of one shows, and saving one."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

from access.reader_language import in_language
from core.errors import EditError, StaleEditError

_PLACEHOLDER_CHARACTERS = 300


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
    """A comment of the database as it stands in an empty field: one line, its beginning."""
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
    if request.method != "POST":
        return render_field(request, field)
    typed = request.POST.get("text", "").replace("\r\n", "\n")
    if request.POST.get("was", "") != field.digest and typed.strip() != field.stored:
        return render_field(request, replace(field, typed=typed, is_stale=True), status=409)
    try:
        stored = write(typed)
    except StaleEditError as error:
        present = str(next(iter(error.current.values()), ""))
        stale = replace(field, stored=present, typed=typed, is_stale=True)
        return render_field(request, stale, status=409)
    except EditError as error:
        return render_field(
            request, replace(field, typed=typed, error=in_language(error)), status=422
        )
    if not is_fragment(request):
        return back_to(request, field.page)
    return render_field(request, replace(field, stored=stored, is_saved=True))


def render_field(request: HttpRequest, field: EditableText, status: int = 200) -> HttpResponse:
    """The field alone for htmx, or on a page of its own for browsers without JavaScript."""
    template = "catalog/browsing/_text.html" if is_fragment(request) else "catalog/browsing/text.html"
    return render(request, template, {"field": field}, status=status)


def is_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks, for a part of a page."""
    return "HX-Request" in request.headers


def back_to(request: HttpRequest, page: str) -> HttpResponseRedirect:
    """To the address that a form without JavaScript named, if it is ours, else to `page`."""
    wanted = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(wanted, allowed_hosts=None)
    return HttpResponseRedirect(wanted if is_ours else page)
