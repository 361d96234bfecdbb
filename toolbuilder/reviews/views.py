"""Reviews: listed, looked at, discussed and decided on."""

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from access.list_addresses import read_filters, read_page
from access.reader_language import in_language
from access.views.gates import for_staff_with, user_of
from core.errors import ToolboxError
from toolbuilder.gates import REVIEW_TOOLS, SEE_TOOLS, may_change
from toolbuilder.models import OPEN_STATES, ReviewComment, ToolReview
from toolbuilder.replays.views import replay_context
from toolbuilder.reviews.deciding import (
    MAX_TEXT_CHARACTERS,
    approve,
    approve_and_publish,
    resolve_comment,
    send_back,
    withdraw,
    write_comment,
)
from toolbuilder.reviews.listing import decidable_reviews, own_reviews
from toolbuilder.reviews.page import build_review_page
from toolbuilder.visibility import visible_reviews

PAGE_SIZE = 50
_SHOWN = {
    "": gettext_lazy("Waiting for you"),
    "mine": gettext_lazy("Yours"),
    "open": gettext_lazy("All open ones"),
    "done": gettext_lazy("Done"),
}


@for_staff_with(SEE_TOOLS)
@require_GET
def review_list(request: HttpRequest) -> HttpResponse:
    """Reviews that wait for the person, their own, all that are open, and those that are over, 50 a page."""
    user = user_of(request)
    given = read_filters(request.GET, ["show"], 20)["show"]
    show = given if given in _SHOWN else ""
    rows = {
        "": decidable_reviews(user),
        "mine": own_reviews(user),
        "open": visible_reviews(user).filter(state__in=OPEN_STATES),
        "done": visible_reviews(user).exclude(state__in=OPEN_STATES),
    }
    page = Paginator(rows[show].select_related("tool").defer("document"), PAGE_SIZE).get_page(
        read_page(request.GET)
    )
    counts = {choice: rows[choice].count() for choice in _SHOWN if choice not in {show, "done"}}
    if show != "done":
        counts[show] = page.paginator.count
    chips = [(choice, label, counts.get(choice)) for choice, label in _SHOWN.items()]
    context = {"page": page, "show": show, "chips": chips, "query": "", "more": f"&show={show}"}
    return render(request, "toolbuilder/reviews/list.html", context)


@for_staff_with(SEE_TOOLS)
@require_GET
def review_page(request: HttpRequest, review_id: int) -> HttpResponse:
    """A change with all that helps to decide on it."""
    return _render(request, _find(request, review_id))


@for_staff_with(SEE_TOOLS)
@require_POST
def review_decide(request: HttpRequest, review_id: int) -> HttpResponse:
    """Sends it back, approves it, publishes it or withdraws it; a refusal is told on the page."""
    review, user = _find(request, review_id), user_of(request)
    action, text = request.POST.get("action", ""), _text(request)
    try:
        match action:
            case "send-back":
                send_back(review.pk, user, text)
                messages.success(request, _("Sent back to %(name)s.") % {"name": review.asked_by})
            case "approve":
                approve(review.pk, user, text)
                messages.success(request, _("Approved; its author publishes it."))
            case "publish":
                tool = approve_and_publish(review.pk, user, text).tool
                told = _("%(name)s is published, version %(number)d.")
                messages.success(request, told % {"name": tool.name, "number": tool.version})
            case "withdraw":
                withdraw(review.pk, user.get_username())
                messages.success(request, _("Withdrawn; the draft stays."))
    except ToolboxError as error:
        return _render(request, _find(request, review_id), refusal=in_language(error), text=text)
    return redirect("review", review.pk)


@for_staff_with(SEE_TOOLS)
@require_POST
def review_comment(request: HttpRequest, review_id: int) -> HttpResponse:
    """Keeps what was written: about the change, about a line of it, or in answer to somebody."""
    review = _find(request, review_id)
    line, parent_id = request.POST.get("line", ""), request.POST.get("parent", "")
    parent = None
    if _is_number(parent_id):
        parent = get_object_or_404(ReviewComment, pk=parent_id, review=review)
    try:
        write_comment(
            review,
            user_of(request).get_username(),
            _text(request),
            line=int(line) if _is_number(line) else None,
            parent=parent,
        )
    except ToolboxError as error:
        return _render(request, review, refusal=in_language(error), text=_text(request))
    return redirect("review", review.pk)


@for_staff_with(SEE_TOOLS)
@require_POST
def review_resolve(request: HttpRequest, review_id: int, comment_id: int) -> HttpResponse:
    """Notes that a comment needs nothing more, or that it does again."""
    review = _find(request, review_id)
    comment = get_object_or_404(ReviewComment, pk=comment_id, review=review)
    resolve_comment(comment, user_of(request).get_username())
    return redirect("review", review.pk)


def _find(request: HttpRequest, review_id: int) -> ToolReview:
    rows = visible_reviews(user_of(request)).select_related("tool", "draft")
    return get_object_or_404(rows, pk=review_id)


def _render(
    request: HttpRequest, review: ToolReview, *, refusal: str = "", text: str = ""
) -> HttpResponse:
    user = user_of(request)
    line = request.GET.get("line", "")
    page = build_review_page(review, user)
    context: dict[str, Any] = {
        "page": page,
        "review": review,
        "refusal": refusal,
        "text": text,
        "line": line if _is_number(line) else "",
    }
    if review.tool and review.is_open:
        may_replay = may_change(user, review.tool) or user.has_perm(REVIEW_TOOLS, review.tool)
        replay = replay_context(request, review.tool, page.replay)
        context |= {**replay, "review_id": review.pk, "may_replay": may_replay}
    status = 422 if refusal else 200
    return render(request, "toolbuilder/reviews/review.html", context, status=status)


def _text(request: HttpRequest) -> str:
    return request.POST.get("text", "").replace("\0", "").strip()[:MAX_TEXT_CHARACTERS]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10
