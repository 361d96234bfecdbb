"""Where tools came from: a row for each that was applied from a file."""

from django.db import models
from django.db.models.functions import Now

from tools.models import ToolDefinition


class ToolFile(models.Model):
    """The file that a tool was applied from: its path below the folder of the files of that owner.

    `content_hash` is that of what the file said then; the tool differs from its file where it has another.
    """

    tool = models.OneToOneField(
        ToolDefinition, related_name="file", primary_key=True, on_delete=models.CASCADE
    )
    owner = models.TextField(default="", db_default="", editable=False)
    path = models.TextField(editable=False)
    content_hash = models.TextField(editable=False)
    applied_at = models.DateTimeField(db_default=Now(), editable=False)
    applied_by = models.TextField(default="", db_default="", editable=False)

    class Meta:
        db_table = "h_custom_tool_file"
        indexes = [models.Index(fields=["owner"], name="h_custom_tool_file_owner")]

    def __str__(self) -> str:
        return self.path
