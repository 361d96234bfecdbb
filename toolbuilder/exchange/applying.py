"""Files against the rows that are there: the plan, judged by the databases, and its application in one transaction."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field

from django.db import connection, transaction

from catalog.sources.settings import read_sources
from core.errors import EditError
from core.messages import message
from toolbuilder.editing.publishing import ToolChange, archive, publish_all, unarchive
from toolbuilder.exchange.exchanged import ToolFiles
from toolbuilder.exchange.formats import require_no_faults
from toolbuilder.exchange.importing import ImportKind, PlannedTool, plan_import
from toolbuilder.exchange.judging import Judgement, judge_tools
from toolbuilder.exchange.parts import PlannedPart, write_concepts_of, write_sources, write_toolsets
from toolbuilder.exchange.yaml_nodes import FileFault
from toolbuilder.history.versions import OUTSIDE, VersionEntry, record_version
from toolbuilder.models import ToolFile, VersionOrigin
from tools.models import ToolDefinition

# What is done, to how many tools, of how many.
Progress = Callable[[str, int, int], object]
_RECORDS_AT_ONCE = 1_000
_LOCK = 3_003_016


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyRequest:
    """Who applies files, on whose rights on data sources, and how far it goes.

    The reasons are those of a VersionEntry. `prunes` archives tools that came from the owner's files
    and are in none of them now.
    """

    username: str = ""
    note: str = ""
    override_reason: str = ""
    unreviewed_because: str = ""
    prunes: bool = False
    is_trial: bool = False


@dataclass(slots=True, kw_only=True)
class FilePlan:
    """What files change: new and changed tools and parts, and tools whose file is gone.

    `returning` are archived tools that are in a file again. `unchecked` are names of tools whose data
    source is away, with the reason; `notes` say what was left out.
    """

    tools: list[PlannedTool] = field(default_factory=list)
    parts: list[PlannedPart] = field(default_factory=list)
    gone: list[ToolDefinition] = field(default_factory=list)
    is_pruned: bool = False
    unchanged: int = 0
    unchecked: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def has_changes(self) -> bool:
        """Whether applying it would change anything."""
        return bool(self.tools or self.parts or (self.is_pruned and self.gone))


def apply_files(
    content: ToolFiles,
    request: ApplyRequest,
    tell_progress: Progress = lambda _what, _done, _all: None,
) -> FilePlan:
    """Make the rows say what the files say, all of it or nothing; what was done, or would be in a trial.

    `tell_progress` gets what is done to how many tools of how many, such as ("judged", 500, 5000).
    Raises ImportFileError with every fault of the files, of which the databases were asked too.
    """
    if request.prunes and not content.owner:
        raise EditError(
            message(
                "apply.no_owner",
                "Write owner: NAME into toolbuilder.yaml: only tools that came from files of that"
                " owner are archived.",
            )
        )
    with transaction.atomic(), connection.cursor() as cursor:
        # Who comes second sees what the first one wrote, and its plan tells of it.
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        plan, judgement = _plan_files(content, request, tell_progress)
        if request.is_trial:
            transaction.set_rollback(True)
        else:
            _write_tools(content, plan, judgement.judged, request, tell_progress=tell_progress)
    return plan


def _plan_files(
    content: ToolFiles, request: ApplyRequest, tell_progress: Progress
) -> tuple[FilePlan, Judgement]:
    """What the files change, with their parts written, which the databases' judgement needs."""
    plan, faults = FilePlan(is_pruned=request.prunes), list(content.faults)
    # First, and in a trial too: tools are judged on them.
    plan.parts += write_sources(content.sources, plan.notes)
    plan.tools = [
        tool
        for tool in plan_import(content.tools)
        if tool.kind is not ImportKind.SAME or _is_archived(tool)
    ]
    judgement = judge_tools(
        _leave_out_unreadable(plan.tools, content.faults),
        request.username,
        accepts_red=bool(request.override_reason),
        is_reviewed=bool(request.unreviewed_because),
        note_judged=lambda count: tell_progress("judged", count, len(plan.tools)),
    )
    faults += judgement.faults
    plan.unchecked = judgement.unchecked
    plan.parts += write_toolsets(content.toolsets)
    try:
        plan.parts += write_concepts_of(content.concepts, request.username)
    except EditError as error:
        faults.append(content.concepts[0].part.fault(error.message, "concepts"))
    require_no_faults(sorted(faults))
    plan.unchanged = len(content.parts) - len(plan.tools) - len(plan.parts)
    plan.gone = find_gone(content)
    return plan, judgement


