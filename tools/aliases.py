"""Former names of tools and of their parameters: they answer until they expire, and are known a while longer."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db import connection, models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from access.models import ApiKey, IssuerRule, ToolLimit, ToolsetTool
from core.errors import DefinitionError
from core.messages import message
from core.old_names import NO_OLD_NAMES, OldName, OldNames

DEFAULT_DAYS = 30
MAX_DAYS = 3_650
# So long after it expired, a caller of an old name is told the new one.
KNOWN_FOR = timedelta(days=30)

# Where another tool has the name now, it is that one's.
_READ = """
SELECT alias.old_name, alias.parameter_name, tool.name,
    extract(epoch FROM alias.expires_at)::double precision
FROM h_custom_tool_alias alias JOIN h_custom_tool tool ON tool.id = alias.tool_id
WHERE alias.parameter_name <> ''
OR NOT EXISTS (SELECT FROM h_custom_tool other WHERE other.name = alias.old_name)
ORDER BY alias.id
"""


class ToolAliasQuerySet(models.QuerySet["ToolAlias"]):
    """Reads of old names."""

    def answering(self) -> "ToolAliasQuerySet":
        """Those that are still accepted."""
        return self.filter(expires_at__gt=timezone.now())

    def of_tools(self) -> "ToolAliasQuerySet":
        """Old names of tools, not of parameters."""
        return self.filter(parameter_name="")


class ToolAlias(models.Model):
    """An old name of a tool, or, with the name of now in `parameter_name`, of one of its parameters."""

    id = models.BigAutoField(primary_key=True)
    tool = models.ForeignKey(
        "tools.ToolDefinition",
        verbose_name=_("tool"),
        related_name="aliases",
        on_delete=models.CASCADE,
    )
    old_name = models.TextField(_("old name"))
    parameter_name = models.TextField(_("parameter"), default="", db_default="", blank=True)
    expires_at = models.DateTimeField(_("accepted until"))
    created_by = models.TextField(_("created by"), default="", db_default="", blank=True)
    created_at = models.DateTimeField(_("created"), db_default=Now())

    objects = ToolAliasQuerySet.as_manager()

    class Meta:
        app_label = "tools"
        db_table = "h_custom_tool_alias"
        verbose_name = _("old name")
        verbose_name_plural = _("old names")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["old_name"], condition=Q(parameter_name=""), name="h_custom_tool_alias_once"
            ),
            models.UniqueConstraint(
                fields=["tool", "old_name"],
                condition=~Q(parameter_name=""),
                name="h_custom_tool_alias_of_parameter_once",
            ),
        ]

    def __str__(self) -> str:
        return self.old_name

    @property
    def is_answered(self) -> bool:
        """Whether calls by it are still accepted."""
        return timezone.now() < self.expires_at

    @property
    def called_as(self) -> str:
        """What the call log has in `called_as` for a call by it."""
        return f"{self.parameter_name and ':'}{self.old_name}"


def read_old_names() -> OldNames:
    """All that are kept, ended ones too."""
    tools: dict[str, OldName] = {}
    parameters: dict[str, tuple[OldName, ...]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_READ)
        for old, parameter, tool, ends_at in cursor:
            if parameter:
                found = OldName(old, parameter, ends_at)
                parameters[tool] = (*parameters.get(tool, ()), found)
            else:
                tools[old] = OldName(old, tool, ends_at)
    return OldNames(tools, parameters) if tools or parameters else NO_OLD_NAMES


def read_days(text: str | None, default: int) -> int:
    """How many days a person asks for, `default` where that is no number."""
    text = (text or "").strip()
    return min(int(text[:9]), MAX_DAYS) if text.isascii() and text.isdigit() else default


@dataclass(frozen=True, slots=True, kw_only=True)
class Renames:
    """What a change of a tool does to its names: `parameters` are new ones by old one, `kept` all of now."""

    old_name: str
    new_name: str
    parameters: Mapping[str, str]
    kept: Collection[str]


def follow_renames(tool_id: int, renames: Renames, *, days: int, username: str) -> None:
    """Keep the names that a tool and its parameters just lost for so many days; 0 keeps none.

    Earlier old names lead to the newest one; what is no old name any more is forgotten. Whatever
    names the tool names it as it is called now.
    """
    if renames.old_name != renames.new_name:
        rename_in_access(renames.old_name, renames.new_name)
    taken_back = ToolAlias.objects.of_tools().filter(old_name=renames.new_name)
    lost = [*renames.parameters.items()]
    if renames.old_name != renames.new_name:
        lost.append((renames.old_name, ""))
    known = taken_back | ToolAlias.objects.filter(tool_id=tool_id)
    if not known.exists() and not (lost and days > 0):
        return
    taken_back.delete()
    of_parameters = ToolAlias.objects.filter(tool_id=tool_id).exclude(parameter_name="")
    for old, new in renames.parameters.items():
        of_parameters.filter(parameter_name=old).update(parameter_name=new)
    of_parameters.filter(
        Q(old_name__in=renames.kept) | ~Q(parameter_name__in=renames.kept)
    ).delete()
    until = timezone.now() + timedelta(days=min(days, MAX_DAYS))
    for old, parameter in lost if days > 0 else ():
        ToolAlias.objects.update_or_create(
            tool_id=tool_id,
            old_name=old,
            parameter_name=parameter,
            defaults={"expires_at": until, "created_by": username},
        )


def rename_in_access(old_name: str, new_name: str) -> None:
    """Let keys, rules on claims, toolsets and limits name the tool by its new name.

    Old names are forgotten some day, and reviews, roles and files' toolsets never go by them.
    """
    granted = {"allowed_tools__contains": [old_name]}
    rows: list[ApiKey | IssuerRule] = [*ApiKey.objects.filter(**granted).select_for_update()]
    for row in [*rows, *IssuerRule.objects.filter(**granted).select_for_update()]:
        others = [name for name in row.allowed_tools if name not in (old_name, new_name)]
        row.allowed_tools = [*others, new_name]
        row.save(update_fields=["allowed_tools"])
    held = ToolsetTool.objects.filter(tool_name=old_name)
    there = ToolsetTool.objects.filter(tool_name=new_name).values("toolset")
    held.filter(toolset__in=there).delete()
    held.update(tool_name=new_name)
    ToolLimit.objects.filter(tool_name=old_name).update(tool_name=new_name)


def take_back_names(names: Iterable[str]) -> None:
    """Forget that these were once names of other tools: new tools have them."""
    ToolAlias.objects.of_tools().filter(old_name__in=list(names)).delete()


def require_no_alias(name: str, tool_id: int | None) -> None:
    """Raise DefinitionError if the name is an old one of another tool, which still answers to it."""
    others = ToolAlias.objects.of_tools().answering().filter(old_name=name).exclude(tool_id=tool_id)
    if other := others.select_related("tool").first():
        raise DefinitionError(
            message(
                "tool.name_is_old_name",
                "{name} is an old name of {tool}, which answers to it until {until}; give this tool"
                " another name, or end that on the page of the old names of {tool}",
                name=name,
                tool=str(other.tool),
                until=f"{other.expires_at:%Y-%m-%d}",
            )
        )


def forget_old_names() -> int:
    """Delete those that expired long ago; returns how many."""
    return ToolAlias.objects.filter(expires_at__lt=timezone.now() - KNOWN_FOR).delete()[0]
