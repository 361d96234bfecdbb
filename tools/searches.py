"""Searches of agents, and what they called then."""

import uuid

from django.db import models
from django.db.models.functions import Now


class ToolSearch(models.Model):
    """One search of an agent. `names` are those of the tools found and `scores` theirs, best first.

    `called_tool` is one of them that the same key called within ten minutes, NULL for none. `query`
    is empty where CALL_LOG_ARGUMENTS keeps no arguments. `concepts` are those of the glossary that the
    question names or means; none where the search does not learn.
    """

    # Made by the runtime: what is written again after a lost connection is there once.
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    at = models.DateTimeField(db_default=Now())
    query = models.TextField(default="", db_default="")
    caller = models.TextField(default="", db_default="")
    key_id = models.CharField(max_length=8, default="", db_default="")
    runtime_id = models.UUIDField(null=True)
    names = models.JSONField(default=list, db_default=[])
    scores = models.JSONField(default=list, db_default=[])
    concepts = models.JSONField(default=list, db_default=[])
    degraded = models.BooleanField(default=False, db_default=False)
    duration_ms = models.FloatField(default=0.0, db_default=0.0)
    called_tool = models.TextField(null=True)  # noqa: DJ001 - nothing called is NULL, not ''

    class Meta:
        db_table = "h_tool_search"
        ordering = ["-at"]
        indexes = [
            models.Index(fields=["-at"], name="h_tool_search_at"),
            models.Index(fields=["key_id", "-at"], name="h_tool_search_key"),
        ]

    def __str__(self) -> str:
        return self.query


class SearchUse(models.Model):
    """On a day a key called a tool that it had found by a question with a concept of the glossary.

    There is one row a day for each key, tool and concept, for 90 days.
    """

    day = models.DateField()
    key_id = models.CharField(max_length=8, default="", db_default="")
    tool_name = models.TextField()
    concept = models.TextField()

    class Meta:
        db_table = "h_search_use"
        constraints = [
            models.UniqueConstraint(
                fields=["day", "key_id", "tool_name", "concept"], name="h_search_use_once_a_day"
            )
        ]

    def __str__(self) -> str:
        return f"{self.concept}: {self.tool_name}"