def find_gone(content: ToolFiles) -> list[ToolDefinition]:
    """Tools that came from files of this owner and are in none of them now, by name; none without an owner."""
    names = {tool.name for tool in content.tools}
    came = ToolFile.objects.filter(owner=content.owner, tool__archived_at=None)
    files = came.exclude(tool__name__in=names).select_related("tool").order_by("tool__name")
    return [file.tool for file in files] if content.owner else []


def _leave_out_unreadable(
    tools: Sequence[PlannedTool], faults: Iterable[FileFault]
) -> Sequence[PlannedTool]:
    """The tools without those whose data source may be missing only because its own file has a fault."""
    if not any(fault.path.startswith("sources/") for fault in faults):
        return tools
    known = read_sources().users_of
    return [tool for tool in tools if tool.given.snapshot.data_source in known]


def _is_archived(planned: PlannedTool) -> bool:
    return bool(planned.stored and planned.stored.archived_at)


def _write_tools(
    content: ToolFiles,
    plan: FilePlan,
    judged: Collection[str],
    request: ApplyRequest,
    *,
    tell_progress: Progress,
) -> None:
    entry = VersionEntry(
        origin=VersionOrigin.IMPORTED,
        author=request.username,
        note=request.note,
        override_reason=request.override_reason,
        unreviewed_because=request.unreviewed_because,
        is_from_files=True,
    )
    returning = [tool for tool in plan.tools if _is_archived(tool)]
    ids = [tool.stored.pk for tool in returning if tool.stored]
    unarchive(ids, request.username, is_from_files=True)
    active = [tool.stored.pk for tool in returning if tool.stored and tool.given.is_active]
    ToolDefinition.objects.filter(pk__in=active).update(is_active=True)
    publish_all(
        (
            ToolChange(
                tool=tool.stored,
                snapshot=tool.given.snapshot,
                is_active=tool.given.is_active,
                is_judged=tool.given.name in judged,
                cases=tool.given.cases,
                base=tool.base,
            )
            for tool in plan.tools
        ),
        entry,
        lambda count: tell_progress("written", count, len(plan.tools)),
    )
    if request.prunes:
        gone = [tool.pk for tool in plan.gone]
        archive(gone, request.username, is_from_files=True)
        ToolFile.objects.filter(tool__in=gone).delete()
    _record_files(content, request.username)


def _record_files(content: ToolFiles, username: str) -> None:
    """Note of every tool the file that it is in, and what that says."""
    names = [tool.name for tool in content.tools]
    stored = ToolDefinition.objects.in_bulk(names, field_name="name")
    known = {row.tool_id: row for row in ToolFile.objects.filter(tool__in=stored.values())}
    rows = []
    for tool in content.tools:
        said = (content.owner, tool.part.path, tool.snapshot.content_hash)
        row, present = known.get(stored[tool.name].pk), stored[tool.name]
        if present.content_hash != tool.snapshot.content_hash:
            # Another program wrote what the file says; later differences are from this version.
            record_version(present, OUTSIDE)
        if row is None or (row.owner, row.path, row.content_hash) != said:
            owner, path, content_hash = said
            rows.append(
                ToolFile(
                    tool=present,
                    owner=owner,
                    path=path,
                    content_hash=content_hash,
                    applied_by=username,
                )
            )
    ToolFile.objects.bulk_create(
        rows,
        batch_size=_RECORDS_AT_ONCE,
        update_conflicts=True,
        unique_fields=["tool"],
        update_fields=["owner", "path", "content_hash", "applied_by", "applied_at"],
    )
