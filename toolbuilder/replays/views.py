"""Pages of replays: of a tool's draft, and of a change that is reviewed."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from access.reader_language import in_language
from access.views.gates import for_staff_with, is_fragment, user_of
from core.errors import ToolboxError
from toolbuilder.editing.drafts import find_work
from toolbuilder.gates import REVIEW_TOOLS, SEE_TOOLS, may_change
from toolbuilder.models import ReplayState, ToolReplay
from toolbuilder.replays.page import show_replay
from toolbuilder.replays.reading import DAYS
from toolbuilder.replays.running import (
    SIZES,
    advance_replay,
    find_replay,
    start_replay,
    stop_replay,
)
from toolbuilder.visibility import visible_drafts, visible_replays, visible_reviews, visible_tools
from tools.definitions import ToolDocument
from tools.models import ToolDefinition


@for_staff_with(SEE_TOOLS)
@require_http_methods(["GET", "HEAD", "POST"])
def tool_replay(request: HttpRequest, name: str) -> HttpResponse:
    """The newest replay of a tool's draft; posted, a new one of so many calls.

    With a `review` it is one of what is asked about there.
    """
    tool = get_object_or_404(visible_tools(user_of(request)), name=name)
    _require_right(request, tool)
    document = _find_document(request, tool)
    replay, error = None, ""
    if request.method == "POST" and document:
        size = request.POST.get("size", "")
        requested = int(size) if size in map(str, SIZES) else SIZES[1]
        try:
            replay = start_replay(tool, document, user_of(request).get_username(), requested)
        except ToolboxError as failure:
            error = in_language(failure)
        else:
            if not is_fragment(request):
                return redirect("replay", replay.pk)
    elif document:
        replay = find_replay(tool, document.content_hash)
    return _render(request, tool, replay, error=error, is_there=document is not None)


@for_staff_with(SEE_TOOLS)
@require_GET
@vary_on_headers("HX-Request")
def replay_page(request: HttpRequest, replay_id: int) -> HttpResponse:
    """A replay as it is now."""
    replay = _find_replay(request, replay_id)
    return _render(request, replay.tool, replay)


@for_staff_with(SEE_TOOLS)
@require_POST
def replay_advance(request: HttpRequest, replay_id: int) -> HttpResponse:
    """The replay after another second of it; the page asks again until it is done."""
    replay, error = _find_replay(request, replay_id), ""
    if "again" in request.POST:
        ToolReplay.objects.filter(pk=replay.pk, state=ReplayState.STOPPED).update(
            state=ReplayState.RUNNING
        )
    try:
        replay = advance_replay(replay, user_of(request).get_username())
    except ToolboxError as failure:
        stop_replay(replay)
        replay.refresh_from_db()
        error = in_language(failure)
    if not is_fragment(request):
        return redirect("replay", replay.pk)
    return _render(request, replay.tool, replay, error=error)


@for_staff_with(SEE_TOOLS)
@require_POST
def replay_stop(request: HttpRequest, replay_id: int) -> HttpResponse:
    """The replay, stopped: what is done stays, and it can be carried on."""
    replay = _find_replay(request, replay_id)
    stop_replay(replay)
    replay.refresh_from_db()
    if not is_fragment(request):
        return redirect("replay", replay.pk)
    return _render(request, replay.tool, replay)


def _find_replay(request: HttpRequest, replay_id: int) -> ToolReplay:
    rows = visible_replays(user_of(request)).select_related("tool")
    replay = get_object_or_404(rows, pk=replay_id)
    _require_right(request, replay.tool)
    return replay


def _require_right(request: HttpRequest, tool: ToolDefinition) -> None:
    user = user_of(request)
    if not (may_change(user, tool) or user.has_perm(REVIEW_TOOLS, tool)):
        raise PermissionDenied(
            _("Ask an administrator for the right, or sign in as somebody else.")
        )


def _find_document(request: HttpRequest, tool: ToolDefinition) -> ToolDocument | None:
    """What is to be replayed: the draft, or what a review is about; None if nothing has changed."""
    number = request.POST.get("review", "") or request.GET.get("review", "")
    if number.isascii() and number.isdigit() and len(number) < 12:
        review = visible_reviews(user_of(request)).filter(pk=number, tool=tool).first()
        if review is None:
            raise Http404
        return ToolDocument.model_validate(review.document)
    work = find_work(name=tool.name)
    if work is None or work.draft is None or not work.is_changed:
        return None
    is_visible = visible_drafts(user_of(request)).filter(pk=work.draft.pk).exists()
    return work.document.tool if is_visible else None


def replay_context(
    request: HttpRequest,
    tool: ToolDefinition,
    replay: ToolReplay | None,
    *,
    error: str = "",
    is_there: bool = True,
) -> dict[str, Any]:
    """What the part of a page that shows a replay knows."""
    return {
        "tool": tool,
        "shown": show_replay(replay, user_of(request)) if replay else None,
        "sizes": SIZES,
        "size": replay.requested if replay else SIZES[1],
        "days": DAYS,
        "error": error,
        "is_there": is_there,
        "review_id": request.POST.get("review", "") or request.GET.get("review", ""),
    }


def _render(
    request: HttpRequest,
    tool: ToolDefinition,
    replay: ToolReplay | None,
    *,
    error: str = "",
    is_there: bool = True,
) -> HttpResponse:
    context = replay_context(request, tool, replay, error=error, is_there=is_there)
    part = "_replay" if is_fragment(request) else "page"
    status = 422 if error else 200
    return render(request, f"toolbuilder/replays/{part}.html", context, status=status)
