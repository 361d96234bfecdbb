"""The rows of tools that a runtime leaves alone for a while."""

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class RestingTool(models.Model):
    """A tool that kept failing in a runtime, and rests there."""

    id = models.BigAutoField(primary_key=True)
    tool = models.ForeignKey(
        "tools.ToolDefinition",
        verbose_name=_("tool"),
        related_name="rests",
        on_delete=models.CASCADE,
    )
    runtime = models.ForeignKey(
        "access.RuntimeInstance",
        verbose_name=_("runtime"),
        related_name="resting_tools",
        on_delete=models.CASCADE,
    )
    since = models.DateTimeField(_("since"), db_default=Now())

    class Meta:
        app_label = "tools"
        db_table = "h_custom_tool_rest"
        verbose_name = _("resting tool")
        verbose_name_plural = _("resting tools")
        constraints = [
            models.UniqueConstraint(fields=["tool", "runtime"], name="h_custom_tool_rest_once")
        ]

    def __str__(self) -> str:
        return f"{self.tool_id} in {self.runtime_id}"
