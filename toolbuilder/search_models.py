"""What the search for tools keeps: vectors of tools, and the searches that agents made."""

import uuid

from django.db import models
from django.db.models.functions import Now


class ToolVector(models.Model):
    """The two vectors of a tool by one model: of its name's words, and of these with what it does.

    Float32 numbers, little-endian, one after the other. `content_hash` is that of the texts that were
    embedded. Built-in tools have rows too, so that the tool is told by its name.
    """

    id = models.BigAutoField(primary_key=True)
    tool_name = models.TextField()
    model = models.TextField()
    content_hash = models.TextField()
    name_vector = models.BinaryField()
    text_vector = models.BinaryField()
    updated_at = models.DateTimeField(auto_now=True, db_default=Now())

    class Meta:
        db_table = "h_tool_vector"
        constraints = [
            models.UniqueConstraint(fields=["tool_name", "model"], name="h_tool_vector_once")
        ]

    def __str__(self) -> str:
        return f"{self.tool_name} {self.model}"


class ToolSearch(models.Model):
    """One search of an agent. `names` are those of the tools found and `scores` theirs, best first.

    `called_tool` is one of them that the same key called within ten minutes, NULL for none. `query`
    is empty where CALL_LOG_ARGUMENTS keeps no arguments.
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
