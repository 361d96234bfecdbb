"""Versions of tools: what is noted of each, written where rows say something else than the newest one."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max

from toolbuilder.cases.rows import snapshot_cases
from toolbuilder.models import ToolVersion, VersionOrigin
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

# Tools read at a time: memory stays small with thousands of them.
CHUNK_SIZE = 500
JUDGED_VERSIONS_READ = 20


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


def record_version(tool: ToolDefinition, entry: VersionEntry) -> ToolVersion | None:
    """Write the tool's rows as its next version; None if the newest one says the same.

    The row is read again and locked until the transaction ends; `tool` gets its version.
    """
    written = record_all({tool.pk: entry})
    tool.refresh_from_db(fields=["version", "content_hash"])
    return written[0] if written else None


def record_versions() -> int:
    """Write a version of every tool that another program has made or changed; returns how many."""
    tools = ToolDefinition.objects.whole().order_by("pk")
    changed = [tool.pk for tool in tools.iterator(CHUNK_SIZE) if not is_recorded(tool)]
    chunks = (changed[at : at + CHUNK_SIZE] for at in range(0, len(changed), CHUNK_SIZE))
    return sum(len(record_all(dict.fromkeys(chunk, OUTSIDE))) for chunk in chunks)


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


def record_all(entries: Mapping[int, VersionEntry]) -> list[ToolVersion]:
    """The versions written of those tools, by their ids, whose newest one says something else."""
    with transaction.atomic():
        # In one order, so that two who record do not wait for each other.
        rows = ToolDefinition.objects.whole().select_for_update(of=("self",)).order_by("pk")
        tools = [tool for tool in rows.filter(pk__in=entries) if not is_recorded(tool)]
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
            for document, entry in [(ToolDocument.of_row(tool), entries[tool.pk])]
        ]
        for tool, version in zip(tools, versions, strict=True):
            tool.version, tool.content_hash = version.number, version.content_hash
        ToolDefinition.objects.bulk_update(tools, ["version", "content_hash"])
        return ToolVersion.objects.bulk_create(versions)


def _judged_part(snapshot: ToolDocument) -> tuple[object, ...]:
    types = sorted((row.param_name, row.param_type) for row in snapshot.parameters)
    return snapshot.tool_type, snapshot.definition, snapshot.data_source, types
