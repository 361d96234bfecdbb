"""Figures over ranges say the same whether they come from calls or from counted days."""

from collections import Counter
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from access.history.days import midnight, roll_up_days, today
from access.history.figures import RANGES, RangeFigures, percentile, read_range
from access.models import CallDay, CallerDay
from tests.access.calls import make_call, make_calls

pytestmark = pytest.mark.django_db

DAYS = RANGES["90d"]


def noon(days_ago: int) -> datetime:
    return midnight(today() - timedelta(days=days_ago)) + timedelta(hours=12)


def make_history() -> None:
    make_call("sales", at=noon(60), caller="ann", client_name="Cursor", duration_ms=40.0)
    make_call("sales", at=noon(2), caller="ann", outcome="timeout", duration_ms=900.0)
    make_call("stock", at=noon(2), caller="bob", truncated=True, duration_ms=5.0)
    make_call("gone", at=noon(2), caller="bob", outcome="unknown_tool")
    make_call("", at=noon(2), outcome="refused")
    make_call("sales", caller="ann", duration_ms=20.0)


def shape(figures: RangeFigures) -> tuple[Any, ...]:
    return (
        [(slot.start, slot.calls, slot.errors, slot.p95_ms) for slot in figures.slots],
        figures.outcomes,
        figures.tools,
        figures.callers,
        figures.whole.truncated,
    )


def test_counted_days_and_calls_give_the_same_figures() -> None:
    make_history()
    from_calls = read_range(DAYS)

    roll_up_days()
    from_days = read_range(DAYS)

    assert CallDay.objects.exists()
    assert shape(from_days) == shape(from_calls)
    assert (from_days.whole.calls, from_days.whole.errors) == (5, 1)
    assert from_days.outcomes == [("timeout", 1)]
    assert [(tool.name, tool.calls, tool.errors) for tool in from_days.tools] == [
        ("sales", 3, 1),
        ("stock", 1, 0),
    ]
    assert [(one.name, one.client, one.calls) for one in from_days.callers] == [
        ("ann", "", 2),
        ("bob", "", 2),
        ("ann", "Cursor", 1),
    ]


def test_counting_again_counts_what_came_late_and_nothing_twice() -> None:
    make_history()
    roll_up_days()
    make_call("late", at=noon(0) - timedelta(days=1))

    roll_up_days()
    roll_up_days()

    calls = Counter(dict(CallDay.objects.values_list("tool_name", "calls")))
    assert calls["late"] == 1
    assert sum(CallDay.objects.values_list("calls", flat=True)) == 6
    assert sum(CallerDay.objects.values_list("calls", flat=True)) == 6


def test_calls_since_the_last_counted_day_are_in_the_figures() -> None:
    make_call("sales", at=noon(5))
    roll_up_days()
    make_call("sales", at=noon(5))
    make_call("sales", at=noon(3))

    figures = read_range(DAYS)

    assert [slot.calls for slot in figures.slots if slot.calls] == [2, 1]


def test_hours_end_with_the_present_one() -> None:
    make_calls(3)
    make_call(seconds_ago=3 * 86_400)

    day, week = read_range(RANGES["24h"]), read_range(RANGES["7d"])

    assert (day.whole.calls, week.whole.calls) == (3, 4)
    assert sum(slot.calls for slot in day.slots[-2:]) == 3
    assert day.slots[-1].start <= timezone.now() < day.slots[-1].start + timedelta(minutes=30)


def test_whole_days_of_a_week_are_read_in_their_figures() -> None:
    make_history()
    make_call("sales", at=RANGES["7d"].starts()[0] + timedelta(minutes=1), caller="ann")
    from_calls = read_range(RANGES["7d"])

    roll_up_days()
    assert shape(read_range(RANGES["7d"])) == shape(from_calls)
    CallDay.objects.filter(tool_name="stock").update(calls=70)

    tools = {tool.name: tool.calls for tool in read_range(RANGES["7d"]).tools}
    assert tools == {"sales": 3, "stock": 70}


def test_hidden_tools_are_in_no_figure() -> None:
    make_history()
    roll_up_days()

    figures = read_range(DAYS, hidden=["sales"])

    assert (figures.whole.calls, [tool.name for tool in figures.tools]) == (2, ["stock"])
    assert sum(figures.whole.durations.values()) == 2
    assert {one.name for one in figures.callers} == {"bob"}


def test_no_calls_are_no_figures() -> None:
    figures = read_range(DAYS)

    assert (figures.whole.calls, figures.whole.p95_ms, figures.whole.error_rate) == (0, None, 0.0)
    assert roll_up_days() is None


@pytest.mark.parametrize("share", [0.5, 0.95, 0.99])
def test_percentiles_are_at_most_five_percent_off(share: float) -> None:
    durations = [0.5 + number * 0.37 for number in range(1_000)]
    for number, duration in enumerate(durations):
        if number % 10 == 0:
            make_call(duration_ms=duration)
    exact = sorted(durations[::10])[int(share * 100) - 1]

    figures = read_range(RANGES["24h"])

    found = percentile(figures.whole.durations, share)
    assert found == pytest.approx(exact, rel=0.05)
