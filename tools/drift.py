"""Checks whether active tools still fit their databases, and deals with those that do not."""

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from access.models import RuntimeInstance
from access.reader_language import to_columns
from catalog.models import DataSource, SchemaState
from core.errors import DefinitionError, ToolboxError
from core.execution import CompiledTool
from core.messages import Message, message
from core.toolspec import SqlLogic, ToolSpec
from tools.models import QuarantinedTool, ToolDefinition
from tools.registry import read_served_rows
from tools.running import check_tools
from tools.source_loop import shared_loop
from tools.sources import Sources

WITHIN_S = 900.0
RUNTIME_SILENT_AFTER = timedelta(seconds=30)


@dataclass(slots=True)
class DriftReport:
    """Outcome of a check, by tool id.

    `broken` has the reasons of tools that cannot be served, `unreached` why a tool could not be
    checked: its database is away, which is no fault of the tool.
    """

    names: dict[int, str] = field(default_factory=dict)
    broken: dict[int, Message] = field(default_factory=dict)
    unreached: dict[int, Message] = field(default_factory=dict)

    @property
    def checked(self) -> frozenset[int]:
        """Tools of which something can be said."""
        return frozenset(self.names.keys() - self.unreached.keys())


def check_drift(names: Collection[str] = ()) -> DriftReport:
    """Have the databases prepare the statements of active tools, of all unless named; keep the outcome.

    A tool that is broken is taken out of service, with its reason stored; one that works again comes
    back. Of Python tools only what needs no sandbox is checked. Raises DefinitionError for a name that no active tool has.
    """
    rows = read_served_rows()
    tools = ToolDefinition.objects.active().order_by("name")
    if names:
        tools = tools.filter(name__in=names)
    report = DriftReport(dict(tools.values_list("id", "name")))
    if missing := sorted(set(names) - set(report.names.values())):
        raise DefinitionError(
            message("tool.no_active", "there is no active tool {names}", names=", ".join(missing))
        )
    report.broken = {id_: why for id_, why in rows.unreadable.items() if id_ in report.names}
    by_source: dict[str | None, list[CompiledTool]] = {}
    for spec in rows.specs:
        if spec.id in report.names:
            try:
                tool = CompiledTool(spec)
            except DefinitionError as error:
                report.broken[spec.id] = error.message
                continue
            if isinstance(spec.logic, SqlLogic):
                by_source.setdefault(spec.logic.data_source, []).append(tool)
    shared_loop().run(
        lambda sources: _check_all(by_source.values(), sources, report),
        rows.sources,
        timeout_s=WITHIN_S,
    )
    _store(report, rows.specs)
    return report


async def _check_all(
    groups: Iterable[list[CompiledTool]], sources: Sources, report: DriftReport
) -> None:
    def note(tool: CompiledTool, error: ToolboxError | None) -> None:
        if isinstance(error, DefinitionError):
            report.broken[tool.spec.id] = error.message
        elif error:
            report.unreached[tool.spec.id] = error.message

    # A source that is slow does not hold up the others.
    await asyncio.gather(*(check_tools(group, sources, note) for group in groups))


def _store(report: DriftReport, specs: Iterable[ToolSpec]) -> None:
    """Keep the reasons; a runtime that lives does so itself, and judges again as after a scan."""
    known = dict(
        QuarantinedTool.objects.filter(tool_id__in=report.checked).values_list("tool_id", "reason")
    )
    changed = {id_: why for id_, why in report.broken.items() if known.get(id_) != str(why)}
    mended = known.keys() - report.broken.keys()
    now = timezone.now()
    if not RuntimeInstance.objects.filter(last_seen_at__gt=now - RUNTIME_SILENT_AFTER).exists():
        with transaction.atomic():
            QuarantinedTool.objects.filter(tool_id__in=mended).delete()
            tools = ToolDefinition.objects.filter(pk__in=changed).select_for_update(no_key=True)
            for tool in tools:
                QuarantinedTool.objects.update_or_create(
                    tool=tool, defaults=to_columns("reason", changed[tool.pk]) | {"since": now}
                )
        return
    moved = (spec.logic for spec in specs if spec.id in changed or spec.id in mended)
    for name in {logic.data_source for logic in moved if isinstance(logic, SqlLogic)}:
        source = DataSource.objects.filter(name=name).first() if name else None
        with transaction.atomic():
            state, _created = SchemaState.objects.get_or_create(source=source)
            SchemaState.objects.filter(pk=state.pk).update(
                revision=F("revision") + 1, changed_at=timezone.now()
            )
