"""The Django app that holds tools."""

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class ToolbuilderConfig(AppConfig):
    name = "toolbuilder"
    verbose_name = _("Tools")

    def ready(self) -> None:
        # It imports models, which can be imported only when all apps are there.
        from access.visibility import HIDDEN_TOOLS  # noqa: PLC0415
        from toolbuilder.visibility import hidden_tool_names  # noqa: PLC0415

        HIDDEN_TOOLS["tools"] = hidden_tool_names
