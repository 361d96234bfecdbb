"""Working copies of tools, their versions and trials, and the questions of the search lab."""

import uuid
from typing import Any

from django.db import models
from django.db.models import F, Q, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext_lazy as _

from toolbuilder.exchange.models import ToolFile
from toolbuilder.playground.models import (
    PlaygroundChat,
    PlaygroundQuestion,
    PlaygroundRun,
    PlaygroundState,
)
from toolbuilder.preferences.models import Preferences
from toolbuilder.replays.models import ReplayedCall, ReplayResult, ReplayState, ToolReplay
from toolbuilder.reviews.models import (
    OPEN_STATES,
    CommentKind,
    ReviewComment,
    ReviewState,
    ToolReview,
)
from toolbuilder.search_lab.models import MeasurementKind, SearchMeasurement
from tools.models import ToolDefinition

__all__ = [
    "OPEN_STATES",
    "CommentKind",
    "MeasurementKind",
    "PlaygroundChat",
    "PlaygroundQuestion",
    "PlaygroundRun",
    "PlaygroundState",
    "Preferences",
    "ReplayResult",
    "ReplayState",
    "ReplayedCall",
    "ReviewComment",
    "ReviewState",
    "SearchMeasurement",
    "SearchQuestion",
    "ToolDraft",
    "ToolDraftQuerySet",
    "ToolFile",
    "ToolReplay",
    "ToolReview",
    "ToolTrial",
    "ToolVersion",
    "VersionOrigin",
]


class ToolDraftQuerySet(models.QuerySet["ToolDraft"]):
    """Reads of drafts."""

    def changed(self) -> "ToolDraftQuerySet":
        """Drafts that say something else than what they were made from."""
        return self.exclude(content_hash=F("base_version_hash"))

    def unchanged(self) -> "ToolDraftQuerySet":
        """Drafts that say what they were made from: they hold values of test runs at most."""
        return self.filter(content_hash=F("base_version_hash"))


class ToolDraft(models.Model):
    """The unpublished working copy of one tool, or of one that is not there yet (`tool` NULL).

    `document` is a DraftDocument as JSON; `content_hash` is that of its tool, and `base_version_hash`
    that of the tool it was made from, '' for a new one. `revision` grows with each save.
    """

    id = models.BigAutoField(primary_key=True)
    uid = models.UUIDField(_("id"), default=uuid.uuid4, unique=True, editable=False)
    tool = models.OneToOneField(
        ToolDefinition,
        verbose_name=_("tool"),
        related_name="draft",
        null=True,
        on_delete=models.CASCADE,
    )
    name = models.TextField(_("name"), default="", db_default="", blank=True)
    document = models.JSONField(_("document"))
    content_hash = models.TextField(default="", db_default="", editable=False)
    base_version_hash = models.TextField(default="", db_default="", editable=False)
    revision = models.PositiveIntegerField(_("revision"), default=1, db_default=1)
    # The page that saved it last: what that page saves next is never stale.
    edited_in = models.TextField(default="", db_default="", editable=False)
    owner = models.TextField(_("owner"), default="", db_default="")
    # Everybody who wrote in it: none of them reviews it.
    authors = models.JSONField(default=list, db_default=[], editable=False)
    created_at = models.DateTimeField(_("created"), db_default=Now())
    updated_at = models.DateTimeField(_("updated"), auto_now=True, db_default=Now())

    objects = ToolDraftQuerySet.as_manager()

    class Meta:
        db_table = "h_custom_tool_draft"
        verbose_name = _("draft")
        verbose_name_plural = _("drafts")
        ordering = ["-updated_at"]
        indexes = [models.Index(fields=["owner", "-updated_at"], name="h_custom_tool_draft_owner")]

    def __str__(self) -> str:
        return self.name or str(self.uid)

    @property
    def is_changed(self) -> bool:
        """Whether it says something else than what it was made from."""
        return self.content_hash != self.base_version_hash


