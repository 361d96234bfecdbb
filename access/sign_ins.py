"""How often people may get their password wrong."""

import math
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone

from access.models import SignInAttempt

WINDOW = timedelta(minutes=15)
# For one name from one address, and in all: from one address, or for one name from anywhere.
PAIR_LIMIT = 5
TOTAL_LIMIT = 50


@dataclass(frozen=True)
class StartedSignIn:
    """An attempt that counts until it succeeds; it must be refused while `wait_minutes` is not 0."""

    username: str
    address: str
    wait_minutes: int

    def succeed(self) -> None:
        """Forget what was wrong before for this name from this address."""
        SignInAttempt.objects.filter(username=self.username, address=self.address).delete()


def start_sign_in(username: str, address: str) -> StartedSignIn:
    """Count an attempt, before its password is looked at, so that many at once do not slip through.

    One that must wait is not counted: who keeps trying does not wait longer for it.
    """
    SignInAttempt.objects.filter(at__lt=timezone.now() - WINDOW).delete()
    row = SignInAttempt.objects.create(username=username.lower()[:150], address=address[:45])
    wait_minutes = max(
        _wait_minutes(row, PAIR_LIMIT, Q(username=row.username, address=row.address)),
        _wait_minutes(row, TOTAL_LIMIT, Q(username=row.username)),
        _wait_minutes(row, TOTAL_LIMIT, Q(address=row.address)),
    )
    if wait_minutes:
        row.delete()
    return StartedSignIn(row.username, row.address, wait_minutes)


def _wait_minutes(row: SignInAttempt, limit: int, whose: Q) -> int:
    """Minutes until fewer than `limit` attempts before `row` are in the window."""
    earlier = SignInAttempt.objects.filter(whose, pk__lt=row.pk).order_by("-pk")
    times = list(earlier.values_list("at", flat=True)[limit - 1 : limit])
    if not times:
        return 0
    return max(1, math.ceil((times[0] + WINDOW - timezone.now()).total_seconds() / 60))
