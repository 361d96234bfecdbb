"""How wrong passwords are counted: each client's own, and nobody's name is locked for all."""

from datetime import timedelta

import pytest
from django.utils import timezone

from access.models import KnownClient, SignInAttempt
from access.sign_ins import (
    ADDRESS_LIMIT,
    KNOWN_FOR,
    LONGEST_WAIT,
    PAIR_LIMIT,
    WINDOW,
    start_sign_in,
)

pytestmark = pytest.mark.django_db

HOME = "10.0.0.1"


def fail(times: int, username: str = "ann", address: str = HOME) -> None:
    SignInAttempt.objects.bulk_create(
        SignInAttempt(username=username, address=address) for _ in range(times)
    )


def pass_time(time: timedelta) -> None:
    """Let what was counted be so much older."""
    for row in SignInAttempt.objects.all():
        SignInAttempt.objects.filter(pk=row.pk).update(at=row.at - time)


def test_last_free_attempt_may_go_on() -> None:
    fail(PAIR_LIMIT - 1)

    assert start_sign_in("ann", HOME).wait_minutes == 0


def test_wait_grows_with_each_wrong_password() -> None:
    fail(PAIR_LIMIT)
    waits = []
    for _ in range(6):
        waits.append(start_sign_in("ann", HOME).wait_minutes)
        pass_time(timedelta(minutes=waits[-1]))
        assert start_sign_in("ann", HOME).wait_minutes == 0

    assert waits == [1, 2, 4, 8, 15, 15]


def test_name_counts_in_any_case() -> None:
    fail(PAIR_LIMIT)

    assert start_sign_in("ANN", HOME).wait_minutes > 0


@pytest.mark.parametrize(
    ("username", "address"),
    [
        pytest.param("bob", HOME, id="another name"),
        pytest.param("ann", "10.0.0.2", id="another address"),
    ],
)
def test_others_are_not_refused(username: str, address: str) -> None:
    fail(PAIR_LIMIT)

    assert start_sign_in(username, address).wait_minutes == 0


def test_wrong_passwords_from_everywhere_lock_nobody_out() -> None:
    for number in range(200):
        fail(1, address=f"10.0.1.{number}")

    assert start_sign_in("ann", HOME).wait_minutes == 0


def test_one_address_cannot_try_many_names() -> None:
    for number in range(ADDRESS_LIMIT):
        fail(1, f"person {number}")

    assert start_sign_in("ann", HOME).wait_minutes > 0


def test_addresses_of_one_ipv6_network_are_one_client() -> None:
    for number in range(PAIR_LIMIT):
        start_sign_in("ann", f"2001:db8::{number}")

    assert start_sign_in("ann", "2001:db8::ffff").wait_minutes > 0
    assert start_sign_in("ann", "2001:db8:0:1::1").wait_minutes == 0


def test_known_address_is_not_held_up_by_what_others_there_try() -> None:
    start_sign_in("ann", HOME).succeed()
    for number in range(ADDRESS_LIMIT):
        fail(1, f"person {number}")

    assert start_sign_in("ann", HOME).wait_minutes == 0
    assert start_sign_in("bob", HOME).wait_minutes > 0


def test_known_browser_is_not_held_up_by_wrong_passwords_at_its_own_address() -> None:
    device = start_sign_in("ann", HOME).succeed()
    fail(PAIR_LIMIT)

    assert start_sign_in("ann", HOME, device).wait_minutes == 0
    assert start_sign_in("ann", HOME).wait_minutes > 0


def test_known_browser_is_held_up_by_its_own_wrong_passwords_wherever_it_is() -> None:
    device = start_sign_in("ann", HOME).succeed()
    for number in range(PAIR_LIMIT):
        start_sign_in("ann", f"10.0.2.{number}", device)

    assert start_sign_in("ann", "10.0.3.1", device).wait_minutes > 0


@pytest.mark.parametrize(
    ("username", "device"),
    [pytest.param("ann", "made up", id="unknown mark"), pytest.param("ann", "", id="none")],
)
def test_mark_of_nobody_opens_nothing(username: str, device: str) -> None:
    fail(PAIR_LIMIT)

    assert start_sign_in(username, HOME, device).wait_minutes > 0


def test_browser_known_for_one_name_is_not_for_another() -> None:
    device = start_sign_in("bob", HOME).succeed()
    fail(PAIR_LIMIT)

    assert start_sign_in("ann", HOME, device).wait_minutes > 0


def test_success_forgets_what_was_wrong() -> None:
    fail(PAIR_LIMIT - 1)

    start_sign_in("ann", HOME).succeed()

    assert not SignInAttempt.objects.exists()


def test_neither_address_nor_browser_is_stored_as_it_is() -> None:
    device = start_sign_in("ann", HOME).succeed()

    stored = str(list(KnownClient.objects.values()))
    assert HOME not in stored
    assert device not in stored


def test_clients_are_forgotten_when_nobody_comes_back() -> None:
    start_sign_in("ann", HOME).succeed()
    KnownClient.objects.update(at=timezone.now() - KNOWN_FOR - timedelta(seconds=1))

    start_sign_in("bob", HOME).succeed()

    assert not KnownClient.objects.filter(username="ann").exists()


def test_attempts_that_must_wait_do_not_prolong_it() -> None:
    fail(PAIR_LIMIT)

    start_sign_in("ann", HOME)

    assert SignInAttempt.objects.count() == PAIR_LIMIT


def test_attempts_are_forgotten_after_the_window() -> None:
    fail(PAIR_LIMIT + 10)
    assert start_sign_in("ann", HOME).wait_minutes == LONGEST_WAIT / timedelta(minutes=1)

    pass_time(WINDOW + timedelta(seconds=1))

    assert start_sign_in("ann", HOME).wait_minutes == 0
    assert SignInAttempt.objects.count() == 1


def test_names_longer_than_any_user_has_are_cut() -> None:
    start_sign_in("x" * 5_000, HOME)

    assert len(SignInAttempt.objects.get().username) == 150
