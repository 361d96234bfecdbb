"""Rows of limits, which other programs write too, and what of them is used."""

import logging
from collections.abc import Mapping

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django_stubs_ext import StrOrPromise

from core.limits import Limit, LimitTarget, Measure

logger = logging.getLogger(__name__)


class TargetType(models.TextChoices):
    """Whose calls count together."""

    USER = "USER", _("user")
    KEY = "KEY", _("key")
    TOOL = "TOOL", _("tool")
    ALL = "ALL", _("everybody")


class ToolLimit(models.Model):
    """How much somebody may call; empty is no limit.

    `target_id` is a user's sign-in name or a key's id; empty, each one is counted by itself.
    """

    target_type = models.CharField(_("for"), max_length=20, choices=TargetType)
    target_id = models.TextField(_("who"), null=True, blank=True)  # noqa: DJ001 - NULL is in the contract
    tool_name = models.TextField(_("tool"), null=True, blank=True)  # noqa: DJ001 - as above
    max_count = models.IntegerField(_("calls a day"), null=True, blank=True)
    per_minute = models.IntegerField(_("calls a minute"), null=True, blank=True)
    at_once = models.IntegerField(_("calls at once"), null=True, blank=True)
    max_rows = models.BigIntegerField(_("rows a day"), null=True, blank=True)
    max_bytes = models.BigIntegerField(_("bytes a day"), null=True, blank=True)
    max_db_seconds = models.IntegerField(_("seconds in data sources a day"), null=True, blank=True)
    is_active = models.BooleanField(_("active"), default=True, db_default=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True, db_default=Now())

    class Meta:
        db_table = "h_mcp_tool_limit"
        verbose_name = _("limit")
        verbose_name_plural = _("limits")
        ordering = ["target_type", "target_id", "tool_name", "id"]

    def __str__(self) -> str:
        return f"{self.target_type} {self.target_id or '*'} {self.tool_name or '*'}"

    @property
    def fault(self) -> StrOrPromise:
        """What is wrong with a row that another program wrote, which limits nothing; '' for a good one."""
        if self.target_type.strip().upper() not in TargetType.values:
            return _("unknown kind of target")
        if any(
            getattr(self, measure) is not None and getattr(self, measure) < 0 for measure in Measure
        ):
            return _("a limit is 0 or more")
        return ""

    def to_limit(self) -> Limit:
        """What it means; of a good row."""
        most = ((measure, getattr(self, measure)) for measure in Measure)
        return Limit(
            id=self.pk,
            target=LimitTarget(self.target_type.strip().upper()),
            target_id=(self.target_id or "").strip(),
            tool_name=(self.tool_name or "").strip(),
            most=tuple((measure, number) for measure, number in most if number is not None),
        )


class LimitCount(models.Model):
    """What PostgreSQL itself has counted in a window, while Redis was away."""

    key = models.TextField(primary_key=True)
    used = models.BigIntegerField(default=0, db_default=0, editable=False)
    ends_at = models.DateTimeField(db_index=True, editable=False)

    class Meta:
        db_table = "h_mcp_tool_limit_count"
        verbose_name = _("counted calls")
        verbose_name_plural = _("counted calls")

    def __str__(self) -> str:
        return self.key


class LimitTally(models.Model):
    """What one runtime has counted in a window in Redis, or spent of a budget."""

    key = models.TextField(editable=False)
    runtime_id = models.UUIDField(editable=False)
    used = models.BigIntegerField(default=0, db_default=0, editable=False)
    ends_at = models.DateTimeField(db_index=True, editable=False)

    class Meta:
        db_table = "h_mcp_tool_limit_tally"
        verbose_name = _("tally")
        verbose_name_plural = _("tallies")
        constraints = [
            models.UniqueConstraint(
                fields=["key", "runtime_id"], name="h_mcp_tool_limit_tally_once"
            )
        ]

    def __str__(self) -> str:
        return self.key


class LimitState(models.Model):
    """One row: who counts. Counters in Redis are good for this generation alone."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    generation = models.BigIntegerField(default=1, db_default=1, editable=False)
    in_postgres = models.BooleanField(default=False, db_default=False, editable=False)

    class Meta:
        db_table = "h_mcp_tool_limit_state"
        verbose_name = _("state of the counting")
        verbose_name_plural = _("states of the counting")

    def __str__(self) -> str:
        return str(self.generation)


def read_limits() -> tuple[Limit, ...]:
    """The limits that hold; a row that cannot be understood limits nothing, and is named in the log."""
    limits: list[Limit] = []
    for row in ToolLimit.objects.filter(is_active=True).order_by("id"):
        if row.fault:
            logger.warning("limit %s of h_mcp_tool_limit is ignored: %s", row.pk, row.fault)
        elif (limit := row.to_limit()).most:
            limits.append(limit)
    return tuple(limits)


def read_used(keys: list[str]) -> Mapping[str, int]:
    """What is used of these windows, by key, to the half second; none of unused ones."""
    used: dict[str, int] = {}
    for rows in (LimitCount.objects, LimitTally.objects):
        for key, count in rows.filter(key__in=keys).values_list("key", "used"):
            used[key] = used.get(key, 0) + count
    return used
