"""Whom a limit concerns, when its windows end, and what a refused caller reads."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from core.limits import Limit, LimitBook, LimitTarget, Measure

SEOUL = ZoneInfo("Asia/Seoul")
NOW = datetime(2026, 11, 23, 3, 4, 5, tzinfo=UTC)


def limit(target: LimitTarget, target_id: str = "", tool_name: str = "", **most: int) -> Limit:
    measures = tuple((Measure(name), number) for name, number in (most or {"max_count": 3}).items())
    return Limit(id=7, target=target, target_id=target_id, tool_name=tool_name, most=measures)


@pytest.mark.parametrize(
    ("row", "subject"),
    [
        pytest.param(limit(LimitTarget.USER, "hong"), "hong", id="its user"),
        pytest.param(limit(LimitTarget.USER, "kim"), None, id="another user"),
        pytest.param(limit(LimitTarget.USER), "hong", id="each user by itself"),
        pytest.param(limit(LimitTarget.KEY, "k1"), "k1", id="its key"),
        pytest.param(limit(LimitTarget.KEY, "k2"), None, id="another key"),
        pytest.param(limit(LimitTarget.TOOL), "sales", id="each tool by itself"),
        pytest.param(limit(LimitTarget.TOOL, tool_name="sales"), "", id="the tool"),
        pytest.param(limit(LimitTarget.TOOL, tool_name="stock"), None, id="another tool"),
        pytest.param(limit(LimitTarget.ALL), "", id="everybody"),
        pytest.param(limit(LimitTarget.ALL, tool_name="sales"), "", id="everybody, the tool"),
        pytest.param(limit(LimitTarget.ALL, tool_name="stock"), None, id="everybody, another tool"),
        pytest.param(limit(LimitTarget.KEY, "k1", "stock"), None, id="its key, another tool"),
    ],
)
def test_limit_concerns_its_target_alone(row: Limit, subject: str | None) -> None:
    found = LimitBook([row]).concerning("hong", "k1", "sales")

    assert [name for _, name in found] == ([] if subject is None else [subject])


def test_limit_of_a_tool_counts_on_when_the_tool_is_renamed() -> None:
    keys = []
    for name in ("sales", "revenue"):
        book = LimitBook([limit(LimitTarget.TOOL, tool_name=name)])
        keys += [window.key for window in book.windows(book.concerning("", "", name), NOW)]

    assert keys[0] == keys[1]


def test_caller_without_a_user_or_a_key_is_concerned_by_neither() -> None:
    book = LimitBook([limit(LimitTarget.USER), limit(LimitTarget.KEY)])

    assert book.concerning("", "", "sales") == ()


@pytest.mark.parametrize(
    ("zone", "now", "day", "ends_at"),
    [
        (SEOUL, NOW, "2026-11-23", datetime(2026, 11, 23, 15, tzinfo=UTC)),
        (UTC, NOW, "2026-11-23", datetime(2026, 11, 24, tzinfo=UTC)),
        pytest.param(
            ZoneInfo("Europe/Berlin"),
            datetime(2026, 10, 25, 12, tzinfo=UTC),
            "2026-10-25",
            datetime(2026, 10, 25, 23, tzinfo=UTC),
            id="a day of 25 hours",
        ),
        pytest.param(
            ZoneInfo("America/New_York"),
            datetime(2026, 3, 8, 12, tzinfo=UTC),
            "2026-03-08",
            datetime(2026, 3, 9, 4, tzinfo=UTC),
            id="a day of 23 hours",
        ),
    ],
)
def test_day_ends_at_midnight_of_the_zone(
    zone: ZoneInfo, now: datetime, day: str, ends_at: datetime
) -> None:
    assert LimitBook(zone=zone).day_of(now) == (day, ends_at)


def test_windows_of_different_days_are_different() -> None:
    book = LimitBook([limit(LimitTarget.ALL, max_count=3, per_minute=2, at_once=1)], SEOUL)
    found = book.concerning("", "", "sales")

    keys = [window.key for window in book.windows(found, NOW)]
    later = [window.key for window in book.windows(found, NOW.replace(hour=15))]

    assert keys[0] == "7:max_count:2026-11-23:"
    assert later[0] == "7:max_count:2026-11-24:"
    assert keys[1] != later[1]
    assert keys[2] == later[2]


@pytest.mark.parametrize(
    ("row", "text"),
    [
        pytest.param(
            limit(LimitTarget.USER, "hong", "sales"),
            "the limit of the user 'hong' is 3 calls of the tool sales a day; all of it is used, and it"
            " starts again at 2026-11-24 00:00:00 (Asia/Seoul), in 42,956 s",
            id="day",
        ),
        pytest.param(
            limit(LimitTarget.KEY, "k1", per_minute=60),
            "the limit of the key k1 is 60 calls of all tools a minute; all of it is used, and it"
            " starts again at 2026-11-23 12:05:00 (Asia/Seoul), in 56 s",
            id="minute",
        ),
        pytest.param(
            limit(LimitTarget.ALL, at_once=50),
            "the limit of all callers together is 50 calls of all tools at once; call again when one has"
            " ended",
            id="at once",
        ),
        pytest.param(
            limit(LimitTarget.TOOL, max_db_seconds=90),
            "the limit of all callers together is 90 seconds in the data sources of the tool sales a day;"
            " all of it is used, and it starts again at 2026-11-24 00:00:00 (Asia/Seoul), in 42,956 s",
            id="seconds",
        ),
    ],
)
def test_refused_caller_reads_which_limit_and_when_it_starts_again(row: Limit, text: str) -> None:
    book = LimitBook([row], SEOUL)
    [window] = book.windows(book.concerning("hong", "k1", "sales"), NOW)

    error = window.refuse(NOW, SEOUL)

    assert str(error) == text
    assert (error.retry_after_s > 0) is (window.ends_at is not None)


@pytest.mark.parametrize("measure", ["max_count", "at_once", "max_rows"])
def test_limit_of_nothing_names_no_time_at_which_it_would_be_more(measure: str) -> None:
    book = LimitBook([limit(LimitTarget.ALL, "", "", **{measure: 0})], SEOUL)
    [window] = book.windows(book.concerning("hong", "k1", "sales"), NOW)

    error = window.refuse(NOW, SEOUL)

    assert str(error).endswith(": none is allowed; ask your administrator")
    assert error.retry_after_s == 0
