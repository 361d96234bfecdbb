"""Publishing from the editor, what it would change, and a tool as the start of another."""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from access.reader_language import in_language
from access.views.events import trigger_event
from access.views.gates import for_staff_with, is_fragment, user_of
from catalog.sources.settings import read_sources
from core.diagnostics import Severity
from core.errors import (
    DataSourceUnavailableError,
    DefinitionError,
    DraftOwnedError,
    EditError,
    RedCasesError,
    StaleDraftError,
)
from core.lint import AdviceLevel
from toolbuilder.cases.gate import CaseResults, check_cases, read_override
from toolbuilder.cases.rows import accept_answers
from toolbuilder.cases.shown import show_cases
from toolbuilder.editing.advice import ShownAdvice
from toolbuilder.editing.drafts import (
    PageState,
    Work,
    duplicate_tool,
    find_work,
    read_draft,
    rebase_draft,
)
from toolbuilder.editing.page import WorkbenchPage, build_page
from toolbuilder.editing.publishing import Publication, find_overtaking, publish_tool
from toolbuilder.editing.trial_records import with_last_values
from toolbuilder.editing.views.conflicts import overtaken_response
from toolbuilder.editing.views.requests import (
    analysed_context,
    editor_context,
    lead_to,
    open_work,
    page_context,
    read_posted,
    saving_action,
    tell_analysis,
)
from toolbuilder.gates import ADD_TOOLS, SEE_TOOLS, may_change
from toolbuilder.history.breaking_changes import RENAMED_CODES, BreakingChange
from toolbuilder.history.difference_view import ShownDifference, show_difference
from toolbuilder.models import ToolCase, ToolDraft, ToolTrial
from toolbuilder.reviews.deciding import ask_for_review
from toolbuilder.reviews.rules import find_unapproved
from toolbuilder.search_lab.near_tools import NearPair, find_near_draft
from toolbuilder.visibility import visible_tools
from tools.aliases import DEFAULT_DAYS, read_days
from tools.definitions import ToolDocument
from tools.names import require_free_name

MAX_NOTE_CHARACTERS = 1_000
# What a search for tools goes by.
_READ = ("name", "title", "description_agent", "tags")


@dataclass(frozen=True, slots=True)
class Published:
    """What is said once a tool is served; `leads_on` to the connection of an agent, for the first version.

    `fixed_types` are the parameters whose type was open until now, each with its type.
    """

    text: str
    fixed_types: list[str]
    leads_on: bool


@dataclass(frozen=True, slots=True)
class PublishFault:
    """Why it cannot be served; `field` is the id of what mends it, '' if nothing on the page does.

    `start` and `end` count characters of the logic.
    """

    text: str
    field: str = ""
    start: int = 0
    end: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishReview:
    """With `faults` it cannot be published. `difference` is None of a tool that is new."""

    faults: tuple[PublishFault, ...] = ()
    advice: tuple[ShownAdvice, ...] = ()
    difference: ShownDifference | None = None
    is_untried: bool = False
    is_renamed: bool = False
    cases: CaseResults = field(default_factory=CaseResults)
    # Those that want it approved, which nobody has done yet.
    toolsets: tuple[str, ...] = ()
    # Tools that answer the same questions, if what agents read is new.
    near: tuple[NearPair, ...] = ()

    @property
    def blocking(self) -> list[ToolCase]:
        """The cases without whose reason it is not published; a review is asked for all the same."""
        return [] if self.toolsets else self.cases.blocking

    @property
    def lost_names(self) -> list[BreakingChange]:
        """Names by which agents may call and which are not there any more; they answer for some days."""
        found = self.difference.breaking if self.difference else ()
        return [change for change in found if change.code in RENAMED_CODES]

    @property
    def refused_calls(self) -> list[BreakingChange]:
        """Changes after which calls that agents make today are refused at once."""
        found = self.difference.breaking if self.difference else ()
        return [change for change in found if change.code not in RENAMED_CODES]

    @property
    def has_doubts(self) -> bool:
        """Whether somebody should look before it is served."""
        is_breaking = bool(self.difference and self.difference.breaking)
        is_advised = any(shown.level is not AdviceLevel.SUGGESTION for shown in self.advice)
        is_doubted = is_breaking or is_advised or self.is_untried or self.is_renamed
        is_doubted = is_doubted or bool(self.near)
        return is_doubted or self.cases.has_doubts or bool(self.toolsets)


@saving_action
def publish(request: HttpRequest, page: WorkbenchPage) -> HttpResponse:
    """Serves the posted form; asks first, once, if something speaks against it."""
    draft = page.work.draft
    if draft is None or not page.work.is_changed:
        if page.work.tool and not page.work.tool.is_active:
            text = _(
                "Nothing to publish. The tool is inactive: agents have it once it is activated."
            )
        else:
            text = _("Nothing to publish: this is what is served.")
        messages.info(request, text)
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
    review = _review_cases(request, page, review)
    if "confirmed" not in request.POST:
        review = replace(review, near=_find_near(request, page))
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


