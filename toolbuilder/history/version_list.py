"""A tool's versions with what was called of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.core.paginator import Page, Paginator
from django.db.models import Case, Count, IntegerField, QuerySet, Value, When

from access.figures import FAILED, OF_A_TOOL, CallFigures
from access.models import CallRecord
from toolbuilder.models import ToolVersion
from tools.definitions import ToolDocument
from tools.models import ToolDefinition

PAGE_SIZE = 50


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


def read_versions(
    tool: ToolDefinition, versions_seen: "QuerySet[ToolVersion]", page_number: int
) -> VersionListing:
    """The page of these versions of the tool; the same number of queries for any."""
    found = versions_seen.defer("document").order_by("-number")
    page = Paginator(found, PAGE_SIZE).get_page(page_number)
    versions = list(page.object_list)
    newer = found.filter(number__gt=versions[0].number).last() if versions else None
    figures = _read_figures(versions, newer.published_at if newer else None)
    is_unrecorded = not is_recorded(tool, ToolDocument.of_row(tool))
    rows = [
        VersionRow(
            version,
            figures.get(version.number, CallFigures()),
            not is_unrecorded and version.number == tool.version,
        )
        for version in versions
    ]
    return VersionListing(rows, page, is_unrecorded)


def is_recorded(tool: ToolDefinition, now: ToolDocument) -> bool:
    """Whether the newest version says what the tool's rows say."""
    return bool(tool.version) and tool.content_hash == now.content_hash


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
    spans = [When(at__gte=one.published_at, then=Value(one.number)) for one in versions]
    version = Case(*spans, default=Value(0), output_field=IntegerField())
    rows = calls.order_by().annotate(version=version).values("version")
    counted = rows.annotate(calls=Count("pk"), errors=Count("pk", filter=FAILED))
    return {row["version"]: CallFigures(row["calls"], row["errors"]) for row in counted}
