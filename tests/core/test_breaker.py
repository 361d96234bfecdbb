"""When a breaker opens, lets one call try, and closes."""

import pytest

from core.breaker import REST_S, Breaker
from core.toolspec import BreakerRule


def make_open(now: float = 100.0) -> Breaker:
    breaker = Breaker(BreakerRule(errors=2, minutes=1))
    for _ in range(2):
        breaker.note(now, failed=True, tried=False)
    return breaker


def test_as_many_errors_as_the_rule_says_open_it() -> None:
    breaker = Breaker(BreakerRule(errors=2, minutes=1))

    assert not breaker.note(100.0, failed=True, tried=False)
    assert breaker.wait_s(100.0) == 0
    assert breaker.note(101.0, failed=True, tried=False)
    assert breaker.wait_s(101.0) == REST_S


def test_errors_further_apart_than_the_rule_says_do_not() -> None:
    breaker = Breaker(BreakerRule(errors=2, minutes=1))

    assert not breaker.note(100.0, failed=True, tried=False)
    assert not breaker.note(160.0, failed=True, tried=False)
    assert not breaker.is_open


@pytest.mark.parametrize("failed", [False, None], ids=["worked", "unknown"])
def test_other_ends_count_for_nothing(failed: bool | None) -> None:
    breaker = Breaker(BreakerRule(errors=1, minutes=1))

    assert not breaker.note(100.0, failed=failed, tried=False)
    assert not breaker.is_open


def test_one_call_at_a_time_tries_after_the_rest() -> None:
    breaker = make_open()

    assert breaker.wait_s(100.0 + REST_S - 1) == 1
    assert breaker.wait_s(100.0 + REST_S) == 0
    assert breaker.wait_s(100.0 + REST_S) > 0


def test_call_that_works_closes_it_and_one_that_fails_opens_it_again() -> None:
    worked, failed = make_open(), make_open()
    later = 100.0 + REST_S
    for breaker in (worked, failed):
        breaker.wait_s(later)

    assert worked.note(later, failed=False, tried=True)
    assert not worked.is_open
    assert not failed.note(later, failed=True, tried=True)
    assert failed.wait_s(later) == REST_S


def test_call_that_shows_nothing_leaves_the_try_to_the_next() -> None:
    breaker = make_open()
    later = 100.0 + REST_S
    breaker.wait_s(later)

    assert not breaker.note(later, failed=None, tried=True)

    assert breaker.wait_s(later) == 0


def test_call_that_began_before_it_opened_does_not_close_it() -> None:
    breaker = make_open()

    assert not breaker.note(101.0, failed=False, tried=False)
    assert breaker.is_open
