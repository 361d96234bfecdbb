"""How wrong passwords are counted."""

from datetime import timedelta

import pytest
from django.utils import timezone

from access.models import SignInAttempt
from access.sign_ins import PAIR_LIMIT, TOTAL_LIMIT, WINDOW, start_sign_in

pytestmark = pytest.mark.django_db


def fail(times: int, username: str = "ann", address: str = "10.0.0.1") -> None:
    SignInAttempt.objects.bulk_create(
        SignInAttempt(username=username, address=address) for _ in range(times)
    )


def test_last_attempt_of_the_limit_may_go_on() -> None:
    fail(PAIR_LIMIT - 1)

    assert start_sign_in("ann", "10.0.0.1").wait_minutes == 0


def test_one_more_must_wait_for_the_window() -> None:
    fail(PAIR_LIMIT)

    assert start_sign_in("ann", "10.0.0.1").wait_minutes == 15


def test_name_counts_in_any_case() -> None:
    fail(PAIR_LIMIT)

    assert start_sign_in("ANN", "10.0.0.1").wait_minutes > 0


@pytest.mark.parametrize(
    ("username", "address"),
    [
        pytest.param("bob", "10.0.0.1", id="another name"),
        pytest.param("ann", "10.0.0.2", id="another address"),
    ],
)
def test_others_are_not_refused(username: str, address: str) -> None:
    fail(PAIR_LIMIT)

    assert start_sign_in(username, address).wait_minutes == 0


def test_one_address_cannot_try_many_names() -> None:
    for number in range(TOTAL_LIMIT):
        fail(1, f"person {number}")

    assert start_sign_in("ann", "10.0.0.1").wait_minutes > 0


def test_one_name_cannot_be_tried_from_many_addresses() -> None:
    for number in range(TOTAL_LIMIT):
        fail(1, address=f"10.0.1.{number}")

    assert start_sign_in("ann", "10.0.0.1").wait_minutes > 0


def test_success_forgets_what_was_wrong() -> None:
    fail(PAIR_LIMIT - 1)

    start_sign_in("ann", "10.0.0.1").succeed()

    assert not SignInAttempt.objects.exists()


def test_attempts_that_must_wait_do_not_prolong_it() -> None:
    fail(PAIR_LIMIT)

    start_sign_in("ann", "10.0.0.1")

    assert SignInAttempt.objects.count() == PAIR_LIMIT


def test_attempts_are_forgotten_after_the_window() -> None:
    fail(PAIR_LIMIT)
    SignInAttempt.objects.update(at=timezone.now() - WINDOW - timedelta(seconds=1))

    assert start_sign_in("ann", "10.0.0.1").wait_minutes == 0
    assert SignInAttempt.objects.count() == 1


def test_names_longer_than_any_user_has_are_cut() -> None:
    start_sign_in("x" * 5_000, "10.0.0.1")

    assert len(SignInAttempt.objects.get().username) == 150
