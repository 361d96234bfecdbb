"""The rows of the search lab: how saved questions were found after each publishing."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class MeasurementKind(models.TextChoices):
    """What was new since the measurement before."""

    FIRST = "FIRST"
    TOOLS = "TOOLS"
    GLOSSARY = "GLOSSARY"
    PROFILE = "PROFILE"


class SearchMeasurement(models.Model):
    """How the saved questions found their tools at one revision of what is served, and what moved.

    `registry`, `glossary` and `profile` are what was searched; `state` changes with all else that counts,
    and '' means to measure again. `version_id` is that of the newest version of any tool then.
    `causes` are the tools that changed since the measurement before, at most 50 of `cause_count`.
    `outcomes` and `moves` are by the question's id; see recording.py. Only the newest two keep `parts`.
    """

    at = models.DateTimeField(_("at"), db_default=Now())
    kind = models.TextField(choices=MeasurementKind, default=MeasurementKind.TOOLS, editable=False)
    registry = models.BigIntegerField(editable=False)
    glossary = models.TextField(editable=False)
    profile = models.TextField(editable=False)
    state = models.TextField(default="", db_default="", editable=False)
    version_id = models.BigIntegerField(default=0, db_default=0, editable=False)
    causes = models.JSONField(default=list, db_default=[], editable=False)
    cause_count = models.PositiveIntegerField(default=0, db_default=0, editable=False)
    outcomes = models.JSONField(default=dict, db_default={}, editable=False)
    moves = models.JSONField(default=dict, db_default={}, editable=False)
    parts = models.JSONField(default=dict, db_default={}, editable=False)
    degraded_count = models.PositiveIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        db_table = "h_search_measurement"
        verbose_name = _("measurement of saved questions")
        verbose_name_plural = _("measurements of saved questions")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M}"
