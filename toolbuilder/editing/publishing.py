"""Publishing: a draft, an old version or a file becomes what is served, in one transaction."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from django.db import IntegrityError, transaction
from django.utils import timezone

from catalog.jobs import send_job
from catalog.sources.settings import read_sources
from core.errors import (
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    DefinitionError,
    EditError,
    StaleDraftError,
)
from core.messages import Message, message
from toolbuilder.editing.drafts import PageState, lock_draft, read_draft
from toolbuilder.history.versions import (
    VersionEntry,
    read_version,
    record_outside_write,
    record_version,
    was_judged,
)
from toolbuilder.models import ToolDraft, ToolVersion, VersionOrigin
from toolbuilder.tasks import REFRESH_USES
from tools.builtin.registry import read_reserved_names
from tools.definitions import ToolDocument, write_columns, write_parameters
from tools.models import ToolDefinition, ToolDefinitionQuerySet
from tools.proxied_rows import read_proxied_names
from tools.running import check_tool


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """What is served now. `is_new_version` is False if the newest one said the same already."""

    tool: ToolDefinition
    version: ToolVersion
    is_new_version: bool


def publish_tool(
    draft: ToolDraft, username: str, *, note: str = "", overwrites: bool = False
) -> Publication:
    """Serve what the draft says, as it was when `draft` was read, and delete it.

    A new tool becomes active; one that is there stays active or inactive. Raises StaleDraftError when
    the draft, or, unless `overwrites`, the tool has changed since, with what is there now;
    DraftOwnedError; DefinitionError when it could not be served; EditError for an archived tool;
    DataSourceUnavailableError when its database is away and never took this logic before.
    """
    snapshot = read_draft(draft).tool
    entry = VersionEntry(origin=VersionOrigin.PUBLISHED, author=username, note=note)
    entry = replace(entry, is_judged=judge(snapshot, draft.tool, username))
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
        publication = _write(locked.tool, snapshot, entry)
        # They would go with the draft.
        locked.trials.update(tool=publication.tool, draft=None)
        locked.delete()
    return publication


def publish_snapshot(
    tool: ToolDefinition | None,
    snapshot: ToolDocument,
    entry: VersionEntry,
    *,
    is_active: bool = True,
) -> Publication:
    """Serve what the snapshot says; without a tool a new one is made, active or not as said.

    Raises as publish_tool does. Whether it was judged is found out here.
    """
    entry = replace(entry, is_judged=judge(snapshot, tool, entry.author))
    return _write(tool, snapshot, entry, is_active=is_active)


def restore_version(version: ToolVersion, username: str, *, note: str = "") -> Publication:
    """Serve what an old version says, as a new version; a deleted tool is made again, inactive.

    Raises as publish_tool does.
    """
    entry = VersionEntry(
        origin=VersionOrigin.RESTORED,
        author=username,
        note=note,
        restored_from=version.number,
    )
    return publish_snapshot(version.tool, read_version(version), entry, is_active=False)


def set_active(tool: ToolDefinition, *, is_active: bool, username: str) -> bool:
    """Take the tool into service or out of it; False if it was so already, EditError if archived."""
    if is_active and ToolDefinition.objects.archived().filter(pk=tool.pk).exists():
        raise _archived(tool)
    return bool(set_all_active([tool.pk], is_active=is_active, username=username))


def set_all_active(ids: Collection[int], *, is_active: bool, username: str) -> list[int]:
    """As set_active for tools by id, archived ones left alone; returns those that changed."""
    tools = ToolDefinition.objects.present().exclude(is_active=is_active)
    return _update(tools, ids, is_active=is_active, updated_by=username)


def archive(ids: Collection[int], username: str) -> list[int]:
    """Take tools out of service and out of sight; returns the ids of those that were not yet."""
    columns = {"is_active": False, "archived_at": timezone.now(), "updated_by": username}
    return _update(ToolDefinition.objects.present(), ids, **columns)


def unarchive(ids: Collection[int], username: str) -> list[int]:
    """Bring archived tools back, inactive; returns the ids of those that were archived."""
    columns = {"archived_at": None, "updated_by": username}
    return _update(ToolDefinition.objects.archived(), ids, **columns)


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


def require_free_name(name: str, tool: ToolDefinition | None) -> None:
    """Raise DefinitionError if a built-in or another tool than this one has the name."""
    if name in read_reserved_names():
        raise DefinitionError(
            message(
                "tool.builtin_name",
                "{name} is the name of a built-in tool; give this tool another name",
                name=name,
            )
        )
    if name in read_proxied_names():
        raise DefinitionError(
            message(
                "tool.proxied_name",
                "{name} is served of another MCP server; give this tool another name, or"
                " switch that one off",
                name=name,
            )
        )
    others = ToolDefinition.objects.filter(name=name).exclude(pk=tool.pk if tool else 0)
    if other := others.first():
        raise DefinitionError(_name_taken(name, is_archived=bool(other.archived_at)))


def _name_taken(name: str, *, is_archived: bool = False) -> Message:
    if is_archived:
        return message(
            "tool.name_of_archived",
            "there is an archived tool called {name} already; give this one another name",
            name=name,
        )
    return message(
        "tool.name_taken",
        "there is a tool called {name} already; give this one another name",
        name=name,
    )


def find_overtaking(draft: ToolDraft) -> ToolDocument | None:
    """What is served, if the tool was changed since the draft was made and the draft says otherwise."""
    if draft.tool is None:
        return None
    return _read_overtaking(draft.tool, draft, ToolDefinition.objects.whole())


def _update(tools: ToolDefinitionQuerySet, ids: Collection[int], **columns: object) -> list[int]:
    with transaction.atomic():
        found = tools.filter(pk__in=ids).select_for_update().order_by("pk")
        changed = list(found.values_list("pk", flat=True))
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
) -> Publication:
    with transaction.atomic():
        if tool is None:
            stored = ToolDefinition(created_by=entry.author)
            stored.is_active = is_active
        else:
            stored = _lock_for_change(tool)
            record_outside_write(stored)
        # Also if nothing else is new: from now on the rights of this user count.
        stored.updated_by = entry.author
        write_columns(stored, snapshot)
        _save(stored)
        write_parameters(stored, snapshot)
        written = record_version(stored, entry)
        version = written or stored.versions.get(number=stored.version)
        transaction.on_commit(lambda: send_job(REFRESH_USES), robust=True)
    return Publication(tool=stored, version=version, is_new_version=written is not None)


def _lock_for_change(tool: ToolDefinition) -> ToolDefinition:
    stored = ToolDefinition.objects.select_for_update().filter(pk=tool.pk).first()
    if stored is None:
        raise EditError(message("tool.deleted", "{name} was deleted meanwhile.", name=tool.name))
    if stored.archived_at:
        raise _archived(stored)
    return stored


def _archived(tool: ToolDefinition) -> EditError:
    return EditError(
        message("tool.archived", "{name} is archived; bring it back first.", name=tool.name)
    )


def _save(tool: ToolDefinition) -> None:
    try:
        with transaction.atomic():
            tool.save()
    except IntegrityError as error:
        # Made by somebody else since the name was found free.
        raise DefinitionError(_name_taken(tool.name)) from error
