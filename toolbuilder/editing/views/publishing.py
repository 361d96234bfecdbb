"""Publishing from the editor, what it would change, and a tool as the start of another."""

import uuid
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from access.reader_language import in_language
from access.views.events import trigger_event
from access.views.gates import for_staff_with, is_fragment, user_of
from catalog.sources.settings import read_sources
from core.errors import (
    DataSourceUnavailableError,
    DefinitionError,
    DraftOwnedError,
    EditError,
    StaleDraftError,
)
from toolbuilder.editing.drafts import PageState, duplicate_tool, rebase_draft
from toolbuilder.editing.page import WorkbenchPage, build_page
from toolbuilder.editing.publish_review import PublishFault, PublishReview, review_page
from toolbuilder.editing.publishing import Publication, find_overtaking, publish_tool
from toolbuilder.editing.trial_records import with_last_values
from toolbuilder.editing.views.conflicts import overtaken_response
from toolbuilder.editing.views.requests import editor_action, editor_context, open_work, read_posted
from toolbuilder.editing.views.workbench import (
    lead_to,
    page_context,
    save_and_examine,
    tell_analysis,
)
from toolbuilder.editing.works import Work, find_work
from toolbuilder.gates import ADD_TOOLS, SEE_TOOLS
from toolbuilder.history.difference_view import show_difference
from toolbuilder.models import ToolDraft
from toolbuilder.visibility import visible_tools
from tools.definitions import ToolDocument

MAX_NOTE_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Published:
    """What is said once a tool is served; `leads_on` to the connection of an agent, for the first version.

    `fixed_types` are the parameters whose type was open until now, each with its type.
    """

    text: str
    fixed_types: list[str]
    leads_on: bool


@editor_action
def publish(request: HttpRequest, work: Work) -> HttpResponse:
    """Serves the posted form; asks first, once, if something speaks against it."""
    page = save_and_examine(request, work)
    draft = page.work.draft
    if draft is None or not page.work.is_changed:
        messages.info(request, _("Nothing to publish: this is what is served."))
        return _answer_published(request, page)
    review = review_page(page)
    if review.faults:
        return _ask(request, page, review, status=422)
    if "rebases" in request.POST:
        page_state = PageState(username=user_of(request).get_username(), revision=draft.revision)
        rebase_draft(draft.uid, page_state)
        messages.info(request, _("Your draft stays; publish it when it is right."))
        return _answer_published(request, _page_of(request, find_work(uid=draft.uid) or page.work))
    served = find_overtaking(draft)
    if served and "overwrites" not in request.POST:
        return overtaken_response(request, page.work, served)
    if review.has_doubts and "confirmed" not in request.POST:
        return _ask(request, page, review)
    return _publish(request, page, review, draft)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def changes(
    request: HttpRequest, name: str | None = None, uid: uuid.UUID | None = None
) -> HttpResponse:
    """What the draft, or the posted form, would change of what is served."""
    work = open_work(request, name, uid)
    try:
        document = read_posted(request, work) if request.method == "POST" else work.document
    except DefinitionError as error:
        messages.error(request, in_language(error))
        return HttpResponse(status=422, headers={"HX-Reswap": "none"})
    context = {
        **editor_context(request, work),
        "work": work,
        "revision": request.POST.get("revision") or work.revision,
        "difference": show_difference(work.served or ToolDocument(), document.tool),
    }
    return _render(request, "changes", context)


@for_staff_with(SEE_TOOLS, ADD_TOOLS)
@require_POST
def duplicate(request: HttpRequest, name: str) -> HttpResponse:
    """The editor of a new draft that does the same under a free name."""
    tool = get_object_or_404(visible_tools(user_of(request)), name=name)
    draft = duplicate_tool(tool, user_of(request).get_username())
    work = find_work(uid=draft.uid)
    return lead_to(request, work.address if work else "/tools/")


def _publish(
    request: HttpRequest, page: WorkbenchPage, review: PublishReview, draft: ToolDraft
) -> HttpResponse:
    username = user_of(request).get_username()
    note = request.POST.get("note", "").replace("\0", "").strip()[:MAX_NOTE_CHARACTERS]
    overwrites = "overwrites" in request.POST
    try:
        publication = publish_tool(draft, username, note=note, overwrites=overwrites)
    except StaleDraftError:
        if served := find_overtaking(draft):
            return overtaken_response(request, page.work, served)
        raise
    except DraftOwnedError:
        raise
    except (DefinitionError, DataSourceUnavailableError, EditError) as error:
        refused = PublishReview(
            faults=(PublishFault(in_language(error)),), difference=review.difference
        )
        return _ask(request, page, refused, status=422)
    return _tell_published(request, page.work, publication)


def _tell_published(request: HttpRequest, old: Work, publication: Publication) -> HttpResponse:
    tool = publication.tool
    if tool.is_active:
        text = _("%(name)s is live: every connected agent has it now.") % {"name": tool.name}
    else:
        text = _("%(name)s is published; it is inactive, so agents do not see it.") % {
            "name": tool.name
        }
    work = find_work(name=tool.name)
    if work is None or not is_fragment(request):
        messages.success(request, text)
        return lead_to(request, work.address if work else "/tools/")
    work = with_last_values(work, user_of(request).get_username())
    auto = old.document.auto_types
    fixed_types = [
        f"{row.param_name} {row.param_type.lower().replace('_', ' ')}"
        for row in old.document.tool.parameters
        if row.param_name in auto
    ]
    published = Published(text, fixed_types, leads_on=old.tool is None and tool.is_active)
    response = _answer_published(request, _page_of(request, work), published)
    trigger_event(response, "tool:published", version=publication.version.number)
    if work.address != old.address:
        response["HX-Replace-Url"] = work.address
        trigger_event(response, "tool:moved", old=old.address, new=work.address)
    return response


def _page_of(request: HttpRequest, work: Work) -> WorkbenchPage:
    return build_page(work, read_sources(), user_of(request).get_username())


def _answer_published(
    request: HttpRequest, page: WorkbenchPage, published: Published | None = None
) -> HttpResponse:
    """The parts of the page that show its state, and no dialog any more."""
    if not is_fragment(request):
        return lead_to(request, page.work.address)
    context = {**page_context(request, page), "published": published}
    response = render(request, "toolbuilder/editing/_published.html", context)
    response["HX-Retarget"], response["HX-Reswap"] = "#dialogs", "innerHTML"
    return tell_analysis(response, page)


def _ask(
    request: HttpRequest, page: WorkbenchPage, review: PublishReview, status: int = 200
) -> HttpResponse:
    note = request.POST.get("note", "")
    context = {**page_context(request, page), "review": review, "note": note, "work": page.work}
    return _render(request, "publish", context, status=status)


def _render(
    request: HttpRequest, part: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """The dialog that htmx puts into #dialogs, or a page of its own."""
    is_part = is_fragment(request)
    name = f"_{part}_dialog" if is_part else part
    response = render(request, f"toolbuilder/editing/{name}.html", context, status=status)
    if is_part:
        response["HX-Retarget"], response["HX-Reswap"] = "#dialogs", "innerHTML"
    return response
