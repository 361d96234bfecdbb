"""A red case stands in the way of a publication, whichever way it comes, until somebody gives a reason."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.http import QueryDict
from django.utils import timezone

from catalog.sources.settings import SourceSettings
from core.cases.documents import CaseDocument
from core.cases.outcomes import CaseState
from core.errors import RedCasesError
from core.messages import counted, foreign, from_json, message
from toolbuilder.cases.running import run_cases, run_rows
from toolbuilder.editing.trial import TrialCaller
from toolbuilder.history.differences import find_renamed
from toolbuilder.models import ToolCase
from tools.definitions import ToolDocument

# Results of the same logic that are no older are not made again: the dialog shows them, then they count.
FRESH_FOR = timedelta(seconds=60)
MAX_REASON_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class CaseResults:
    """The cases of a tool by what came of them, and how many were skipped since the tool writes."""

    rows: Sequence[ToolCase] = ()
    skipped: int = 0

    @property
    def blocking(self) -> list[ToolCase]:
        """Those that are red or cannot run."""
        return [row for row in self.rows if row.state and CaseState(row.state).blocks]

    @property
    def slow(self) -> list[ToolCase]:
        """Those that are right, but too slow or too large."""
        return [row for row in self.rows if row.state == CaseState.SLOW]

    @property
    def may_accept(self) -> bool:
        """Whether each blocking case would be green with its last answer as the golden one."""
        return bool(self.blocking) and all(row.answer is not None for row in self.blocking)

    @property
    def has_doubts(self) -> bool:
        """Whether somebody should look before the tool is served."""
        return bool(self.blocking or self.slow)


def read_override(posted: QueryDict) -> str:
    """The reason for which a tool is served although a case is red; '' if the box is not ticked."""
    reason = posted.get("override_reason", "").replace("\0", "").strip()
    return reason[:MAX_REASON_CHARACTERS] if "overrides" in posted else ""


def check_cases(
    rows: Sequence[ToolCase],
    snapshot: ToolDocument,
    sources: SourceSettings,
    username: str,
    *,
    is_fresh_enough: bool = False,
) -> CaseResults:
    """The results against what would be served; raises DefinitionError where that cannot be read.

    With `is_fresh_enough`, those of the last minute with the same logic are taken as they are. Of a tool
    that writes, nothing is run: only what a person's run of the same logic said counts.
    """
    if not rows:
        return CaseResults()
    since, logic_hash = timezone.now() - FRESH_FOR, snapshot.logic_hash
    due = [
        row
        for row in rows
        if not (
            is_fresh_enough
            and row.logic_hash == logic_hash
            and row.ran_at
            and row.ran_at >= since
            and row.state
        )
    ]
    spec = snapshot.to_spec(sources)
    tool = rows[0].tool
    renamed = find_renamed(ToolDocument.of_row(tool), snapshot) if due and tool else None
    caller = TrialCaller(username=username)
    run_rows(due, spec, sources, caller, logic_hash=logic_hash, renamed=renamed)
    known = [row for row in rows if row.logic_hash == logic_hash]
    return CaseResults(known, skipped=len(rows) - len(known))


def require_green(
    rows: Sequence[ToolCase],
    snapshot: ToolDocument,
    sources: SourceSettings,
    username: str,
    *,
    given: Sequence[CaseDocument] | None = None,
) -> None:
    """Raise RedCasesError, naming them, if a case of what would be served is red or cannot run.

    `given` are judged instead of the stored ones, such as those of a file.
    """
    if given is not None:
        spec = snapshot.to_spec(sources)
        runs = run_cases(spec, given, sources, TrialCaller(username=username))
        red = [(run.case.name, run.verdict.sentence) for run in runs if run.verdict.state.blocks]
        total = len(given)
    else:
        results = check_cases(rows, snapshot, sources, username, is_fresh_enough=True)
        red = [
            (row.name, from_json(row.failure_message) or foreign(row.failure))
            for row in results.blocking
        ]
        total = len(results.rows)
    if red:
        raise RedCasesError(
            message(
                "case.red",
                counted(
                    "{count} of {total} cases is red: {names}. {reason}",
                    "{count} of {total} cases are red: {names}. {reason}",
                ),
                count=len(red),
                total=total,
                names=", ".join(name for name, _sentence in red[:10]),
                reason=red[0][1] or "",
            )
        )
