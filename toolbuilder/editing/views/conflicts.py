"""The answers to a save that comes too late, to another user's draft, and to a tool changed meanwhile."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from access.reader_language import in_language
from access.views.gates import is_fragment, user_of
from core.errors import DraftOwnedError, StaleDraftError
from toolbuilder.editing.drafts import (
    DraftDocument,
    PageState,
    Work,
    read_draft,
    save_draft,
    take_over,
)
from toolbuilder.history.difference_view import ShownDifference, show_difference
from toolbuilder.models import ToolDraft
from tools.definitions import ToolDocument

# Of the form, but not of the tool; a page that sends the form once more says them itself.
_NOT_TYPED = frozenset({"csrfmiddlewaretoken", "revision", "confirmed", "overwrites", "takes_over"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """`kind` is `saved`, `owned`, `gone` or `overtaken`; `who` and `at` are of the other draft.

    `difference` leads from theirs to mine; `revision` is the one that a save has to name now.
    """

    kind: str
    title: str
    text: str
    difference: ShownDifference
    who: str = ""
    at: datetime | None = None
    revision: int = 0


def conflict_response(
    request: HttpRequest,
    work: Work,
    document: DraftDocument,
    error: StaleDraftError | DraftOwnedError,
) -> HttpResponse:
    """409 with what is different between the saved draft and this page; nothing typed is lost.

    With `takes_over` posted, another user's draft becomes this user's, as this page has it.
    """
    if work.tool:
        draft = ToolDraft.objects.filter(tool=work.tool).first()
    else:
        draft = ToolDraft.objects.filter(pk=work.draft.pk).first() if work.draft else None
    is_owned = isinstance(error, DraftOwnedError)
    if draft and is_owned and "takes_over" in request.POST:
        username = user_of(request).get_username()
        taken = take_over(draft.uid, username)
        page_state = PageState(username=username, revision=taken.revision)
        save_draft(taken.uid, document.to_document(), page_state)
        if is_fragment(request):
            return HttpResponse(status=204, headers={"HX-Redirect": work.address})
        return redirect(work.address)
    if draft is None:
        conflict = Conflict(
            kind="gone",
            title=_("This draft is gone"),
            text=_("It was published or discarded meanwhile."),
            difference=show_difference(work.served or ToolDocument(), document.tool),
        )
    else:
        conflict = Conflict(
            kind="owned" if is_owned else "saved",
            title=_("Somebody else is editing this tool") if is_owned else _("Saved elsewhere"),
            text=in_language(error),
            difference=show_difference(read_draft(draft).tool, document.tool),
            who=draft.owner,
            at=draft.updated_at,
            revision=draft.revision,
        )
    return _answer_conflict(request, work, conflict)


def overtaken_response(request: HttpRequest, work: Work, served: ToolDocument) -> HttpResponse:
    """409 for a draft that was made from something else than what is served now."""
    conflict = Conflict(
        kind="overtaken",
        title=_("The tool was changed meanwhile"),
        text=_("What is served now is not what this draft was made from."),
        difference=show_difference(served, work.document.tool),
        who=work.tool.updated_by if work.tool else "",
        at=work.tool.updated_at if work.tool else None,
        revision=work.revision,
    )
    return _answer_conflict(request, work, conflict)


def _answer_conflict(request: HttpRequest, work: Work, conflict: Conflict) -> HttpResponse:
    """The conflict as a dialog, or as a page that holds what was typed."""
    is_part, fields = is_fragment(request), request.POST.lists()
    typed = [(name, text) for name, texts in fields if name not in _NOT_TYPED for text in texts]
    context: dict[str, Any] = {
        "work": work,
        "conflict": conflict,
        "page_token": request.POST.get("page_token", "")[:64],
        "typed": [] if is_part else typed,
    }
    name = "_conflict_dialog" if is_part else "conflict"
    response = render(request, f"toolbuilder/editing/{name}.html", context, status=409)
    response["HX-Retarget"], response["HX-Reswap"] = "#dialogs", "innerHTML"
    return response
