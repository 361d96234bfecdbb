"""Versions of tools: written whenever a tool changes, whoever changes it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max

from toolbuilder.models import ToolVersion, VersionOrigin
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

# Tools read at a time: memory stays small with thousands of them.
CHUNK_SIZE = 500
JUDGED_VERSIONS_READ = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionEntry:
    """What is noted of a version beside its content; `restored_from` is a version's number."""

    origin: VersionOrigin
    author: str = ""
    note: str = ""
    restored_from: int | None = None
    is_judged: bool = False


OUTSIDE = VersionEntry(origin=VersionOrigin.OUTSIDE)


def record_version(tool: ToolDefinition, entry: VersionEntry) -> ToolVersion | None:
    """Write the tool's rows as its next version; None where the newest one says the same.

    The row is read anew and locked until the transaction ends; `tool` learns its version.
    """
    written = _record([tool.pk], entry)
    tool.refresh_from_db(fields=["version", "content_hash"])
    return written[0] if written else None


def record_outside_write(tool: ToolDefinition) -> ToolVersion | None:
    """As record_version, for what another program has written since the newest version.

    Called before a tool is changed, so that nothing is lost.
    """
    return record_version(tool, OUTSIDE)


def record_versions() -> int:
    """Write a version of every tool that another program has made or changed; returns how many."""
    tools = ToolDefinition.objects.whole().order_by("pk")
    changed = [tool.pk for tool in tools.iterator(CHUNK_SIZE) if _is_unrecorded(tool)]
    chunks = (changed[at : at + CHUNK_SIZE] for at in range(0, len(changed), CHUNK_SIZE))
    return sum(len(_record(chunk, OUTSIDE)) for chunk in chunks)


def read_version(version: ToolVersion) -> ToolDocument:
    """What the version holds."""
    return ToolDocument.model_validate(version.document)


def was_judged(tool: ToolDefinition | None, snapshot: ToolDocument) -> bool:
    """Whether the same logic, with parameters of the same types, was once taken by its database."""
    if tool is None:
        return False
    versions = ToolVersion.objects.filter(
        tool=tool, is_judged=True, document__definition=snapshot.definition
    )
    wanted = _judged_part(snapshot)
    recent = versions.order_by("-number")[:JUDGED_VERSIONS_READ]
    return any(_judged_part(read_version(version)) == wanted for version in recent)


def _is_unrecorded(tool: ToolDefinition) -> bool:
    return not tool.version or tool.content_hash != ToolDocument.of_row(tool).content_hash


def _record(ids: Sequence[int], entry: VersionEntry) -> list[ToolVersion]:
    """The versions written of those tools whose newest one says something else."""
    with transaction.atomic():
        # In one order, so that two who record do not wait for each other.
        rows = ToolDefinition.objects.whole().select_for_update(of=("self",)).order_by("pk")
        tools = [tool for tool in rows.filter(pk__in=ids) if _is_unrecorded(tool)]
        numbers = dict(
            ToolVersion.objects.filter(tool__in=tools)
            .values_list("tool_id")
            .annotate(newest=Max("number"))
        )
        versions = [_build(tool, numbers.get(tool.pk, 0) + 1, entry) for tool in tools]
        for tool, version in zip(tools, versions, strict=True):
            tool.version, tool.content_hash = version.number, version.content_hash
        ToolDefinition.objects.bulk_update(tools, ["version", "content_hash"])
        return ToolVersion.objects.bulk_create(versions)


def _build(tool: ToolDefinition, number: int, entry: VersionEntry) -> ToolVersion:
    snapshot = ToolDocument.of_row(tool)
    return ToolVersion(
        tool=tool,
        tool_name=tool.name,
        number=number,
        document=snapshot.to_document(),
        content_hash=snapshot.content_hash,
        origin=entry.origin,
        note=entry.note,
        published_by=entry.author,
        restored_from=entry.restored_from,
        is_judged=entry.is_judged,
    )


def _judged_part(snapshot: ToolDocument) -> tuple[object, ...]:
    types = sorted((one.param_name, one.param_type) for one in snapshot.parameters)
    return snapshot.tool_type, snapshot.definition, snapshot.data_source, types
