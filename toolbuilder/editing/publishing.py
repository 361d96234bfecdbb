"""Publishing: a draft, an old version or a file becomes what is served, in one transaction."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from django.db import IntegrityError, transaction
from django.utils import timezone

from catalog.jobs import send_job
from catalog.models import DataSource
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
    StaleEditError,
)
from core.messages import message
from toolbuilder.cases.gate import require_green
from toolbuilder.cases.rows import add_missing, create_cases, rename_in_cases, replace_cases
from toolbuilder.editing.drafts import PageState, follow_served, lock_draft, read_draft
from toolbuilder.exchange.ownership import require_not_owned
from toolbuilder.history.differences import find_renames
from toolbuilder.history.versions import (
    CHUNK_SIZE,
    OUTSIDE,
    VersionEntry,
    read_version,
    record_all,
    record_version,
    was_judged,
)
from toolbuilder.models import (
    ToolCase,
    ToolDraft,
    ToolVersion,
    VersionOrigin,
)
from toolbuilder.reviews.rules import (
    ReviewPassage,
    end_review,
    find_passage,
    find_reviewing,
    lock_open_review,
    read_reviewing,
)
from toolbuilder.search_lab.questions import rename_expected
from tools.aliases import Renames, follow_renames, take_back_names
from tools.costs import check_planned_cost
from tools.definitions import ToolDocument, parameter_rows, write_columns, write_parameters
from tools.models import ToolDefinition, ToolDefinitionQuerySet, ToolParameter
from tools.names import explain_taken, require_free_name
from tools.running import check_tool

# The tasks by name: importing them would import this module.
REFRESH_USES = "toolbuilder.tasks.refresh_tool_uses"
MEASURE_QUESTIONS = "toolbuilder.tasks.measure_saved_questions"
# By then runtimes have the vectors of what was published, and one job serves what is published meanwhile.
_UNTIL_VECTORS_S = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """What is served now. `is_new_version` is False if the newest one said the same already."""

    tool: ToolDefinition
    version: ToolVersion
    is_new_version: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChange:
    """A tool as it shall be served, and whether its database took it; None as `tool` is a new one.

    `base` is what it said when the change was planned.
    """

    tool: ToolDefinition | None
    snapshot: ToolDocument
    is_active: bool = True
    is_judged: bool = False
    cases: Sequence[CaseDocument] | None = None
    base: ToolDocument | None = None


def publish_tool(
    draft: ToolDraft,
    username: str,
    *,
    note: str = "",
    overwrites: bool = False,
    override_reason: str = "",
    old_names_days: int = 0,
    decide: Callable[[], object] | None = None,
) -> Publication:
    """Serve what the draft says, as it was when `draft` was read, and delete it.

    Its database and its test cases are asked first. `decide` is then called in the transaction that
    writes: what it raises keeps everything as it is.
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
        if decide:
            decide()
        # The review before the draft, as those who decide lock them.
        review = lock_open_review(draft)
        locked = lock_draft(draft.uid, PageState(username=username, revision=draft.revision))
        if locked.tool and not overwrites:
            _require_not_overtaken(locked.tool, locked)
        publication = _write(locked.tool, snapshot, entry, draft=locked)
        if review:
            end_review(review, publication.version, username)
        transaction.on_commit(_send_jobs, robust=True)
        locked.delete()
    return publication


def publish_snapshot(
    tool: ToolDefinition | None,
    snapshot: ToolDocument,
    entry: VersionEntry,
    *,
    is_active: bool = True,
    cases: Sequence[CaseDocument] | None = None,
    base: ToolDocument | None = None,
) -> Publication:
    """Serve what the snapshot says; without a tool a new one is made, active or not as said.

    `cases` become those of the tool; None leaves them as they are. Raises as publish_tool does, and
    StaleEditError for a tool that says something else than `base` by now. Whether it was judged is
    found out here.
    """
    rows = ToolCase.objects.of(tool, None)
    entry = _judge_with_cases(snapshot, tool, entry, rows, given=cases)
    with transaction.atomic():
        transaction.on_commit(_send_jobs, robust=True)
        return _write(tool, snapshot, entry, is_active=is_active, cases=cases, base=base)


def publish_all(
    changes: Iterable[ToolChange],
    entry: VersionEntry,
    note_written: Callable[[int], object] = lambda _count: None,
) -> None:
    """Serve tools that were judged already, all of them or none. Raises as publish_snapshot does.

    New ones are written many at a time; `note_written` gets how many tools are written so far.
    """
    listed = list(changes)
    new = [change for change in listed if change.tool is None]
    with transaction.atomic():
        transaction.on_commit(_send_jobs, robust=True)
        for start in range(0, len(new), CHUNK_SIZE):
            _create(new[start : start + CHUNK_SIZE], entry)
            note_written(min(start + CHUNK_SIZE, len(new)))
        for count, change in enumerate((c for c in listed if c.tool), start=len(new) + 1):
            _write(
                change.tool,
                change.snapshot,
                replace(entry, is_judged=change.is_judged),
                is_active=change.is_active,
                cases=change.cases,
                base=change.base,
            )
            if count % CHUNK_SIZE == 0:
                note_written(count)


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


