"""What advances by steps: one request of a page takes a step, another may stop it, and a reload goes on."""

from datetime import timedelta
from typing import TypeVar

from django.db.models import QuerySet
from django.utils import timezone

from toolbuilder.playground.exchanges import step_timeout_s
from toolbuilder.playground.models import PlaygroundState, Stepped
from tools.source_loop import shared_loop

Row = TypeVar("Row", bound=Stepped)
_MARGIN = timedelta(seconds=10)


def hold_step(row: Row) -> bool:
    """Whether the next step of the row is the caller's; one whose process ended is free again after a while."""
    now = timezone.now()
    until = now + timedelta(seconds=step_timeout_s()) + _MARGIN
    running = _of(row).filter(state=PlaygroundState.RUNNING, revision=row.revision)
    is_free = running.filter(held_until=None) | running.filter(held_until__lt=now)
    row.held_until = until
    return bool(is_free.update(held_until=until))


def keep_step(row: Row, *fields: str) -> bool:
    """Whether the row was stored with what the step made of it; not if it was stopped meanwhile."""
    values = {name: getattr(row, name) for name in (*fields, "state")}
    same = _of(row).filter(revision=row.revision, state=PlaygroundState.RUNNING)
    kept = same.update(**values, held_until=None, revision=row.revision + 1)
    row.refresh_from_db()
    return bool(kept)


def stop_steps(row: Row) -> None:
    """Take no more steps, and stop the one that is under way in this process."""
    running = _of(row).filter(state=PlaygroundState.RUNNING)
    stopped = running.update(
        state=PlaygroundState.STOPPED, held_until=None, revision=row.revision + 1
    )
    if stopped:
        shared_loop().stop(key_of(row))
    row.refresh_from_db()


def resume_steps(row: Row) -> None:
    """Go on after a stop or a fault."""
    ended = _of(row).filter(state__in=(PlaygroundState.STOPPED, PlaygroundState.FAILED))
    ended.update(state=PlaygroundState.RUNNING, held_until=None, revision=row.revision + 1)
    row.refresh_from_db()


def key_of(row: Stepped) -> str:
    """Under which a step of the row runs."""
    return f"{row._meta.db_table}\0{row.pk}"


def _of(row: Row) -> QuerySet[Row]:
    return type(row)._default_manager.filter(pk=row.pk)
