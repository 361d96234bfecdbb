"""What people do in a review: ask, write, send back, approve, publish, withdraw."""

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from catalog.jobs import send_job
from core.errors import EditError
from core.messages import Message, counted, message
from toolbuilder.editing.drafts import PageState, lock_draft, read_draft
from toolbuilder.editing.publishing import Publication, judge, publish_tool
from toolbuilder.mails import mail_people
from toolbuilder.models import (
    OPEN_STATES,
    CommentKind,
    ReviewComment,
    ReviewState,
    ToolDraft,
    ToolReview,
)
from toolbuilder.replays.running import count_failing, find_replay
from toolbuilder.reviews.rules import has_right, is_author, read_base_hash

MAX_TEXT_CHARACTERS = 4_000
# The task by name: importing it would import this module.
_MAIL_TASK = "toolbuilder.tasks.mail_review_author"


def ask_for_review(
    draft: ToolDraft, username: str, note: str = "", *, old_names_days: int = 0
) -> ToolReview:
    """The review of the draft as it is; one that is open already goes on with it.

    Names that it changes shall answer for so many days once it is published. Raises as publish_tool
    does for a draft that could not be served, or has changed.
    """
    snapshot = read_draft(draft).tool
    judge(snapshot, draft.tool, username)
    with transaction.atomic():
        # The review before the draft, as those who decide lock them.
        asked = ToolReview.objects.select_for_update(of=("self",)).filter(draft=draft)
        review = asked.filter(state__in=OPEN_STATES).first() or ToolReview(draft=draft)
        locked = lock_draft(draft.uid, PageState(username=username, revision=draft.revision))
        review.tool, review.name, review.tags = locked.tool, snapshot.name, list(snapshot.tags)
        review.document, review.content_hash = snapshot.to_document(), snapshot.content_hash
        review.base_hash = read_base_hash(locked.tool)
        if locked.tool:
            # Its author has looked at what others changed meanwhile.
            locked.base_version_hash = review.base_hash
            locked.save(update_fields=["base_version_hash"])
        review.authors = sorted({*locked.authors, *review.authors, locked.owner, username})
        review.state, review.note = ReviewState.WAITING, note
        review.old_names_days = old_names_days
        review.asked_by, review.asked_at = username, timezone.now()
        review.decided_by, review.decided_at, review.reason = "", None, ""
        review.save()
        _note(review, CommentKind.ASKED, username, note)
    return review


def explain_stale(review: ToolReview) -> Message | None:
    """Why nobody can decide on the open review any more; None if it can be decided on."""
    draft = ToolDraft.objects.filter(pk=review.draft_id).first() if review.draft_id else None
    if draft is None:
        return message("review.draft_gone", "The draft was discarded.")
    if draft.owner != review.asked_by:
        return message(
            "review.draft_taken_over",
            "{owner} has taken the draft over since the review was asked for, and has to ask again.",
            owner=draft.owner,
        )
    if draft.content_hash != review.content_hash:
        return message(
            "review.draft_changed",
            "The draft was changed after the review was asked for; its author has to ask again.",
        )
    if read_base_hash(review.tool) != review.base_hash:
        return message(
            "review.tool_changed",
            "What is served was changed since the review was asked for; the author has to look at"
            " the difference and ask again.",
        )
    return None


def count_doubts(review: ToolReview) -> int:
    """How many recorded calls fail with the change and did not before."""
    return count_failing(find_replay(review.tool, review.content_hash))


def send_back(review_id: int, user: User, text: str) -> ToolReview:
    """The review, with its author again. Raises EditError, also where nothing says why."""
    if not text:
        raise EditError(message("review.say_why", "Write what should be different."))
    with transaction.atomic():
        review = _lock_for_decision(review_id, user)
        _decide(review, ReviewState.SENT_BACK, user.get_username(), text)
        _note(review, CommentKind.SENT_BACK, user.get_username(), text)
    return review


def approve(review_id: int, user: User, reason: str = "") -> ToolReview:
    """The review, approved: its author may publish that very draft. Raises EditError."""
    with transaction.atomic():
        review = _lock_for_decision(review_id, user)
        _require_reason(review, reason)
        _decide(review, ReviewState.APPROVED, user.get_username(), reason)
        _note(review, CommentKind.APPROVED, user.get_username(), reason)
    return review


