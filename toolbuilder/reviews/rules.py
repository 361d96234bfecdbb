"""Where a change has to be reviewed, by whom it may be, and the one check before it is served."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import F
from django.utils import timezone

from access.models import Toolset
from access.roles.rights import Placed
from access.toolsets.models import ToolsetReview, read_toolsets
from core.errors import ReviewNeededError
from core.grants import ToolsetSpec
from core.messages import message
from toolbuilder.gates import REVIEW_TOOLS
from toolbuilder.models import OPEN_STATES, ReviewState, ToolDraft, ToolReview, ToolVersion
from tools.definitions import ToolDocument
from tools.models import ToolDefinition


def tag_texts(tags: object) -> list[str]:
    """The tags of a tool; another program may have written something else than a list of them."""
    if not isinstance(tags, list | tuple):
        return []
    return [tag for tag in tags if isinstance(tag, str)]


def may_review(user: User, review: ToolReview) -> bool:
    """Whether the user may decide on it: with the right on its tool before and after, and not its author."""
    return not is_author(user, review) and has_right(user, review)


def is_author(user: User, review: ToolReview) -> bool:
    """Whether the user asked for the review, or wrote any of the draft."""
    return user.get_username() in {review.asked_by, *review.authors}


def has_right(user: User, review: ToolReview) -> bool:
    """Whether the user may review that tool, whoever wrote it."""
    return all(user.has_perm(REVIEW_TOOLS, place) for place in (review.tool, review) if place)


@dataclass(frozen=True, slots=True)
class ReviewPassage:
    """What lets a change through: its approved review, or that none is needed.

    `note` is what is kept with the version: why it was changed, and why all the same.
    """

    note: str
    review: ToolReview | None = None

    @property
    def reviewed_by(self) -> str:
        """Who approved it, '' for nobody."""
        return self.review.decided_by if self.review else ""

    def note_published(self, version: ToolVersion) -> None:
        """The review is over: this version came of it."""
        if self.review:
            self.review.state, self.review.version_number = ReviewState.PUBLISHED, version.number
            self.review.tool = version.tool
            self.review.save()


def find_passage(
    tool: ToolDefinition | None, snapshot: ToolDocument, note: str, unreviewed_because: str
) -> ReviewPassage:
    """What lets that very change through; its review is locked, so call it in a transaction.

    `unreviewed_because` is an operator's reason to go without one. Raises ReviewNeededError where
    one is needed and not there.
    """
    toolsets = find_reviewing(tool, snapshot)
    if not toolsets:
        return ReviewPassage(note)
    if unreviewed_because:
        return ReviewPassage("\n".join(filter(None, [note, f"No review: {unreviewed_because}"])))
    approved = find_approval(tool, snapshot)
    if approved is None:
        raise explain_need(toolsets)
    review = ToolReview.objects.select_for_update().get(pk=approved.pk)
    return ReviewPassage("\n".join(filter(None, [note or review.note, review.reason])), review)


def lock_open_review(draft: ToolDraft) -> ToolReview | None:
    """The review of the draft of which something may become yet, locked; None if there is none."""
    asked = ToolReview.objects.select_for_update(of=("self",)).filter(draft=draft)
    return asked.filter(state__in=OPEN_STATES).first()


def end_review(review: ToolReview, version: ToolVersion, username: str) -> None:
    """The review is over: its draft was published, by that person where no approval was needed."""
    review.refresh_from_db()
    if not review.is_open:
        return
    if review.content_hash == version.content_hash:
        review.state, review.version_number = ReviewState.PUBLISHED, version.number
    else:
        # What was asked about was changed before it was published.
        review.state = ReviewState.WITHDRAWN
    review.tool, review.decided_by, review.decided_at = version.tool, username, timezone.now()
    review.save()


def read_reviewing() -> list[ToolsetSpec]:
    """The toolsets that ask for reviews; one query where there are none."""
    asking = Toolset.objects.filter(review=ToolsetReview.OTHER).order_by()
    names = set(asking.values_list("name", flat=True))
    return [spec for name, spec in read_toolsets().items() if name in names] if names else []


def find_reviewing(
    tool: ToolDefinition | None,
    snapshot: ToolDocument,
    asking: Sequence[ToolsetSpec] | None = None,
) -> list[str]:
    """Names of the toolsets that ask for a review of that change.

    The tool counts as it is and as it will be: a change can neither enter nor leave a toolset unseen.
    `asking` is what `read_reviewing` gave, where it is known already.
    """
    placed: list[Placed] = [tool, snapshot] if tool else [snapshot]
    return [
        spec.name
        for spec in (read_reviewing() if asking is None else asking)
        if any(spec.holds(place.name, tag_texts(place.tags)) for place in placed)
    ]


def find_unapproved(tool: ToolDefinition | None, snapshot: ToolDocument) -> list[str]:
    """Names of the toolsets that ask for a review of that change; none once it is approved."""
    toolsets = find_reviewing(tool, snapshot)
    return [] if toolsets and find_approval(tool, snapshot) else toolsets


def find_approval(tool: ToolDefinition | None, snapshot: ToolDocument) -> ToolReview | None:
    """The review in which that very change of what is served now was approved; None if there is none."""
    approved = ToolReview.objects.filter(
        tool=tool,
        state=ReviewState.APPROVED,
        content_hash=snapshot.content_hash,
        # Whoever approved it could take the draft over, and would then publish it alone.
        draft__owner=F("asked_by"),
    )
    return approved.filter(base_hash=read_base_hash(tool)).first()


def read_base_hash(tool: ToolDefinition | None) -> str:
    """The hash of what is served now, '' of a new tool."""
    if tool is None:
        return ""
    return ToolDocument.of_row(ToolDefinition.objects.whole().get(pk=tool.pk)).content_hash


def explain_need(toolsets: Iterable[str]) -> ReviewNeededError:
    """Why it cannot be published at once, and what to do."""
    return ReviewNeededError(
        message(
            "review.needed",
            "Changes of tools in {toolsets} are reviewed: put the change into a draft in the"
            " editor and ask for a review there",
            toolsets=", ".join(toolsets),
        )
    )
