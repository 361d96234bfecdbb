"""Publishing: a draft, an old version or a file becomes what is served, in one transaction."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from catalog.jobs import send_job
from catalog.sources.settings import read_sources
from core.cases.documents import CaseDocument, read_cases
from core.errors import (
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    DefinitionError,
    EditError,
    RedCasesError,
    StaleDraftError,
)
from core.messages import message
from toolbuilder.cases.gate import require_green
from toolbuilder.cases.rows import add_missing, replace_cases, snapshot_cases
from toolbuilder.editing.drafts import PageState, lock_draft, read_draft
from toolbuilder.exchange.ownership import require_not_owned
from toolbuilder.history.differences import find_renames
from toolbuilder.models import (
    ReviewState,
    ToolCase,
    ToolDraft,
    ToolReview,
    ToolVersion,
    VersionOrigin,
)
from toolbuilder.reviews.rules import find_reviewing, require_approval
from tools.aliases import follow_renames
from tools.costs import check_planned_cost
from tools.definitions import ToolDocument, write_columns, write_parameters
from tools.models import ToolDefinition, ToolDefinitionQuerySet
from tools.names import explain_taken, require_free_name
from tools.running import check_tool

# Tools read at a time: memory stays small with thousands of them.
CHUNK_SIZE = 500
JUDGED_VERSIONS_READ = 20
# The task by name: importing it would import this module.
REFRESH_USES = "toolbuilder.tasks.refresh_tool_uses"


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionEntry:
    """What is noted of a version beside its content; `restored_from` is a version's number.

    `override_reason` is why it is served although a test case is red; it is kept only where one is.
    `unreviewed_because` is the reason for which an operator serves it without the review that its
    toolsets ask for. Only what `is_from_files` changes tools that are owned by files. For
    `old_names_days` the names that it and its parameters lose are still answered.
    """

    origin: VersionOrigin
    author: str = ""
    note: str = ""
    restored_from: int | None = None
    is_judged: bool = False
    override_reason: str = ""
    reviewed_by: str = ""
    unreviewed_because: str = ""
    old_names_days: int = 0
    is_from_files: bool = False


OUTSIDE = VersionEntry(origin=VersionOrigin.OUTSIDE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """What is served now. `is_new_version` is False if the newest one said the same already."""

    tool: ToolDefinition
    version: ToolVersion
    is_new_version: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChange:
    """A tool as it shall be served, and whether its database took it; None as `tool` is a new one."""

    tool: ToolDefinition | None
    snapshot: ToolDocument
    is_active: bool = True
    is_judged: bool = False
    cases: Sequence[CaseDocument] | None = None


def publish_tool(
    draft: ToolDraft,
    username: str,
    *,
    note: str = "",
    overwrites: bool = False,
    override_reason: str = "",
    old_names_days: int = 0,
) -> Publication:
    """Serve what the draft says, as it was when `draft` was read, and delete it.

    A new tool becomes active; one that is there stays active or inactive. Raises StaleDraftError when
    the draft, or, unless `overwrites`, the tool has changed since, with what is there now;
    DraftOwnedError; ReviewNeededError where somebody else has to approve it first; DefinitionError when
    it could not be served; EditError for an archived tool; DataSourceUnavailableError when its database is
    away and never took this logic before; RedCasesError when a test case is red and no reason is given.
    """
    snapshot = read_draft(draft).tool
    entry = VersionEntry(
        origin=VersionOrigin.PUBLISHED,
        author=username,
        note=note,
        override_reason=override_reason,
        old_names_days=old_names_days,
    )
    entry = _judge_with_cases(snapshot, draft.tool, entry, ToolCase.objects.of(draft.tool, draft))
    with transaction.atomic():
        locked = lock_draft(draft.uid, PageState(username=username, revision=draft.revision))
        if locked.tool and not overwrites:
            rows = ToolDefinition.objects.whole().select_for_update(of=("self",))
            if served := _read_overtaking(locked.tool, locked, rows):
                text = message(
                    "draft.overtaken",
                    "The tool was changed since this draft was made; look at the difference.",
                )
                raise StaleDraftError(text, served.to_document())
        publication = _write(locked.tool, snapshot, entry, draft=locked)
        transaction.on_commit(_refresh_uses, robust=True)
        locked.delete()
    return publication


def publish_snapshot(
    tool: ToolDefinition | None,
    snapshot: ToolDocument,
    entry: VersionEntry,
    *,
    is_active: bool = True,
    cases: Sequence[CaseDocument] | None = None,
) -> Publication:
    """Serve what the snapshot says; without a tool a new one is made, active or not as said.

    `cases` become those of the tool; None leaves them as they are. Raises as publish_tool does. Whether
    it was judged is found out here.
    """
    rows = ToolCase.objects.of(tool, None)
    entry = _judge_with_cases(snapshot, tool, entry, rows, given=cases)
    with transaction.atomic():
        transaction.on_commit(_refresh_uses, robust=True)
        return _write(tool, snapshot, entry, is_active=is_active, cases=cases)


def publish_all(changes: Iterable[ToolChange], entry: VersionEntry) -> list[Publication]:
    """Serve tools that were judged already, all of them or none. Raises as publish_tool does."""
    with transaction.atomic():
        transaction.on_commit(_refresh_uses, robust=True)
        return [
            _write(
                change.tool,
                change.snapshot,
                replace(entry, is_judged=change.is_judged),
                is_active=change.is_active,
                cases=change.cases,
            )
            for change in changes
        ]


def restore_version(
    version: ToolVersion, username: str, *, note: str = "", override_reason: str = ""
) -> Publication:
    """Serve what an old version says, as a new version; a deleted tool is made again, inactive.

    Its test cases come back where the tool has none of their names. Raises as publish_tool does.
    """
    entry = VersionEntry(
        origin=VersionOrigin.RESTORED,
        author=username,
        note=note,
        restored_from=version.number,
        override_reason=override_reason,
    )
    publication = publish_snapshot(version.tool, read_version(version), entry, is_active=False)
    add_missing(publication.tool, read_cases(version.cases, "cases"), username)
    return publication


def set_all_active(ids: Collection[int], *, is_active: bool, username: str) -> list[int]:
    """Take tools into service or out of it, archived ones left alone; returns the ids of those that changed."""
    tools = ToolDefinition.objects.present().exclude(is_active=is_active)
    # Also those of files, which do not say whether a tool is in service.
    return _update(tools, ids, is_from_files=True, is_active=is_active, updated_by=username)


def archive(ids: Collection[int], username: str, *, is_from_files: bool = False) -> list[int]:
    """Take tools out of service and out of sight; returns the ids of those that were not yet.

    Raises EditError where one is owned by files, unless these say it.
    """
    columns = {"is_active": False, "archived_at": timezone.now(), "updated_by": username}
    tools = ToolDefinition.objects.present()
    return _update(tools, ids, is_from_files=is_from_files, **columns)


def unarchive(ids: Collection[int], username: str, *, is_from_files: bool = False) -> list[int]:
    """Bring archived tools back, inactive; returns the ids of those that were archived. Raises as `archive`."""
    columns = {"archived_at": None, "updated_by": username}
    tools = ToolDefinition.objects.archived()
    return _update(tools, ids, is_from_files=is_from_files, **columns)


def judge(snapshot: ToolDocument, tool: ToolDefinition | None, username: str) -> bool:
    """Whether its database, or the sandbox, took it just now; False when it is away and took it before.

    Raises DefinitionError when it could not be served, DataSourceUnavailableError when it is away
    and never took this logic.
    """
    require_free_name(snapshot.name, tool)
    sources = read_sources()
    spec = snapshot.to_spec(sources)
    try:
        check_tool(spec, sources, username)
        check_planned_cost(spec, sources)
    except (DataSourceError, DeadlineExceededError) as error:
        if was_judged(tool, snapshot):
            return False
        raise DataSourceUnavailableError(
            message(
                "tool.not_checked",
                "{reason}; the tool is not published until the data source has checked its logic",
                reason=str(error).rstrip("."),
            )
        ) from error
    return True


def _judge_with_cases(
    snapshot: ToolDocument,
    tool: ToolDefinition | None,
    entry: VersionEntry,
    rows: Iterable[ToolCase],
    *,
    given: Sequence[CaseDocument] | None = None,
) -> VersionEntry:
    """The entry with what its database and its cases, `given` or stored, say. Raises as publish_tool does."""
    entry = replace(entry, is_judged=judge(snapshot, tool, entry.author))
    stored = list(rows) if given is None else []
    if stored or given:
        try:
            require_green(stored, snapshot, read_sources(), entry.author, given=given)
        except RedCasesError:
            if entry.override_reason:
                return entry
            raise
    return replace(entry, override_reason="")


def find_overtaking(draft: ToolDraft) -> ToolDocument | None:
    """What is served, if the tool was changed since the draft was made and the draft says otherwise."""
    if draft.tool is None:
        return None
    return _read_overtaking(draft.tool, draft, ToolDefinition.objects.whole())


def _update(
    tools: ToolDefinitionQuerySet, ids: Collection[int], *, is_from_files: bool, **columns: object
) -> list[int]:
    with transaction.atomic():
        found = list(tools.filter(pk__in=ids).select_for_update().order_by("pk"))
        if not is_from_files:
            require_not_owned(found)
        changed = [tool.pk for tool in found]
        if changed:
            ToolDefinition.objects.filter(pk__in=changed).update(**columns)
    return changed


def _read_overtaking(
    tool: ToolDefinition, draft: ToolDraft, rows: ToolDefinitionQuerySet
) -> ToolDocument | None:
    served = ToolDocument.of_row(rows.get(pk=tool.pk))
    known = {draft.base_version_hash, draft.content_hash}
    return None if served.content_hash in known else served


def _write(
    tool: ToolDefinition | None,
    snapshot: ToolDocument,
    entry: VersionEntry,
    *,
    is_active: bool = True,
    draft: ToolDraft | None = None,
    cases: Sequence[CaseDocument] | None = None,
) -> Publication:
    former = snapshot
    with transaction.atomic():
        if not entry.is_from_files:
            require_not_owned([tool, snapshot] if tool else [snapshot])
        if tool is None:
            stored = ToolDefinition(created_by=entry.author)
            stored.is_active = is_active
        else:
            stored = _lock_for_change(tool)
            record_version(stored, OUTSIDE)
            former = ToolDocument.of_row(stored)
        review, entry = _find_review(tool, snapshot, entry)
        # Also if nothing else is new: from now on the rights of this user count.
        stored.updated_by = entry.author
        write_columns(stored, snapshot)
        _save(stored)
        write_parameters(stored, snapshot)
        if draft:
            # They would go with it.
            draft.trials.update(tool=stored, draft=None)
            draft.cases.update(tool=stored, draft=None)
        if cases is not None:
            replace_cases(stored, cases, entry.author)
        renames = find_renames(former, snapshot)
        follow_renames(stored.pk, renames, days=entry.old_names_days, username=entry.author)
        written = record_version(stored, entry)
        version = written or stored.versions.get(number=stored.version)
        if review:
            review.state, review.version_number = ReviewState.PUBLISHED, version.number
            review.tool = stored
            review.save()
    return Publication(tool=stored, version=version, is_new_version=written is not None)


def _find_review(
    tool: ToolDefinition | None, snapshot: ToolDocument, entry: VersionEntry
) -> tuple[ToolReview | None, VersionEntry]:
    """The review that lets the change through, and the entry with who approved it or why nobody did.

    Raises ReviewNeededError where one is needed and not there.
    """
    reason = entry.unreviewed_because
    if reason:
        is_needed = bool(find_reviewing(tool, snapshot))
        lines = [entry.note, f"No review: {reason}" if is_needed else ""]
        return None, replace(entry, note="\n".join(filter(None, lines)))
    review = require_approval(tool, snapshot)
    if review is None:
        return None, entry
    note = "\n".join(filter(None, [entry.note or review.note, review.reason]))
    return review, replace(entry, note=note, reviewed_by=review.decided_by)


def _refresh_uses() -> None:
    send_job(REFRESH_USES)


def _lock_for_change(tool: ToolDefinition) -> ToolDefinition:
    stored = ToolDefinition.objects.select_for_update().filter(pk=tool.pk).first()
    if stored is None:
        raise EditError(message("tool.deleted", "{name} was deleted meanwhile.", name=tool.name))
    if stored.archived_at:
        raise EditError(
            message("tool.archived", "{name} is archived; bring it back first.", name=tool.name)
        )
    return stored


def _save(tool: ToolDefinition) -> None:
    try:
        with transaction.atomic():
            tool.save()
    except IntegrityError as error:
        # Made by somebody else since the name was found free.
        raise DefinitionError(explain_taken(tool.name)) from error


def record_version(tool: ToolDefinition, entry: VersionEntry) -> ToolVersion | None:
    """Write the tool's rows as its next version; None if the newest one says the same.

    The row is read again and locked until the transaction ends; `tool` gets its version.
    """
    written = _record([tool.pk], entry)
    tool.refresh_from_db(fields=["version", "content_hash"])
    return written[0] if written else None


def record_versions() -> int:
    """Write a version of every tool that another program has made or changed; returns how many."""
    tools = ToolDefinition.objects.whole().order_by("pk")
    changed = [tool.pk for tool in tools.iterator(CHUNK_SIZE) if not is_recorded(tool)]
    chunks = (changed[at : at + CHUNK_SIZE] for at in range(0, len(changed), CHUNK_SIZE))
    return sum(len(_record(chunk, OUTSIDE)) for chunk in chunks)


def read_version(version: ToolVersion) -> ToolDocument:
    """What the version holds."""
    return ToolDocument.model_validate(version.document)


def is_recorded(tool: ToolDefinition) -> bool:
    """Whether the newest version says what the tool's rows say."""
    return bool(tool.version) and tool.content_hash == ToolDocument.of_row(tool).content_hash


