"""Figures of whole days, which outlive the calls that they were counted from."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class CallDay(models.Model):
    """Calls of a tool on a day that ended in one way."""

    pk = models.CompositePrimaryKey("day", "tool_name", "outcome")
    day = models.DateField(editable=False)
    tool_name = models.TextField(editable=False)
    outcome = models.CharField(max_length=20, editable=False)
    calls = models.IntegerField(editable=False)
    truncated = models.IntegerField(default=0, db_default=0, editable=False)
    total_ms = models.FloatField(editable=False)

    class Meta:
        db_table = "h_call_day"
        verbose_name = _("calls of a day")
        verbose_name_plural = _("calls of days")

    def __str__(self) -> str:
        return f"{self.day} {self.tool_name} {self.outcome}: {self.calls}"


class DurationDay(models.Model):
    """Calls of a tool on a day that took about as long; those of all tools have the name `*`.

    `bucket` is that of `access.history.days`: a duration of 1.1^bucket ms at most.
    """

    pk = models.CompositePrimaryKey("tool_name", "day", "bucket")
    tool_name = models.TextField(editable=False)
    day = models.DateField(editable=False)
    bucket = models.SmallIntegerField(editable=False)
    calls = models.IntegerField(editable=False)

    class Meta:
        db_table = "h_duration_day"
        verbose_name = _("durations of a day")
        verbose_name_plural = _("durations of days")

    def __str__(self) -> str:
        return f"{self.day} {self.tool_name} {self.bucket}: {self.calls}"


class CallerDay(models.Model):
    """Calls by a caller with a client on a day."""

    pk = models.CompositePrimaryKey("day", "key_id", "caller", "client_name")
    day = models.DateField(editable=False)
    key_id = models.CharField(max_length=8, editable=False)
    caller = models.TextField(editable=False)
    client_name = models.TextField(editable=False)
    calls = models.IntegerField(editable=False)
    errors = models.IntegerField(editable=False)
    total_ms = models.FloatField(editable=False)

    class Meta:
        db_table = "h_caller_day"
        verbose_name = _("caller of a day")
        verbose_name_plural = _("callers of days")

    def __str__(self) -> str:
        return f"{self.day} {self.caller}: {self.calls}"
