"""The tools of a file against those that are there: what would change, and the change itself."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.cases.documents import CaseDocument
from core.errors import ToolboxError
from toolbuilder.cases.rows import snapshot_cases
from toolbuilder.editing.publishing import publish_snapshot
from toolbuilder.exchange.exchanged import ExchangedTool
from toolbuilder.history.breaking_changes import BreakingChange, find_breaking_changes
from toolbuilder.history.differences import ToolDifference, compare
from toolbuilder.history.versions import VersionEntry
from toolbuilder.models import VersionOrigin
from tools.definitions import ToolDocument
from tools.models import ToolDefinition


class ImportConflict(StrEnum):
    """What becomes of a tool that is there and says something else."""

    FAIL = "fail"
    SKIP = "skip"
    REPLACE = "replace"


class ImportKind(StrEnum):
    """What a tool of the file is to those that are there."""

    NEW = "new"
    SAME = "same"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class PlannedTool:
    """A tool of the file, the stored one of its name with what it says, and what is different."""

    given: ExchangedTool
    stored: ToolDefinition | None = None
    base: ToolDocument | None = None
    difference: ToolDifference | None = None
    breaking: tuple[BreakingChange, ...] = ()
    has_other_cases: bool = False

    @property
    def kind(self) -> ImportKind:
        if self.stored is None:
            return ImportKind.NEW
        is_changed = bool(self.difference) or self.has_other_cases
        return ImportKind.CHANGED if is_changed else ImportKind.SAME


@dataclass(frozen=True, slots=True)
class ImportOutcome:
    """What became of a tool: published as that version, left alone (both None), or refused."""

    name: str
    version: int | None = None
    refusal: ToolboxError | None = None


def plan_import(tools: Iterable[ExchangedTool]) -> list[PlannedTool]:
    """What an import would do, in the order of the file; four queries, and nothing is written."""
    given = list(tools)
    names = [tool.snapshot.name for tool in given]
    rows = {tool.name: tool for tool in ToolDefinition.objects.whole().filter(name__in=names)}
    cases = snapshot_cases([row.pk for row in rows.values()])
    planned = []
    for tool in given:
        stored, new = rows.get(tool.snapshot.name), tool.snapshot
        if stored is None:
            planned.append(PlannedTool(tool))
            continue
        old = ToolDocument.of_row(stored)
        # Most tools of a folder are as they were, which is seen at once.
        difference = None if old == new else compare(old, new)
        breaking = find_breaking_changes(old, new) if difference else ()
        said = None if tool.cases is None else [case.to_document() for case in tool.cases]
        has_other_cases = said is not None and said != cases.get(stored.pk, [])
        planned.append(PlannedTool(tool, stored, old, difference, breaking, has_other_cases))
    return planned


def apply_import(
    plan: Iterable[PlannedTool],
    username: str,
    *,
    note: str = "",
    override_reason: str = "",
    unreviewed_because: str = "",
) -> Iterator[ImportOutcome]:
    """Publish the planned tools that are new or changed, each by itself; a refused one hinders no other.

    Tools that are there stay active or inactive. The rights of `username` on data sources count.
    One with a red test case is refused unless a reason overrides it.
    `unreviewed_because` is an operator's reason to go without a review.
    """
    entry = VersionEntry(
        origin=VersionOrigin.IMPORTED,
        author=username,
        note=note,
        override_reason=override_reason,
        unreviewed_because=unreviewed_because,
    )
    for planned in plan:
        given = planned.given
        if planned.kind is ImportKind.SAME:
            yield ImportOutcome(given.snapshot.name)
        else:
            yield import_tool(
                planned.stored,
                given.snapshot,
                entry,
                is_active=given.is_active,
                cases=given.cases,
                base=planned.base,
            )


def import_tool(
    stored: ToolDefinition | None,
    new: ToolDocument,
    entry: VersionEntry,
    *,
    is_active: bool,
    cases: Sequence[CaseDocument] | None = None,
    base: ToolDocument | None = None,
) -> ImportOutcome:
    """Publish one tool; a refusal is its outcome. `is_active` counts for a tool that is new."""
    try:
        publication = publish_snapshot(
            stored, new, entry, is_active=is_active, cases=cases, base=base
        )
    except ToolboxError as error:
        return ImportOutcome(new.name, refusal=error)
    return ImportOutcome(new.name, publication.version.number)
