"""Which reviews there are for a person: to be decided, their own, and those that are over."""

from django.contrib.auth.models import User
from django.db.models import Exists, Q, QuerySet

from access.models import Toolset
from access.roles.rights import tool_reach
from access.toolsets.models import ToolsetReview
from toolbuilder.gates import REVIEW_TOOLS
from toolbuilder.models import OPEN_STATES, ReviewState, ToolReview
from toolbuilder.visibility import visible_reviews

_KEPT = "_has_reviews"


def has_reviews(user: User) -> bool:
    """Whether some toolset asks for reviews, or one is open; one query, kept with the person of a request."""
    known: bool | None = getattr(user, _KEPT, None)
    if known is None:
        is_open = Exists(ToolReview.objects.filter(state__in=OPEN_STATES))
        known = Toolset.objects.filter(Q(review=ToolsetReview.OTHER) | is_open).exists()
        setattr(user, _KEPT, known)
    return known


def decidable_reviews(user: User) -> "QuerySet[ToolReview]":
    """The waiting reviews on which this person may decide, newest first."""
    if not user.has_perm(REVIEW_TOOLS):
        return ToolReview.objects.none()
    reach = tool_reach(user, REVIEW_TOOLS)
    # Of a tool that is there, where it is now counts as well as where it will be.
    waiting = visible_reviews(user).filter(state=ReviewState.WAITING, draft__isnull=False)
    if not reach.is_all:
        waiting = waiting.filter(reach.filter(), Q(tool=None) | reach.filter("tool__"))
    return waiting.exclude(_written_by(user))


def own_reviews(user: User) -> "QuerySet[ToolReview]":
    """The open reviews of what this person wrote, newest first."""
    open_ones = visible_reviews(user).filter(state__in=OPEN_STATES)
    return open_ones.filter(_written_by(user))


def count_pending(user: User) -> int:
    """How many reviews wait for this person: for a decision, or as their author; one query."""
    turned = Q(
        state__in=[ReviewState.SENT_BACK, ReviewState.APPROVED], asked_by=user.get_username()
    )
    decidable = Q(pk__in=decidable_reviews(user).values("pk"))
    return ToolReview.objects.filter(decidable | turned).count()


def _written_by(user: User) -> Q:
    username = user.get_username()
    return Q(asked_by=username) | Q(authors__contains=[username])
