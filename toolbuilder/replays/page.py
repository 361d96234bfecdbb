"""A replay as a page shows it: the bar, the figures, and the calls that are not the same, failing ones first."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.utils.functional import Promise
from django.utils.text import Truncator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from access.models import ApiKey
from access.reader_language import in_language
from access.views.gates import SEE_CALLS, SEE_KEYS
from core.formatting import format_cell
from toolbuilder.models import ReplayedCall, ReplayResult, ReplayState, ToolReplay
from toolbuilder.replays.differences import percentile_95

CALLS_SHOWN = 50
BAR_WIDTH = 1_000
# One call of a thousand is seen, too.
_LEAST_WIDTH = 14
_GAP = 3
_ARGUMENT_CHARACTERS = 60
# In the order of the bar; each with the colour of its part.
_PARTS: Mapping[ReplayResult, tuple[str, Promise]] = {
    ReplayResult.SAME: ("ok", _("same")),
    ReplayResult.WORKS_NOW: ("ok", _("work now")),
    ReplayResult.DIFFERS: ("warn", _("differ")),
    ReplayResult.STILL_FAILS: ("", _("still fail")),
    ReplayResult.FAILS_NOW: ("bad", _("fail now")),
}
_RANKS = (
    ReplayResult.FAILS_NOW,
    ReplayResult.DIFFERS,
    ReplayResult.WORKS_NOW,
    ReplayResult.STILL_FAILS,
)


@dataclass(frozen=True, slots=True)
class ReplayPart:
    """A part of the bar: how many sets of arguments came to that result; places are in BAR_WIDTH."""

    label: str
    tone: str
    count: int
    start: int
    width: int


@dataclass(frozen=True, slots=True)
class ShownCall:
    """A call; of what is the caller's own, this person may see neither `difference` nor error."""

    row: ReplayedCall
    tone: str
    arguments: list[tuple[str, str]]
    what: str
    caller: str
    difference: Mapping[str, Any] | None
    is_withheld: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownReplay:
    """A replay; `calls` is None where the person may not see calls, times are medians of none."""

    replay: ToolReplay
    parts: tuple[ReplayPart, ...]
    done: int
    total: int
    calls: tuple[ShownCall, ...] | None
    more: int
    old_ms: float | None
    new_ms: float | None
    old_tokens: int | None
    new_tokens: int | None

    @property
    def is_running(self) -> bool:
        return self.replay.state == ReplayState.RUNNING

    @property
    def is_stopped(self) -> bool:
        return self.replay.state == ReplayState.STOPPED


def show_replay(replay: ToolReplay, user: User) -> ShownReplay:
    """The replay as this person may see it; three queries."""
    rows = list(replay.calls.all())
    counts = Counter(row.result for row in rows)
    run = [row for row in rows if row.result != ReplayResult.PENDING]
    ranks = {result: rank for rank, result in enumerate(_RANKS)}
    listed = [row for row in run if row.result in ranks]
    listed.sort(key=lambda row: ranks[ReplayResult(row.result)])
    answered = [row for row in run if row.old_ms is not None and row.new_ms is not None]
    return ShownReplay(
        replay=replay,
        parts=tuple(_lay_out(counts)),
        done=len(run),
        total=len(rows),
        calls=_show_calls(listed[:CALLS_SHOWN], user) if user.has_perm(SEE_CALLS) else None,
        more=max(0, len(listed) - CALLS_SHOWN),
        old_ms=percentile_95([row.old_ms for row in answered if row.old_ms is not None]),
        new_ms=percentile_95([row.new_ms for row in answered if row.new_ms is not None]),
        old_tokens=_mean([row.old_tokens or 0 for row in answered]),
        new_tokens=_mean([row.new_tokens or 0 for row in answered]),
    )


def _lay_out(counts: Mapping[str, int]) -> Iterator[ReplayPart]:
    """The parts of the bar beside each other; what is not run yet is left free at its end."""
    total = sum(counts.values())
    found = [result for result in _PARTS if counts.get(result)]
    free = BAR_WIDTH - len(found) * _LEAST_WIDTH
    start = 0
    for result in found:
        tone, plural = _PARTS[result]
        label = result.label if counts[result] == 1 else plural
        width = _LEAST_WIDTH + free * counts[result] // total
        yield ReplayPart(str(label), tone, counts[result], start, width - _GAP)
        start += width


def _show_calls(rows: list[ReplayedCall], user: User) -> tuple[ShownCall, ...]:
    keys = {
        key.key_id: key
        for key in ApiKey.objects.filter(key_id__in={row.key_id for row in rows} - {""})
    }
    sees_all = user.has_perm(SEE_KEYS)
    shown = []
    for row in rows:
        key = keys.get(row.key_id)
        is_own = key is not None and key.owner_id == user.pk
        is_withheld = row.is_callers_own and not (sees_all or is_own)
        given = row.arguments if isinstance(row.arguments, dict) else {}
        shown.append(
            ShownCall(
                row=row,
                tone=_PARTS[ReplayResult(row.result)][0],
                arguments=[
                    (name, Truncator(format_cell(value)).chars(_ARGUMENT_CHARACTERS))
                    for name, value in given.items()
                ],
                what=_explain(row, is_withheld=is_withheld),
                caller=key.name if key else row.caller,
                difference=None if is_withheld else row.difference,
                is_withheld=is_withheld,
            )
        )
    return tuple(shown)


def _explain(row: ReplayedCall, *, is_withheld: bool) -> str:
    """What differs, in a sentence; an error may have facts of the caller in it."""
    if is_withheld and row.result != ReplayResult.DIFFERS:
        return gettext("The error is the caller's own.")
    return in_language(row.what_message or "")


def _mean(values: list[int]) -> int | None:
    return round(sum(values) / len(values)) if values else None
