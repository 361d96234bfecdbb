"""How often people may get their password wrong: counted for each name and address, never for a name alone."""

import hashlib
import math
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network

from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from access.models import KnownClient, SignInAttempt

# Wrong passwords count for so long.
WINDOW = timedelta(hours=1)
# So many are free, for one name from one address, and from one address in all.
PAIR_LIMIT = 5
ADDRESS_LIMIT = 50
# The next ones must wait, each twice as long as the one before.
FIRST_WAIT = timedelta(minutes=1)
LONGEST_WAIT = timedelta(minutes=15)
KNOWN_FOR = timedelta(days=180)
_IPV6_NETWORK_BITS = 64


@dataclass(frozen=True)
class StartedSignIn:
    """An attempt that counts until it succeeds; it must be refused while `wait_minutes` is not 0."""

    username: str
    address: str
    device: str
    wait_minutes: int

    def succeed(self) -> str:
        """Forget what was wrong before, and know this client from now on; returns the browser's mark.

        A browser that sends the mark back does not wait for what others get wrong.
        """
        device = self.device or secrets.token_urlsafe(32)
        marks = [_hash("address", self.address), _hash("device", device)]
        _attempts_of(self.username, self.address, marks[1]).delete()
        _attempts_of(self.username, self.address, "").delete()
        now = timezone.now()
        KnownClient.objects.filter(at__lt=now - KNOWN_FOR).delete()
        KnownClient.objects.bulk_create(
            [KnownClient(username=self.username, mark=mark, at=now) for mark in marks],
            update_conflicts=True,
            unique_fields=["username", "mark"],
            update_fields=["at"],
        )
        return device


def start_sign_in(username: str, address: str, device: str = "") -> StartedSignIn:
    """Count an attempt, before its password is looked at, so that many at once do not slip through.

    `device` is the mark that the browser has of an earlier success, or ''. An attempt that must wait
    is not counted: those who keep trying do not wait longer for it.
    """
    SignInAttempt.objects.filter(at__lt=timezone.now() - WINDOW).delete()
    name, place = username.lower()[:150], _network_of(address)
    marks = {"address": _hash("address", place), "device": _hash("device", device)}
    known = set(
        KnownClient.objects.filter(username=name, mark__in=marks.values()).values_list(
            "mark", flat=True
        )
    )
    own = marks["device"] if device and marks["device"] in known else ""
    row = SignInAttempt.objects.create(username=name, address=place, device=own)
    wait = _find_wait(row, PAIR_LIMIT, _attempts_of(name, place, own))
    if not own and marks["address"] not in known:
        total = SignInAttempt.objects.filter(address=place, device="")
        wait = max(wait, _find_wait(row, ADDRESS_LIMIT, total))
    if wait:
        row.delete()
    return StartedSignIn(name, place, device, math.ceil(wait / timedelta(minutes=1)))


def _attempts_of(username: str, address: str, device: str) -> "QuerySet[SignInAttempt]":
    """Of a known browser wherever it is, of others from the address."""
    where = Q(device=device) if device else Q(device="", address=address)
    return SignInAttempt.objects.filter(where, username=username)


def _find_wait(row: SignInAttempt, limit: int, attempts: "QuerySet[SignInAttempt]") -> timedelta:
    """How long `row` must wait for the attempts before it."""
    found = attempts.filter(pk__lt=row.pk).aggregate(count=Count("pk"), last=Max("at"))
    if (over := found["count"] - limit) < 0:
        return timedelta(0)
    wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** min(over, 10))
    until: datetime = found["last"] + wait
    return max(timedelta(0), until - timezone.now())


def _network_of(address: str) -> str:
    """The address as it is counted: one client has a whole network of IPv6 addresses."""
    try:
        if ip_address(address).version == 4:
            return address
        return str(ip_network(f"{address.partition('%')[0]}/{_IPV6_NETWORK_BITS}", strict=False))
    except ValueError:
        return address[:45]


def _hash(kind: str, text: str) -> str:
    return hashlib.sha256(f"{kind} {text}".encode()).hexdigest()