def _review_cases(
    request: HttpRequest, page: WorkbenchPage, review: PublishReview
) -> PublishReview:
    """The review with what the test cases say of the working copy; their new answers are accepted first if asked."""
    username, tool = user_of(request).get_username(), page.document.tool
    rows = list(ToolCase.objects.of(page.work.tool, page.work.draft))
    if "accepts" in request.POST:
        accept_answers(rows, username, 0)
    is_asked = "confirmed" in request.POST
    results = check_cases(rows, tool, page.sources, username, is_fresh_enough=is_asked)
    return replace(review, cases=results)


def _find_near(request: HttpRequest, page: WorkbenchPage) -> tuple[NearPair, ...]:
    """The tools that answer the same questions; none if agents read what they read before."""
    new, served, spec = page.document.tool, page.work.served, page.examined.spec
    if spec is None or (
        served and all(getattr(served, each) == getattr(new, each) for each in _READ)
    ):
        return ()
    return tuple(find_near_draft(spec, served.name if served else "", user_of(request)))


def _publish(
    request: HttpRequest, page: WorkbenchPage, review: PublishReview, draft: ToolDraft
) -> HttpResponse:
    username = user_of(request).get_username()
    if not may_change(user_of(request), read_draft(draft).tool):
        # Its new name or tags would take it out of the person's toolsets, or into one of others.
        text = _("With this name and these tags it would leave your toolsets, or enter another.")
        refused = PublishReview(faults=(PublishFault(text),), difference=review.difference)
        return _ask(request, page, refused, status=422)
    note = request.POST.get("note", "").replace("\0", "").strip()[:MAX_NOTE_CHARACTERS]
    days = read_days(request.POST.get("old_names_days"), DEFAULT_DAYS if review.lost_names else 0)
    try:
        if review.toolsets:
            asked = ask_for_review(draft, username, note, old_names_days=days)
            messages.success(request, _("Asked for review: another person publishes it."))
            return lead_to(request, reverse("review", args=[asked.pk]))
        publication = publish_tool(
            draft,
            username,
            note=note,
            overwrites="overwrites" in request.POST,
            old_names_days=days,
            override_reason=read_override(request.POST),
        )
    except StaleDraftError:
        if served := find_overtaking(draft):
            return overtaken_response(request, page.work, served)
        raise
    except DraftOwnedError:
        raise
    except RedCasesError:
        return _ask(request, page, review, status=422)
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
    context = {
        **analysed_context(request, page),
        "published": published,
        "cases": show_cases(page.work),
        "actions": page.work.actions,
    }
    response = render(request, "toolbuilder/editing/_published.html", context)
    response["HX-Retarget"], response["HX-Reswap"] = "#dialogs", "innerHTML"
    return tell_analysis(response)


def _ask(
    request: HttpRequest, page: WorkbenchPage, review: PublishReview, status: int = 200
) -> HttpResponse:
    note = request.POST.get("note", "")
    context = {
        **page_context(request, page),
        "review": review,
        "note": note,
        "work": page.work,
        "override_reason": request.POST.get("override_reason", ""),
        "old_names_days": read_days(request.POST.get("old_names_days"), DEFAULT_DAYS),
    }
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


def review_page(page: WorkbenchPage) -> PublishReview:
    """The review of a working copy that was saved and examined just now; three queries at most."""
    work, new = page.work, page.document.tool
    served, logic = work.served, work.document.tool.logic_hash
    trials = ToolTrial.objects.filter(logic_hash=logic, error="")
    own = trials.filter(tool=work.tool) if work.tool else trials.filter(draft=work.draft)
    return PublishReview(
        faults=tuple(_find_faults(page)),
        advice=page.agent.advice,
        difference=show_difference(served, new) if served else None,
        # What is served already counts as tried.
        is_untried=not (served and served.logic_hash == logic) and not own.exists(),
        is_renamed=bool(served and served.name != new.name),
        toolsets=tuple(find_unapproved(work.tool, new)),
    )


def _find_faults(page: WorkbenchPage) -> Iterator[PublishFault]:
    tool, name = page.work.tool, page.document.tool.name
    if tool and tool.archived_at:
        yield PublishFault(_("%(name)s is archived; bring it back first.") % {"name": tool.name})
    if not name or page.name_fault:
        yield PublishFault(page.name_fault or _("Give the tool a name."), "name")
    else:
        try:
            require_free_name(name, tool)
        except DefinitionError as error:
            yield PublishFault(in_language(error), "name")
    for found in page.examined.analysis.diagnostics:
        if found.severity is Severity.ERROR and not found.parameter:
            yield PublishFault(in_language(found.message), "definition", found.start, found.end)
    keys = {row.name: row.key for row in page.rows}
    for parameter, text in page.examined.faults.items():
        field = f"p-{keys[parameter]}-type" if parameter in keys else "parameters"
        yield PublishFault(in_language(text), field)
