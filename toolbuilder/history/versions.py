"""Versions of tools: written whenever a tool or another program changes one, and listed with their calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db import transaction
from django.db.models import Case, Count, IntegerField, Max, QuerySet, Value, When

from access.figures import FAILED, OF_A_TOOL, CallFigures
from access.models import CallRecord
from toolbuilder.models import ToolVersion, VersionOrigin
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

# Tools read at a time: memory stays small with thousands of them.
CHUNK_SIZE = 500
PAGE_SIZE = 50
JUDGED_VERSIONS_READ = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionEntry:
    """What is noted of a version beside its content; `restored_from` is a version's number."""

    origin: VersionOrigin
    author: str = ""
    note: str = ""
    restored_from: int | None = None
    is_judged: bool = False


@dataclass(frozen=True, slots=True)
class VersionRow:
    """A version and the calls of its time; `is_now` says that it is what the tool says now."""

    version: ToolVersion
    figures: CallFigures
    is_now: bool


@dataclass(frozen=True, slots=True)
class VersionListing:
    """One page of versions, newest first. `is_unrecorded` says that another program wrote since."""

    rows: list[VersionRow]
    page: Page[ToolVersion]
    is_unrecorded: bool


OUTSIDE = VersionEntry(origin=VersionOrigin.OUTSIDE)


def record_version(tool: ToolDefinition, entry: VersionEntry) -> ToolVersion | None:
    """Write the tool's rows as its next version; None if the newest one says the same.

    The row is read again and locked until the transaction ends; `tool` gets its version.
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
    changed = [tool.pk for tool in tools.iterator(CHUNK_SIZE) if not is_recorded(tool)]
    chunks = (changed[at : at + CHUNK_SIZE] for at in range(0, len(changed), CHUNK_SIZE))
    return sum(len(_record(chunk, OUTSIDE)) for chunk in chunks)


def read_version(version: ToolVersion) -> ToolDocument:
    """What the version holds."""
    return ToolDocument.model_validate(version.document)


def is_recorded(tool: ToolDefinition) -> bool:
    """Whether the newest version says what the tool's rows say."""
    return bool(tool.version) and tool.content_hash == ToolDocument.of_row(tool).content_hash


def read_versions(
    tool: ToolDefinition, versions_seen: "QuerySet[ToolVersion]", page_number: int
) -> VersionListing:
    """The page of these versions of the tool; the same number of queries for any."""
    found = versions_seen.defer("document").order_by("-number")
    page = Paginator(found, PAGE_SIZE).get_page(page_number)
    versions = list(page.object_list)
    newer = found.filter(number__gt=versions[0].number).last() if versions else None
    figures = _read_figures(versions, newer.published_at if newer else None)
    is_unrecorded = not is_recorded(tool)
    rows = [
        VersionRow(
            version,
            figures.get(version.number, CallFigures()),
            not is_unrecorded and version.number == tool.version,
        )
        for version in versions
    ]
    return VersionListing(rows, page, is_unrecorded)


def was_judged(tool: ToolDefinition | None, snapshot: ToolDocument) -> bool:
    """Whether its database once accepted the same logic with parameters of the same types."""
    if tool is None:
        return False
    versions = ToolVersion.objects.filter(
        tool=tool, is_judged=True, document__definition=snapshot.definition
    )
    judged = _judged_part(snapshot)
    recent = versions.order_by("-number")[:JUDGED_VERSIONS_READ]
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
                restored_from=entry.restored_from,
                is_judged=entry.is_judged,
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


def _read_figures(versions: Sequence[ToolVersion], end: datetime | None) -> dict[int, CallFigures]:
    """By version number: calls since it was published and before the next one; one query."""
    if not versions:
        return {}
    calls = CallRecord.objects.filter(
        OF_A_TOOL,
        tool_name__in={version.tool_name for version in versions},
        at__gte=versions[-1].published_at,
    )
    calls = calls.filter(at__lt=end) if end else calls
    spans = [When(at__gte=version.published_at, then=Value(version.number)) for version in versions]
    number = Case(*spans, default=Value(0), output_field=IntegerField())
    rows = calls.order_by().annotate(version=number).values("version")
    counted = rows.annotate(calls=Count("pk"), errors=Count("pk", filter=FAILED))
    return {row["version"]: CallFigures(row["calls"], row["errors"]) for row in counted}