class ToolTrial(models.Model):
    """A test run in the editor: its arguments and figures, not its answer.

    It belongs to a tool, or to the draft of one that was never published. `logic_hash` is that of what
    was tried (see ToolDocument.logic_hash); `error` is '' if it succeeded. `answer` is what an HTTP
    service said, as JSON; only the last test run of a person keeps it.
    """

    id = models.BigAutoField(primary_key=True)
    tool = models.ForeignKey(
        ToolDefinition,
        verbose_name=_("tool"),
        related_name="trials",
        null=True,
        on_delete=models.CASCADE,
    )
    draft = models.ForeignKey(
        ToolDraft,
        verbose_name=_("draft"),
        related_name="trials",
        null=True,
        on_delete=models.CASCADE,
    )
    username = models.TextField(_("user name"))
    at = models.DateTimeField(_("at"), db_default=Now())
    arguments = models.JSONField(_("arguments"), default=dict)
    error = models.TextField(_("error"), default="", db_default="", blank=True)
    error_message = models.JSONField(null=True, editable=False)
    row_count = models.PositiveIntegerField(_("rows"), null=True)
    duration_ms = models.FloatField(_("duration"), default=0.0, db_default=0.0)
    tokens = models.PositiveIntegerField(_("tokens"), default=0, db_default=0)
    logic_hash = models.TextField(default="", db_default="", editable=False)
    answer = models.TextField(default="", db_default="", editable=False)

    class Meta:
        db_table = "h_custom_tool_trial"
        verbose_name = _("test run")
        verbose_name_plural = _("test runs")
        ordering = ["-at", "-id"]
        indexes = [
            models.Index(fields=["tool", "username", "-id"], name="h_custom_tool_trial_tool"),
            models.Index(fields=["draft", "username", "-id"], name="h_custom_tool_trial_draft"),
        ]

    def __str__(self) -> str:
        return f"{self.tool or self.draft} {self.at:%Y-%m-%d %H:%M}"


class VersionOrigin(models.TextChoices):
    """How a version came to be."""

    PUBLISHED = "PUBLISHED", _("published")
    RESTORED = "RESTORED", _("restored")
    SAVED = "SAVED", _("saved in the back office")
    IMPORTED = "IMPORTED", _("imported")
    LOADED = "LOADED", _("ready tool")
    OUTSIDE = "OUTSIDE", _("written outside")


