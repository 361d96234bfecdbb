"""Whether active tools still fit their databases, asked now, and what to do about those that do not."""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
from tools.registry import ServedRows, read_served_rows
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
    rows, report = read_served_rows(), DriftReport()
    report.names = _read_names(names)
    report.broken = {id_: why for id_, why in rows.unreadable.items() if id_ in report.names}
    compiled = list(_compile(rows, report))
    shared_loop().run(
        lambda sources: _check_all(compiled, sources, report), rows.sources, timeout_s=WITHIN_S
    )
    _store(report, rows.specs)
    return report


def _read_names(names: Collection[str]) -> dict[int, str]:
    tools = ToolDefinition.objects.active().order_by("name")
    found = dict((tools.filter(name__in=names) if names else tools).values_list("id", "name"))
    if missing := sorted(set(names) - set(found.values())):
        raise DefinitionError(
            message("tool.no_active", "there is no active tool {names}", names=", ".join(missing))
        )
    return found


def _compile(rows: ServedRows, report: DriftReport) -> Iterator[CompiledTool]:
    for spec in rows.specs:
        if spec.id not in report.names:
            continue
        try:
            yield CompiledTool(spec)
        except DefinitionError as error:
            report.broken[spec.id] = error.message


async def _check_all(tools: Sequence[CompiledTool], sources: Sources, report: DriftReport) -> None:
    by_source: dict[str | None, list[CompiledTool]] = {}
    for tool in tools:
        if isinstance(tool.spec.logic, SqlLogic):
            by_source.setdefault(tool.spec.logic.data_source, []).append(tool)

    def note(tool: CompiledTool, error: ToolboxError | None) -> None:
        if isinstance(error, DefinitionError):
            report.broken[tool.spec.id] = error.message
        elif error:
            report.unreached[tool.spec.id] = error.message

    # A source that is slow does not hold up the others.
    await asyncio.gather(*(check_tools(group, sources, note) for group in by_source.values()))


def _store(report: DriftReport, specs: Iterable[ToolSpec]) -> None:
    """Where a runtime lives it keeps the reasons of what it serves, and is told to judge anew."""
    known = dict(
        QuarantinedTool.objects.filter(tool_id__in=report.checked).values_list("tool_id", "reason")
    )
    changed = {id_: why for id_, why in report.broken.items() if known.get(id_) != str(why)}
    mended = known.keys() - report.broken.keys()
    if not _has_runtime():
        _store_reasons(changed, mended)
        return
    moved = (spec.logic for spec in specs if spec.id in changed or spec.id in mended)
    for name in {logic.data_source for logic in moved if isinstance(logic, SqlLogic)}:
        _have_judged_anew(name)


def _store_reasons(changed: Mapping[int, Message], mended: Collection[int]) -> None:
    with transaction.atomic():
        QuarantinedTool.objects.filter(tool_id__in=mended).delete()
        tools = ToolDefinition.objects.filter(pk__in=changed).select_for_update(no_key=True)
        for tool in tools:
            QuarantinedTool.objects.update_or_create(
                tool=tool,
                defaults=to_columns("reason", changed[tool.pk]) | {"since": timezone.now()},
            )


def _has_runtime() -> bool:
    seen = timezone.now() - RUNTIME_SILENT_AFTER
    return RuntimeInstance.objects.filter(last_seen_at__gt=seen).exists()


def _have_judged_anew(source_name: str | None) -> None:
    """As after a scan that found a change."""
    source = DataSource.objects.filter(name=source_name).first() if source_name else None
    with transaction.atomic():
        state, _created = SchemaState.objects.get_or_create(source=source)
        SchemaState.objects.filter(pk=state.pk).update(
            revision=F("revision") + 1, changed_at=timezone.now()
        )
