"""The rows of replays: which calls were run again, and what differs."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from tools.models import ToolDefinition


class ReplayState(models.TextChoices):
    """How far a replay is."""

    RUNNING = "RUNNING", _("running")
    DONE = "DONE", _("done")
    STOPPED = "STOPPED", _("stopped")


class ReplayResult(models.TextChoices):
    """What became of a call: served answer against draft's answer."""

    PENDING = "PENDING", _("not run yet")
    FAILS_NOW = "FAILS_NOW", _("fails now")
    DIFFERS = "DIFFERS", _("differs")
    WORKS_NOW = "WORKS_NOW", _("works now")
    STILL_FAILS = "STILL_FAILS", _("still fails")
    SAME = "SAME", _("same")


class ToolReplay(models.Model):
    """Recorded calls of a tool, run against a document and against what was served when it began.

    `requested` is how many of the newest calls were asked for, `found` how many of them there were,
    `not_kept` those of them whose arguments are not stored, `recorded` the calls of 30 days.
    """

    id = models.BigAutoField(primary_key=True)
    tool = models.ForeignKey(
        ToolDefinition,
        verbose_name=_("tool"),
        related_name="replays",
        on_delete=models.CASCADE,
    )
    document = models.JSONField(_("document"))
    content_hash = models.TextField(editable=False)
    served = models.JSONField(_("served document"))
    started_by = models.TextField(_("started by"))
    started_at = models.DateTimeField(_("started"), db_default=Now())
    state = models.TextField(_("state"), choices=ReplayState, default=ReplayState.RUNNING)
    requested = models.PositiveIntegerField(_("calls asked for"))
    found = models.PositiveIntegerField(_("calls found"), default=0)
    not_kept = models.PositiveIntegerField(_("calls without arguments"), default=0)
    without_facts = models.PositiveIntegerField(_("calls of unknown callers"), default=0)
    recorded = models.PositiveIntegerField(_("calls of 30 days"), default=0)

    class Meta:
        db_table = "h_tool_replay"
        verbose_name = _("replay")
        verbose_name_plural = _("replays")
        ordering = ["-id"]
        indexes = [models.Index(fields=["tool", "content_hash", "-id"], name="h_tool_replay_of")]

    def __str__(self) -> str:
        return f"{self.tool} {self.started_at:%Y-%m-%d %H:%M}"


class ReplayedCall(models.Model):
    """One set of arguments: how often it was sent, by whom last, and what came of it.

    `is_callers_own` says that the answer depends on who calls. `what_message` is a stored message,
    `difference` what a page shows of the answers: see differences.py.
    """

    id = models.BigAutoField(primary_key=True)
    replay = models.ForeignKey(
        ToolReplay, verbose_name=_("replay"), related_name="calls", on_delete=models.CASCADE
    )
    # Of the newest call with these arguments.
    call_id = models.BigIntegerField(editable=False)
    arguments = models.JSONField(_("arguments"))
    times = models.PositiveIntegerField(_("times"), default=1)
    key_id = models.TextField(_("key id"), default="", db_default="")
    caller = models.TextField(_("caller"), default="", db_default="")
    at = models.DateTimeField(_("at"))
    is_callers_own = models.BooleanField(_("caller's own"), default=False, db_default=False)
    result = models.TextField(_("result"), choices=ReplayResult, default=ReplayResult.PENDING)
    what_message = models.JSONField(null=True, editable=False)
    difference = models.JSONField(_("difference"), null=True)
    old_ms = models.FloatField(_("milliseconds before"), null=True)
    new_ms = models.FloatField(_("milliseconds after"), null=True)
    old_tokens = models.PositiveIntegerField(_("tokens before"), null=True)
    new_tokens = models.PositiveIntegerField(_("tokens after"), null=True)

    class Meta:
        db_table = "h_tool_replay_call"
        verbose_name = _("replayed call")
        verbose_name_plural = _("replayed calls")
        ordering = ["-at", "id"]
        indexes = [models.Index(fields=["replay", "result"], name="h_tool_replay_call_of")]

    def __str__(self) -> str:
        return f"{self.replay_id} {self.result}"
