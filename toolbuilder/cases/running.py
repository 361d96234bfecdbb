"""Cases run as calls are run, with the same caps, deadline and role; what came of each is kept."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any

from django.utils import timezone

from access.reader_language import to_columns
from catalog.sources.settings import SourceSettings
from core.answer_differences import AnswerDifference, ComparedAnswer, RowKind
from core.bindings import is_bound
from core.cases.documents import MAX_GOLDEN_BYTES, CaseDocument
from core.cases.outcomes import CaseOutcome, CaseState, CaseVerdict, answer_size
from core.errors import (
    DataSourceBusyError,
    DataSourceUnavailableError,
    LimitError,
    ScriptsBusyError,
    StoppedError,
)
from core.formatting import format_cell
from core.http_logic import is_writing
from core.messages import Message, message
from core.results import Answer
from core.toolspec import JsonValue, ToolSpec
from toolbuilder.cases.rows import read_row
from toolbuilder.editing.running import runnable
from toolbuilder.editing.trial import TrialCaller
from toolbuilder.models import ToolCase
from tools.timed_runs import run_timed

# So long people wait for all cases together, when they run them and when they publish.
TOTAL_SECONDS = 60.0
ROWS_SHOWN = 50
_CELL_CHARACTERS = 80
# They say nothing of the tool.
_NOT_ITS_FAULT = (
    DataSourceUnavailableError,
    DataSourceBusyError,
    ScriptsBusyError,
    LimitError,
    StoppedError,
)
_SKIPPED_TEXT = message(
    "case.skipped",
    "Not run: the tool writes, so its cases run only when somebody presses Run in the editor.",
)
_RESULT_COLUMNS = (
    "state", "failure", "failure_message", "difference", "answer", "elapsed_ms", "ran_at", "logic_hash",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CaseRun:
    """A case that ran, or could not; `outcome` is None then."""

    case: CaseDocument
    verdict: CaseVerdict
    outcome: CaseOutcome | None = None


def run_cases(
    spec: ToolSpec,
    cases: Iterable[CaseDocument],
    sources: SourceSettings,
    caller: TrialCaller,
    *,
    total_seconds: float = TOTAL_SECONDS,
    is_asked_for: bool = False,
) -> list[CaseRun]:
    """Each case with its verdict, in their order.

    What is left when the seconds are over, or when `stop_trial` stops a run, cannot run. The rights of
    `caller` on the data source count; whom the tool takes for its caller is the case's. The cases of
    a tool that writes are skipped unless it `is_asked_for` by a person.
    """
    if is_writing(spec.logic) and not is_asked_for:
        skipped = CaseVerdict(state=CaseState.SKIPPED, failures=(_SKIPPED_TEXT,))
        return [CaseRun(case, skipped) for case in cases]
    ends_at, runs, is_stopped = monotonic() + total_seconds, [], False
    for case in cases:
        reason = find_obstacle(spec, case)
        if is_stopped:
            reason = message("case.stopped", "The run was stopped before it.")
        elif reason is None and monotonic() > ends_at:
            reason = message(
                "case.no_time",
                "Not run: all cases together may take {seconds} seconds.",
                seconds=round(total_seconds),
            )
        run = _refuse(case, reason) if reason else run_case(spec, case, sources, caller)
        runs.append(run)
        is_stopped |= any(failure.code == "run.stopped" for failure in run.verdict.failures)
    return runs


def find_obstacle(spec: ToolSpec, case: CaseDocument) -> Message | None:
    """Why the case cannot run: it gives an argument that the tool does not take, and expects no error."""
    taken = {parameter.name for parameter in spec.parameters if not is_bound(parameter)}
    strange = sorted(case.arguments.keys() - taken)
    expects_error = any(expected.check == "error" for expected in case.expects)
    if not strange or expects_error:
        return None
    return message(
        "case.no_parameter",
        "The tool has no parameter {name} any more; edit the case or delete it.",
        name=strange[0],
    )


def run_case(
    spec: ToolSpec, case: CaseDocument, sources: SourceSettings, caller: TrialCaller
) -> CaseRun:
    """The case with its verdict; it can be stopped by `stop_trial`."""
    run = run_timed(
        runnable(spec),
        case.arguments,
        sources,
        case.caller,
        caller=caller.username,
        key=caller.key,
    )
    match run.result:
        case Answer() as answer:
            outcome = CaseOutcome.of_answer(answer, run.elapsed_ms)
        case error if isinstance(error, _NOT_ITS_FAULT):
            return _refuse(case, error.message)
        case error:
            outcome = CaseOutcome.of_error(error.message, run.elapsed_ms)
    return CaseRun(case, case.judge(outcome), outcome)


def run_rows(
    rows: Sequence[ToolCase],
    spec: ToolSpec,
    sources: SourceSettings,
    caller: TrialCaller,
    *,
    logic_hash: str,
    renamed: Mapping[str, str] | None = None,
    total_seconds: float = TOTAL_SECONDS,
    is_asked_for: bool = False,
) -> list[CaseRun]:
    """Run stored cases as `run_cases` does, and keep what came of each that was not skipped in its row.

    `renamed` has names that parameters have in `spec`, by those that they are stored with.
    """
    runs = run_cases(
        spec,
        [read_row(row).rename_arguments(renamed or {}) for row in rows],
        sources,
        caller,
        total_seconds=total_seconds,
        is_asked_for=is_asked_for,
    )
    now = timezone.now()
    ran = [
        pair for pair in zip(rows, runs, strict=True) if pair[1].verdict.state != CaseState.SKIPPED
    ]
    for row, run in ran:
        verdict, outcome = run.verdict, run.outcome
        columns: dict[str, Any] = {
            "state": verdict.state.value,
            **to_columns("failure", verdict.sentence),
            "difference": show_difference(verdict.difference) if verdict.difference else None,
            "answer": _kept_answer(run),
            "elapsed_ms": outcome.elapsed_ms if outcome else None,
            "ran_at": now,
            "logic_hash": logic_hash,
        }
        for name, value in columns.items():
            setattr(row, name, value)
    # A case that was changed or deleted meanwhile keeps what is there of it.
    for row, _run in ran:
        kept = ToolCase.objects.filter(pk=row.pk, content_hash=row.content_hash)
        kept.update(**{name: getattr(row, name) for name in _RESULT_COLUMNS})
    return runs


def show_difference(difference: AnswerDifference) -> dict[str, JsonValue]:
    """The difference as JSON for a page: at most fifty rows or values, each text at most 80 characters.

    A cell is [old, new], or [value] where nothing changed.
    """
    rows: list[JsonValue] = []
    for row in difference.rows[:ROWS_SHOWN]:
        old, new = row.old or (), row.new or ()
        cells: list[list[str]] = []
        for place in range(len(difference.columns)):
            if row.kind is RowKind.CHANGED and place in row.cells:
                cells.append([_clip(old[place]), _clip(new[place])])
            else:
                cells.append([_clip((new or old)[place])])
        rows.append({"kind": row.kind.value, "number": row.number, "cells": cells})
    values = [
        {"path": value.path, "old": _clip(value.old), "new": _clip(value.new)}
        for value in difference.values[:ROWS_SHOWN]
    ]
    left_out = len(difference.rows) + len(difference.values) - len(rows) - len(values)
    return {
        "columns": list(difference.columns),
        "rows": rows,
        "values": values,
        "left_out": left_out,
        "same_rows": difference.same_rows,
        "has_same_columns": not (difference.added_columns or difference.removed_columns),
    }


def _kept_answer(run: CaseRun) -> JsonValue:
    """The answer that may become the golden one, where it differs from it."""
    answer: ComparedAnswer | None = run.outcome.answer if run.outcome else None
    if answer is None or run.verdict.difference is None:
        return None
    return answer.to_document() if answer_size(answer) <= MAX_GOLDEN_BYTES else None


def _refuse(case: CaseDocument, reason: Message) -> CaseRun:
    return CaseRun(case, CaseVerdict(state=CaseState.CANNOT_RUN, failures=(reason,)))


def _clip(value: JsonValue) -> str:
    text = "NULL" if value is None else format_cell(value)
    return text if len(text) <= _CELL_CHARACTERS else f"{text[: _CELL_CHARACTERS - 1]}…"
