"""Reads of the served set, and notes of what could not be served."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction

from core.errors import DefinitionError
from core.toolspec import ToolSpec
from toolbuilder.models import QuarantinedTool, RegistryRevision, ToolDefinition
from toolbuilder.specs import build_spec


@dataclass(frozen=True)
class ServedRows:
    """The active tools at `revision`: specs, and the reasons of rows that are none, by tool id."""

    revision: int
    specs: tuple[ToolSpec, ...]
    unreadable: Mapping[int, str]


def read_revision() -> int:
    """The registry revision now; 0 before the first write."""
    return RegistryRevision.current()


def read_served_rows() -> ServedRows:
    """Every active tool. A row that cannot be read never hinders the others."""
    # The revision first: a write in between makes the next poll read again, never miss a change.
    revision = read_revision()
    specs: list[ToolSpec] = []
    unreadable: dict[int, str] = {}
    for tool in ToolDefinition.objects.served():
        try:
            specs.append(build_spec(tool, tool.parameters.all()))
        except DefinitionError as error:
            unreadable[tool.id] = str(error)
    return ServedRows(revision, tuple(specs), unreadable)


def store_quarantine(reasons: Mapping[int, str]) -> None:
    """Make the stored reasons equal to `reasons` (by tool id); a reason that stays keeps its date."""
    with transaction.atomic():
        QuarantinedTool.objects.exclude(tool_id__in=reasons).delete()
        known = dict(QuarantinedTool.objects.values_list("tool_id", "reason"))
        existing = set(ToolDefinition.objects.filter(id__in=reasons).values_list("id", flat=True))
        for tool_id in existing:
            if known.get(tool_id) != reasons[tool_id]:
                QuarantinedTool.objects.update_or_create(
                    tool_id=tool_id, defaults={"reason": reasons[tool_id]}
                )
