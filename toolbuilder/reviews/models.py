"""The rows of reviews and of what was written in them."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tools.models import ToolDefinition


class ReviewState(models.TextChoices):
    """How far a review is."""

    WAITING = "WAITING", _("waiting")
    SENT_BACK = "SENT_BACK", _("sent back")
    APPROVED = "APPROVED", _("approved")
    PUBLISHED = "PUBLISHED", _("published")
    WITHDRAWN = "WITHDRAWN", _("withdrawn")


OPEN_STATES = (ReviewState.WAITING, ReviewState.SENT_BACK, ReviewState.APPROVED)


class ToolReview(models.Model):
    """A draft as it was when its author asked for a review, and what became of it.

    `document` is the ToolDocument that was asked about, `content_hash` its hash, and `base_hash` that
    of what was served then, '' for a new tool. `authors` are those who wrote the draft. `name` and
    `tags` are the document's: they say in which toolsets it will be.
    """

    id = models.BigAutoField(primary_key=True)
    tool = models.ForeignKey(
        ToolDefinition,
        verbose_name=_("tool"),
        related_name="reviews",
        null=True,
        on_delete=models.CASCADE,
    )
    draft = models.ForeignKey(
        "toolbuilder.ToolDraft",
        verbose_name=_("draft"),
        related_name="reviews",
        null=True,
        on_delete=models.SET_NULL,
    )
    name = models.TextField(_("name"))
    tags = models.JSONField(_("tags"), default=list, db_default=[])
    document = models.JSONField(_("document"))
    content_hash = models.TextField(editable=False)
    base_hash = models.TextField(default="", db_default="", editable=False)
    authors = models.JSONField(_("authors"), default=list, db_default=[])
    state = models.TextField(_("state"), choices=ReviewState, default=ReviewState.WAITING)
    note = models.TextField(_("note"), default="", db_default="", blank=True)
    asked_by = models.TextField(_("asked by"))
    asked_at = models.DateTimeField(_("asked"), db_default=Now())
    decided_by = models.TextField(_("decided by"), default="", db_default="")
    decided_at = models.DateTimeField(_("decided"), null=True)
    reason = models.TextField(_("reason"), default="", db_default="", blank=True)
    old_names_days = models.PositiveIntegerField(
        _("days for which old names answer"), default=0, db_default=0
    )
    version_number = models.PositiveIntegerField(_("version"), null=True)

    class Meta:
        db_table = "h_tool_review"
        verbose_name = _("review")
        verbose_name_plural = _("reviews")
        ordering = ["-asked_at", "-id"]
        indexes = [models.Index(fields=["state", "-asked_at"], name="h_tool_review_state")]
        constraints = [
            models.UniqueConstraint(
                fields=["draft"],
                condition=Q(state__in=["WAITING", "SENT_BACK", "APPROVED"]),
                name="h_tool_review_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} {self.state}"

    @property
    def is_open(self) -> bool:
        """Whether something may become of it yet."""
        return self.state in OPEN_STATES


class CommentKind(models.TextChoices):
    """What somebody wrote a comment for."""

    COMMENT = "COMMENT", _("wrote")
    ASKED = "ASKED", _("asked for review")
    SENT_BACK = "SENT_BACK", _("sent it back")
    APPROVED = "APPROVED", _("approved it")
    PUBLISHED = "PUBLISHED", _("approved and published it")
    WITHDRAWN = "WITHDRAWN", _("withdrew it")


class ReviewComment(models.Model):
    """Something that was written in a review, or done; `line` is one of the draft's logic.

    `content_hash` is that of the document it was written about: a line of another one says nothing.
    """

    id = models.BigAutoField(primary_key=True)
    review = models.ForeignKey(
        ToolReview, verbose_name=_("review"), related_name="comments", on_delete=models.CASCADE
    )
    parent = models.ForeignKey(
        "self",
        verbose_name=_("answer to"),
        related_name="replies",
        null=True,
        on_delete=models.CASCADE,
    )
    kind = models.TextField(_("kind"), choices=CommentKind, default=CommentKind.COMMENT)
    author = models.TextField(_("author"))
    at = models.DateTimeField(_("at"), db_default=Now())
    text = models.TextField(_("text"), default="", db_default="", blank=True)
    line = models.PositiveIntegerField(_("line"), null=True)
    content_hash = models.TextField(default="", db_default="", editable=False)
    resolved_by = models.TextField(_("resolved by"), default="", db_default="")

    class Meta:
        db_table = "h_tool_review_comment"
        verbose_name = _("comment of a review")
        verbose_name_plural = _("comments of reviews")
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.author} {self.kind}"