class ToolVersion(models.Model):
    """A tool as it was at one time; the database refuses a change of it.

    `number` counts from 1 for each tool. The version outlives its tool, whose name it keeps.
    `is_judged` says that its database, or the sandbox of scripts, took it then.
    """

    id = models.BigAutoField(primary_key=True)
    tool = models.ForeignKey(
        ToolDefinition,
        verbose_name=_("tool"),
        related_name="versions",
        null=True,
        on_delete=models.SET_NULL,
    )
    tool_name = models.TextField(_("name"), db_index=True)
    number = models.PositiveIntegerField(_("version"))
    document = models.JSONField(_("document"))
    content_hash = models.TextField(editable=False)
    origin = models.TextField(_("origin"), choices=VersionOrigin, default=VersionOrigin.PUBLISHED)
    note = models.TextField(_("note"), default="", db_default="", blank=True)
    published_by = models.TextField(_("published by"), default="", db_default="")
    reviewed_by = models.TextField(_("reviewed by"), default="", db_default="")
    published_at = models.DateTimeField(_("published"), db_default=Now())
    restored_from = models.PositiveIntegerField(_("restored from version"), null=True)
    is_judged = models.BooleanField(_("checked by its database"), default=False, db_default=False)
    # The documents of the tool's test cases, and why it was published although one was red.
    cases = models.JSONField(_("test cases"), default=list, db_default=[], editable=False)
    override_reason = models.TextField(
        _("published although a case was red"), default="", db_default="", editable=False
    )

    class Meta:
        db_table = "h_custom_tool_version"
        verbose_name = _("version")
        verbose_name_plural = _("versions")
        ordering = ["-number"]
        constraints = [
            models.UniqueConstraint(fields=["tool", "number"], name="h_custom_tool_version_once"),
            models.CheckConstraint(condition=Q(number__gte=1), name="h_custom_tool_version_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.tool_name} {self.number}"


class ToolCaseQuerySet(models.QuerySet["ToolCase"]):
    """Reads of test cases."""

    def of(self, tool: ToolDefinition | None, draft: ToolDraft | None) -> "ToolCaseQuerySet":
        """Those of the tool, or of the draft of one that was never published, by name."""
        found = self.filter(tool=tool) if tool else self.filter(draft=draft, draft__isnull=False)
        return found.order_by("name")

    def listed(self) -> "ToolCaseQuerySet":
        """Without the answers, which may be large; `golden_taken` says when the golden one was taken, or None."""
        taken = {name: KT(f"golden__{name}") for name in ("at", "by", "version")}
        parts: dict[str, Any] = {
            **{
                f"golden_{name}": Coalesce(value, Value(""), output_field=models.TextField())
                for name, value in taken.items()
            },
            **{f"has_{name}": Q((f"{name}__isnull", False)) for name in ("golden", "answer")},
        }
        return self.defer("golden", "answer").annotate(**parts)


class ToolCase(models.Model):
    """A test case of a tool, or of the draft of one that was never published, and its last result.

    `document` is a CaseDocument as JSON without its golden answer, which is in `golden`. `state` is a
    CaseState, or '' if it never ran; `answer` and `difference` are there only if the last answer was
    not the golden one. `logic_hash` is that of the tool that ran, `content_hash` that of the case.
    """

    id = models.BigAutoField(primary_key=True)
    tool = models.ForeignKey(
        ToolDefinition,
        verbose_name=_("tool"),
        related_name="cases",
        null=True,
        on_delete=models.CASCADE,
    )
    draft = models.ForeignKey(
        ToolDraft,
        verbose_name=_("draft"),
        related_name="cases",
        null=True,
        on_delete=models.CASCADE,
    )
    name = models.TextField(_("name"))
    document = models.JSONField(_("document"))
    golden = models.JSONField(_("golden answer"), null=True)
    content_hash = models.TextField(default="", db_default="", editable=False)
    created_by = models.TextField(_("created by"), default="", db_default="")
    created_at = models.DateTimeField(_("created"), db_default=Now())
    state = models.TextField(default="", db_default="", editable=False)
    failure = models.TextField(default="", db_default="", editable=False)
    failure_message = models.JSONField(null=True, editable=False)
    difference = models.JSONField(null=True, editable=False)
    answer = models.JSONField(null=True, editable=False)
    elapsed_ms = models.FloatField(null=True, editable=False)
    ran_at = models.DateTimeField(null=True, editable=False)
    logic_hash = models.TextField(default="", db_default="", editable=False)

    objects = ToolCaseQuerySet.as_manager()
    # Of `listed` rows.
    has_golden: bool
    has_answer: bool
    golden_at: str
    golden_by: str
    golden_version: str

    class Meta:
        db_table = "h_custom_tool_case"
        verbose_name = _("test case")
        verbose_name_plural = _("test cases")
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["tool", "name"], name="h_custom_tool_case_of_tool"),
            models.UniqueConstraint(fields=["draft", "name"], name="h_custom_tool_case_of_draft"),
            models.CheckConstraint(
                condition=Q(tool=None) ^ Q(draft=None), name="h_custom_tool_case_of_one"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def golden_taken(self) -> dict[str, Any] | None:
        """Of a listed row: since when the golden answer is one, by whom and of which version; None if there is none."""
        if not self.has_golden:
            return None
        version = int(self.golden_version) if self.golden_version.isdigit() else 0
        return {"at": self.golden_at, "by": self.golden_by, "version": version}


class NightlyCases(models.Model):
    """That the cases of a tool run each night, and how the last night went."""

    tool = models.OneToOneField(
        ToolDefinition,
        verbose_name=_("tool"),
        related_name="nightly_cases",
        primary_key=True,
        on_delete=models.CASCADE,
    )
    ran_at = models.DateTimeField(_("last night"), null=True, editable=False)
    red_count = models.PositiveIntegerField(_("red"), default=0, db_default=0, editable=False)

    class Meta:
        db_table = "h_custom_tool_nightly"
        verbose_name = _("nightly test cases")
        verbose_name_plural = _("nightly test cases")

    def __str__(self) -> str:
        return str(self.tool)


class SearchQuestion(models.Model):
    """A question as an agent asks it, and the names of the tools of which one should be found."""

    text = models.TextField(_("question"), unique=True)
    language = models.CharField(_("language"), max_length=5, default="other", db_default="other")
    expected = models.JSONField(_("expected tools"), default=list, db_default=[], blank=True)
    created_by = models.TextField(_("created by"), default="", db_default="", blank=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())

    class Meta:
        db_table = "h_search_question"
        verbose_name = _("search question")
        verbose_name_plural = _("search questions")
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.text[:80]
