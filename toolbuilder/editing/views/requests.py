"""What every action of the editor begins with: its working copy, the posted form, and the save."""

import secrets
import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from access.reader_language import in_language
from access.roles.rights import is_member
from access.views.events import trigger_event
from access.views.gates import is_fragment, user_of
from catalog.sources.settings import read_sources
from core.errors import DefinitionError, DraftOwnedError, StaleDraftError
from core.toolspec import ParameterType
from toolbuilder.cases.rows import rename_in_cases
from toolbuilder.editing.drafts import DraftDocument, PageState, Work, find_work, save_work
from toolbuilder.editing.examining import examine
from toolbuilder.editing.explanations import show_analysis
from toolbuilder.editing.form import read_form
from toolbuilder.editing.page import WorkbenchPage, build_examined_page
from toolbuilder.editing.trial_records import with_last_values
from toolbuilder.editing.views.conflicts import conflict_response
from toolbuilder.gates import may_change, rights_of
from toolbuilder.history.differences import find_renamed
from toolbuilder.visibility import sees_tool, visible_drafts
from tools.models import ParameterBinding, RecordedArguments

_TOLD_CHARACTERS = 200
_TOLD_DIAGNOSTICS = 50

EditorAction = Callable[[HttpRequest, Work], HttpResponseBase]


def open_work(request: HttpRequest, name: str | None = None, uid: uuid.UUID | None = None) -> Work:
    """The work of an address; 404 if it is gone, 403 for a user who may not edit it."""
    return require_editable(request, find_work(name, uid))


def require_editable(request: HttpRequest, work: Work | None) -> Work:
    """The work, with the values of its person's last run; 404 if they do not see it, 403 if they may not edit it."""
    rights, user = rights_of(request), user_of(request)
    if work is None or not sees_work(user, work):
        raise Http404(_("There is no such tool."))
    may_edit = may_change(user, work.tool) if work.tool else rights.may_add
    if not (is_member(user) and rights.may_see and may_edit):
        raise PermissionDenied(
            _("Ask an administrator for the right, or sign in as somebody else.")
        )
    return with_last_values(work, user.get_username())


def sees_work(user: User, work: Work) -> bool:
    """Whether the user sees its tool and its draft."""
    if user.is_superuser:
        return True
    if work.tool and not sees_tool(user, work.tool):
        return False
    return work.draft is None or visible_drafts(user).filter(pk=work.draft.pk).exists()


def editor_action(action: EditorAction) -> Callable[..., HttpResponseBase]:
    """A view that posts to a work; what was saved elsewhere meanwhile is answered by a conflict."""

    @login_required
    @require_http_methods(["GET", "HEAD", "POST"])
    @wraps(action)
    def view(
        request: HttpRequest, name: str | None = None, uid: uuid.UUID | None = None
    ) -> HttpResponseBase:
        work = open_work(request, name, uid)
        if request.method != "POST":
            # A page that an action answered is asked for once more by its address.
            return redirect(work.address)
        try:
            return action(request, work)
        except (StaleDraftError, DraftOwnedError) as error:
            return conflict_response(request, work, read_posted(request, work), error)
        except DefinitionError as error:
            # A form that could not even be kept; the page stays as it is.
            reason = in_language(error)
            messages.error(request, reason)
            if is_fragment(request):
                return HttpResponse(status=422, headers={"HX-Reswap": "none"})
            template = "toolbuilder/editing/refused.html"
            return render(request, template, {"reason": reason}, status=422)

    return view


def saving_action(
    action: Callable[[HttpRequest, WorkbenchPage], HttpResponseBase],
) -> Callable[..., HttpResponseBase]:
    """As editor_action, for a view of the page that the posted form makes, once it is saved."""

    @wraps(action)
    def act(request: HttpRequest, work: Work) -> HttpResponseBase:
        return action(request, save_and_examine(request, work))

    return editor_action(act)


def read_posted(request: HttpRequest, work: Work) -> DraftDocument:
    """What the form says; DefinitionError if it could not be kept."""
    return read_form(request.POST, work.document)


def save_posted(request: HttpRequest, work: Work, document: DraftDocument) -> Work:
    """The work with this document saved; raises as save_work does."""
    return save_work(work, document, page_state_of(request))


def page_state_of(request: HttpRequest) -> PageState:
    """Who posts, and the revision that their page has."""
    revision = request.POST.get("revision", "")
    return PageState(
        username=user_of(request).get_username(),
        revision=int(revision) if revision.isascii() and revision.isdigit() else 0,
        page=page_token_of(request),
    )


def page_token_of(request: HttpRequest) -> str:
    """The posted token of the page, or a new one for a page that is made now."""
    return request.POST.get("page_token", "")[:64] or secrets.token_urlsafe(12)


def is_mine(request: HttpRequest, work: Work) -> bool:
    """Whether the user may write to the draft without taking it over."""
    return work.owner in {"", user_of(request).get_username()}


def editor_context(request: HttpRequest, work: Work) -> dict[str, Any]:
    """What the editor's templates know of the request."""
    return {
        "rights": rights_of(request),
        "page_token": page_token_of(request),
        "is_mine": is_mine(request, work),
    }


def save_and_examine(request: HttpRequest, work: Work) -> WorkbenchPage:
    """The page of the posted form, saved with its parameters in step with the logic."""
    username = user_of(request).get_username()
    sources = read_sources()
    tool_id = work.tool.pk if work.tool else 0
    posted = read_posted(request, work)
    examined = examine(posted, sources, username, tool_id=tool_id)
    saved = save_posted(request, work, examined.document)
    renamed = find_renamed(work.document.tool, saved.document.tool)
    if saved.tool is None and saved.draft and renamed:
        # Those of a tool that is served follow when it is published.
        rename_in_cases(saved.draft.cases.all(), renamed)
    return build_examined_page(saved, examined, sources, username)


def page_context(request: HttpRequest, page: WorkbenchPage) -> dict[str, Any]:
    """What every part of the page knows."""
    return {
        **editor_context(request, page.work),
        "page": page,
        "types": [kind.value for kind in ParameterType],
        "bindings": ParameterBinding.choices,
        "policies": RecordedArguments.choices,
    }


def analysed_context(request: HttpRequest, page: WorkbenchPage) -> dict[str, Any]:
    """The same for the parts that an analysis changes, and in `told` what the editor's script learns of it."""
    analysis = show_analysis(page.examined.analysis, in_language)
    del analysis["parameters"], analysis["columns"]
    analysis["diagnostics"] = analysis["diagnostics"][:_TOLD_DIAGNOSTICS]
    told = {
        "analysis": analysis,
        "parameters": tell_parameters(page),
        "text_length": len(page.document.tool.definition),
    }
    return {**page_context(request, page), "told": told}


def tell_analysis(response: HttpResponse) -> HttpResponse:
    """The response with the event `tool:analysed`; what it is about is in its text.

    A proxy takes as little as 4 KiB of headers, which ten descriptions fill.
    """
    return trigger_event(response, "tool:analysed")


def tell_parameters(page: WorkbenchPage) -> list[dict[str, str]]:
    """The parameters as the editor completes and marks them."""
    return [
        {
            "name": row.param_name,
            "type": row.param_type,
            "description": row.description[:_TOLD_CHARACTERS],
        }
        for row in page.document.tool.parameters
    ]


def lead_to(request: HttpRequest, address: str) -> HttpResponse:
    """To another page, for htmx as for a browser without scripts."""
    if is_fragment(request):
        return HttpResponse(status=204, headers={"HX-Redirect": address})
    return redirect(address)