def approve_and_publish(review_id: int, user: User, reason: str = "") -> Publication:
    """What is served now: the draft of the review, as its author's and with who approved it.

    Raises as publish_tool does; then nothing is decided.
    """

    def decide(*, is_final: bool = True) -> ToolReview:
        review = _lock_for_decision(review_id, user)
        _require_reason(review, reason)
        if is_final:
            _decide(review, ReviewState.APPROVED, user.get_username(), reason)
            _note(review, CommentKind.PUBLISHED, user.get_username(), reason)
        return review

    # Before the database and the test cases are asked, and again after: nobody waits for them.
    with transaction.atomic():
        review = decide(is_final=False)
        draft = ToolDraft.objects.get(reviews=review)
    return publish_tool(
        draft,
        draft.owner,
        note=review.note,
        # A red case needs a reason as well.
        override_reason=reason,
        old_names_days=review.old_names_days,
        decide=decide,
    )


def withdraw(review_id: int, username: str) -> ToolReview:
    """The review, no longer asked for, by one of its authors. Raises EditError."""
    with transaction.atomic():
        review = _lock_open(review_id)
        if username not in {review.asked_by, *review.authors}:
            raise EditError(message("review.not_yours", "Only its authors withdraw a review."))
        _decide(review, ReviewState.WITHDRAWN, username, "")
        _note(review, CommentKind.WITHDRAWN, username, "")
    return review


def write_comment(
    review: ToolReview,
    username: str,
    text: str,
    *,
    line: int | None = None,
    parent: ReviewComment | None = None,
) -> ReviewComment:
    """What somebody wrote, about a line of the draft's logic, in answer to somebody, or neither."""
    text = text.replace("\0", "").strip()[:MAX_TEXT_CHARACTERS]
    if not text:
        raise EditError(message("review.empty_comment", "Write something first."))
    logic = review.document.get("definition", "")
    count = len(logic.splitlines()) if isinstance(logic, str) else 0
    if line is not None and not 1 <= line <= count:
        raise EditError(
            message("review.no_such_line", "The logic has no line {line}.", line=str(line))
        )
    comment = ReviewComment.objects.create(
        review=review,
        author=username,
        text=text,
        line=parent.line if parent else line,
        # Answers hang on the first one: a thread has one level.
        parent=(parent.parent or parent) if parent else None,
        content_hash=parent.content_hash if parent else review.content_hash,
    )
    _tell_author(comment)
    return comment


def mail_author(comment: ReviewComment) -> None:
    """Tell whoever asked for the review, and nobody else, of the comment or decision."""
    review = comment.review
    subject = _("Review of %(name)s") % {"name": review.name}
    address = f"{settings.WEB_PUBLIC_URL.rstrip('/')}{reverse('review', args=[review.pk])}"
    lines = [f"{comment.author} {comment.get_kind_display()}", "", comment.text, "", address]
    mail_people({review.asked_by}, subject, "\n".join(lines))


def resolve_comment(comment: ReviewComment, username: str) -> None:
    """Note that nothing is left to be done about it, or that there is again."""
    comment.resolved_by = "" if comment.resolved_by else username
    comment.save(update_fields=["resolved_by"])


def _lock_open(review_id: int) -> ToolReview:
    review = ToolReview.objects.select_for_update(of=("self",)).get(pk=review_id)
    if not review.is_open:
        raise EditError(
            message(
                "review.decided",
                "{name} has decided on this review already.",
                name=review.decided_by,
            )
        )
    return review


def _lock_for_decision(review_id: int, user: User) -> ToolReview:
    """The review if this user may decide on it now. Raises EditError with the reason if not."""
    review = _lock_open(review_id)
    if is_author(user, review):
        text = message("review.own", "Nobody approves their own change; somebody else looks at it.")
        raise EditError(text)
    if not has_right(user, review):
        raise EditError(message("review.no_right", "You may not review the tools of this toolset."))
    if review.state != ReviewState.WAITING:
        raise EditError(
            message("review.not_waiting", "This review waits for its author, not for a decision.")
        )
    if stale := explain_stale(review):
        raise EditError(stale)
    return review


def _require_reason(review: ToolReview, reason: str) -> None:
    if not reason and (count := count_doubts(review)):
        raise EditError(
            message(
                "review.reason_needed",
                counted(
                    "One recorded call fails with this change: write why it is published all the same.",
                    "{count} recorded calls fail with this change: write why it is published all the"
                    " same.",
                ),
                count=count,
            )
        )


def _decide(review: ToolReview, state: ReviewState, username: str, reason: str) -> None:
    review.state, review.decided_by = state, username
    review.decided_at, review.reason = timezone.now(), reason
    review.save()


def _note(review: ToolReview, kind: CommentKind, username: str, text: str) -> None:
    comment = ReviewComment.objects.create(
        review=review,
        kind=kind,
        author=username,
        text=text,
        content_hash=review.content_hash,
    )
    _tell_author(comment)


def _tell_author(comment: ReviewComment) -> None:
    def send() -> None:
        if not send_job(_MAIL_TASK, comment.pk):
            mail_author(comment)

    if settings.EMAIL_HOST and comment.author != comment.review.asked_by:
        transaction.on_commit(send, robust=True)
