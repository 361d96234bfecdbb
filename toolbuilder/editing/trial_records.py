"""Test runs that are kept: the last ten of each person on each tool, to be repeated."""

from collections.abc import Mapping
from dataclasses import replace

from django.db.models import QuerySet

from access.reader_language import to_columns
from core.toolspec import JsonValue
from toolbuilder.editing.drafts import Work
from toolbuilder.editing.http_exchanges import answer_to_keep
from toolbuilder.editing.trial import Trial
from toolbuilder.models import ToolTrial

KEPT = 10


def read_trials(work: Work, username: str) -> list[ToolTrial]:
    """The person's last test runs of the work, newest first; one query."""
    return list(_trials_of(work, username)[:KEPT])


def with_last_values(work: Work, username: str) -> Work:
    """The work, with the arguments of the person's last run if there is no draft to hold them."""
    if work.draft:
        return work
    last = _trials_of(work, username).values_list("arguments", flat=True).first()
    names = {row.param_name for row in work.document.tool.parameters}
    values = last if isinstance(last, dict) else {}
    known = {name: value for name, value in values.items() if name in names}
    return replace(work, document=replace(work.document, test_values=known))


def record_trial(
    work: Work, username: str, arguments: Mapping[str, JsonValue], trial: Trial
) -> ToolTrial:
    """Keep a run of what the work's document says; older ones than the last ten go.

    What an HTTP service said last is kept with it, and with no run before it.
    """
    before = _trials_of(work, username).exclude(answer="")
    last = before.values_list("answer", flat=True).first() or ""
    answer = answer_to_keep(list(trial.exchanges)) or (last if trial.exchanges else "")
    before.update(answer="")
    made = ToolTrial.objects.create(
        tool=work.tool,
        draft=None if work.tool else work.draft,
        username=username,
        arguments=dict(arguments),
        **to_columns("error", trial.error),
        row_count=len(trial.rows) if trial.columns else None,
        duration_ms=trial.elapsed_ms,
        tokens=trial.tokens,
        logic_hash=work.document.tool.logic_hash,
        answer=answer,
    )
    kept = _trials_of(work, username).values_list("pk", flat=True)[:KEPT]
    _trials_of(work, username).exclude(pk__in=list(kept)).delete()
    return made


def _trials_of(work: Work, username: str) -> "QuerySet[ToolTrial]":
    if work.tool:
        return ToolTrial.objects.filter(tool=work.tool, username=username)
    return ToolTrial.objects.filter(draft=work.draft, username=username)