def _require_not_overtaken(tool: ToolDefinition, draft: ToolDraft) -> None:
    rows = ToolDefinition.objects.whole().select_for_update(of=("self",))
    if served := _read_overtaking(tool, draft, rows):
        text = message(
            "draft.overtaken",
            "The tool was changed since this draft was made; look at the difference.",
        )
        raise StaleDraftError(text, served.to_document())


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
    base: ToolDocument | None = None,
) -> Publication:
    former = snapshot
    with transaction.atomic():
        if not entry.is_from_files:
            require_not_owned([tool, snapshot] if tool else [snapshot])
        if tool is None:
            stored = ToolDefinition(created_by=entry.author)
            stored.is_active = is_active
        else:
            stored = _lock_for_change(tool, base)
            former = ToolDocument.of_row(stored)
        passage = find_passage(tool, snapshot, entry.note, entry.unreviewed_because)
        entry = replace(entry, note=passage.note, reviewed_by=passage.reviewed_by)
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
        _follow_renames(stored, find_renames(former, snapshot), entry, renames_cases=cases is None)
        written = record_version(stored, entry)
        version = written or stored.versions.get(number=stored.version)
        passage.note_published(version)
        if draft is None:
            # That of a published draft goes.
            follow_served(stored)
    return Publication(tool=stored, version=version, is_new_version=written is not None)


def _follow_renames(
    stored: ToolDefinition, renames: Renames, entry: VersionEntry, *, renames_cases: bool
) -> None:
    """Let what goes by names of the tool and of its parameters go by those of now."""
    if renames_cases:
        rename_in_cases(stored.cases.all(), renames.parameters)
    follow_renames(stored.pk, renames, days=entry.old_names_days, username=entry.author)
    if renames.old_name != renames.new_name:
        rename_expected(renames.old_name, renames.new_name)


def _create(changes: Sequence[ToolChange], entry: VersionEntry) -> None:
    """Write new tools as `_write` does, with a few statements for all of them."""
    if not entry.is_from_files:
        require_not_owned([change.snapshot for change in changes])
    names = [change.snapshot.name for change in changes]
    if (
        taken := ToolDefinition.objects.filter(name__in=names)
        .values_list("name", flat=True)
        .first()
    ):
        raise DefinitionError(explain_taken(taken))
    sources = DataSource.objects.in_bulk(field_name="name")
    asking = read_reviewing()
    rows, passages = list[ToolDefinition](), list[ReviewPassage]()
    for change in changes:
        passage = ReviewPassage(entry.note)
        if find_reviewing(None, change.snapshot, asking):
            passage = find_passage(None, change.snapshot, entry.note, entry.unreviewed_because)
        row = ToolDefinition(created_by=entry.author, updated_by=entry.author)
        row.is_active = change.is_active
        write_columns(row, change.snapshot, sources)
        rows.append(row)
        passages.append(passage)
    ToolDefinition.objects.bulk_create(rows)
    written = list(zip(rows, changes, passages, strict=True))
    ToolParameter.objects.bulk_create(
        parameter
        for row, change, _ in written
        for parameter in parameter_rows(row, change.snapshot)
    )
    create_cases({row.pk: change.cases for row, change, _ in written if change.cases}, entry.author)
    take_back_names(names)
    entries = {
        row.pk: replace(
            entry, is_judged=change.is_judged, note=passage.note, reviewed_by=passage.reviewed_by
        )
        for row, change, passage in written
    }
    versions = {version.tool_id: version for version in record_all(entries)}
    for row, _, passage in written:
        passage.note_published(versions[row.pk])


def _send_jobs() -> None:
    """Have read what the tools use, and measured what agents find; a broker that is away is asked once."""
    if send_job(REFRESH_USES):
        send_job(MEASURE_QUESTIONS, delay_s=_UNTIL_VECTORS_S)


def _lock_for_change(tool: ToolDefinition, base: ToolDocument | None) -> ToolDefinition:
    """The row, with a version of what it says; raises EditError if that is not `base` any more."""
    stored = ToolDefinition.objects.select_for_update().filter(pk=tool.pk).first()
    if stored is None:
        raise EditError(message("tool.deleted", "{name} was deleted meanwhile.", name=tool.name))
    if stored.archived_at:
        raise EditError(
            message("tool.archived", "{name} is archived; bring it back first.", name=tool.name)
        )
    record_version(stored, OUTSIDE)
    former = ToolDocument.of_row(stored)
    if base is not None and base != former:
        text = message(
            "tool.changed_meanwhile",
            "{name} was changed by somebody else meanwhile; look at the differences again.",
            name=former.name,
        )
        raise StaleEditError(text, former.to_document())
    return stored


def _save(tool: ToolDefinition) -> None:
    try:
        with transaction.atomic():
            tool.save()
    except IntegrityError as error:
        # Made by somebody else since the name was found free.
        raise DefinitionError(explain_taken(tool.name)) from error