def was_judged(tool: ToolDefinition | None, snapshot: ToolDocument) -> bool:
    """Whether its database once accepted the same logic with parameters of the same types."""
    if tool is None:
        return False
    versions = ToolVersion.objects.filter(
        tool=tool, is_judged=True, document__definition=snapshot.definition
    )
    judged = _judged_part(snapshot)
    recent = versions.defer("cases").order_by("-number")[:JUDGED_VERSIONS_READ]
    return any(_judged_part(read_version(version)) == judged for version in recent)


def _record(ids: Sequence[int], entry: VersionEntry) -> list[ToolVersion]:
    """The versions written of those tools whose newest one says something else."""
    with transaction.atomic():
        # In one order, so that two who record do not wait for each other.
        rows = ToolDefinition.objects.whole().select_for_update(of=("self",)).order_by("pk")
        tools = [tool for tool in rows.filter(pk__in=ids) if not is_recorded(tool)]
        numbers = dict(
            ToolVersion.objects.filter(tool__in=tools)
            .values_list("tool_id")
            .annotate(newest=Max("number"))
        )
        cases = snapshot_cases(tool.pk for tool in tools)
        versions = [
            ToolVersion(
                tool=tool,
                tool_name=tool.name,
                number=numbers.get(tool.pk, 0) + 1,
                document=document.to_document(),
                content_hash=document.content_hash,
                origin=entry.origin,
                note=entry.note,
                published_by=entry.author,
                reviewed_by=entry.reviewed_by,
                restored_from=entry.restored_from,
                is_judged=entry.is_judged,
                cases=cases.get(tool.pk, []),
                override_reason=entry.override_reason,
            )
            for tool in tools
            for document in [ToolDocument.of_row(tool)]
        ]
        for tool, version in zip(tools, versions, strict=True):
            tool.version, tool.content_hash = version.number, version.content_hash
        ToolDefinition.objects.bulk_update(tools, ["version", "content_hash"])
        return ToolVersion.objects.bulk_create(versions)


def _judged_part(snapshot: ToolDocument) -> tuple[object, ...]:
    types = sorted((row.param_name, row.param_type) for row in snapshot.parameters)
    return snapshot.tool_type, snapshot.definition, snapshot.data_source, types
