"""The rows of toolsets, which other programs write too."""

from collections import defaultdict

from django.core.validators import RegexValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from core.grants import ToolsetSpec

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"


class ToolsetReview(models.TextChoices):
    """Who looks at a change of a toolset's tools before it is served."""

    NOBODY = "nobody", _("nobody")
    OTHER = "other", _("one other person")


class Toolset(models.Model):
    """Tools that are granted together; its endpoint is `/mcp/<name>`."""

    name = models.CharField(
        _("name"),
        max_length=64,
        unique=True,
        validators=[
            RegexValidator(NAME_PATTERN, _("Use letters, digits, dots, dashes and underscores."))
        ],
        help_text=_("The end of its address, such as sales-kr."),
    )
    description = models.TextField(_("description"), blank=True, default="", db_default="")
    title = models.CharField(_("title"), max_length=100, blank=True, default="", db_default="")
    tags = models.JSONField(
        _("tags"),
        default=list,
        db_default=[],
        blank=True,
        help_text=_("Tools with one of these tags are in it, new ones too."),
    )
    review = models.CharField(
        _("review"),
        max_length=10,
        choices=ToolsetReview,
        default=ToolsetReview.NOBODY,
        db_default=ToolsetReview.NOBODY,
        help_text=_("Who approves a change of its tools before agents get it."),
    )
    owned_by_files = models.BooleanField(
        _("owned by files"),
        default=False,
        db_default=False,
        help_text=_("Its tools are changed in their files alone, by manage.py tools apply."),
    )
    created_at = models.DateTimeField(_("created"), auto_now_add=True, db_default=Now())

    class Meta:
        db_table = "h_mcp_toolset"
        verbose_name = _("toolset")
        verbose_name_plural = _("toolsets")
        ordering = ["name"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(name__regex=NAME_PATTERN), name="h_mcp_toolset_name"
            )
        ]

    def __str__(self) -> str:
        return self.title or self.name


class ToolsetTool(models.Model):
    """A tool of a toolset, by its name: built-in and proxied ones too, and such as are not there yet."""

    toolset = models.ForeignKey(
        Toolset,
        verbose_name=_("toolset"),
        on_delete=models.CASCADE,
        related_name="tools",
    )
    tool_name = models.TextField(_("tool"))

    class Meta:
        db_table = "h_mcp_toolset_tool"
        verbose_name = _("tool of a toolset")
        verbose_name_plural = _("tools of toolsets")
        ordering = ["tool_name"]
        constraints = [
            models.UniqueConstraint(fields=["toolset", "tool_name"], name="h_mcp_toolset_tool_once")
        ]

    def __str__(self) -> str:
        return self.tool_name


def read_toolsets() -> dict[str, ToolsetSpec]:
    """Every toolset by name; what another program wrote that is no list of tags counts as none."""
    names: dict[int, set[str]] = defaultdict(set)
    for toolset_id, name in ToolsetTool.objects.order_by().values_list("toolset_id", "tool_name"):
        names[toolset_id].add(name)
    return {
        row.name: ToolsetSpec(
            name=row.name,
            tools=frozenset(names[row.pk]),
            tags=read_names(row.tags) or frozenset(),
            description=row.description,
        )
        for row in Toolset.objects.order_by("name")
    }


def read_names(stored: object) -> frozenset[str] | None:
    """The names of a JSON list; None if it is something else, as another program may have written it."""
    is_list = isinstance(stored, list) and all(isinstance(name, str) for name in stored)
    return frozenset(stored) if isinstance(stored, list) and is_list else None
