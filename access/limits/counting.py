"""What is used of limits, in PostgreSQL: kept there always, and counted there while Redis is away."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

import orjson
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import salted_hmac

from access.limits.models import LimitCount, LimitState, LimitTally, read_used
from core.limits import Window
from gateways.counters.counters import SharedCounters

# Used windows are kept so long after their end, for whoever asks what was used.
KEPT = timedelta(days=2)

_WRITE = """
INSERT INTO h_mcp_tool_limit_tally AS tally (key, runtime_id, used, ends_at)
SELECT key, %s, used, ends_at
FROM json_to_recordset(%s) AS written (key text, used bigint, ends_at timestamptz)
ON CONFLICT (key, runtime_id) DO UPDATE SET used = EXCLUDED.used
"""

_AGREE = """
WITH first AS (
    INSERT INTO h_mcp_tool_limit_state (id)
    SELECT 1 WHERE NOT EXISTS (SELECT FROM h_mcp_tool_limit_state) ON CONFLICT DO NOTHING
    RETURNING *
)
SELECT generation, in_postgres, living, before
FROM (TABLE h_mcp_tool_limit_state UNION ALL TABLE first) AS state, (
    SELECT count(*) AS living, count(*) FILTER (WHERE id < %s) AS before
    FROM h_runtime_instance WHERE last_seen_at > now() - interval '60 seconds'
) AS runtimes
"""


@dataclass(frozen=True, slots=True)
class Tally:
    """What this runtime has counted in a window so far."""

    key: str
    used: int
    ends_at: datetime


@dataclass(frozen=True, slots=True)
class Agreement:
    """What all runtimes agree on: who counts, and how many of them there are; `used` of asked windows.

    `before` is how many of the runtimes come before this one in an order that is the same for all.
    """

    generation: int
    in_postgres: bool
    runtimes: int
    before: int
    used: Mapping[str, int]

    def share_of(self, most: int) -> int:
        """How many of so many places are this runtime's: all of them together have all."""
        return most // self.runtimes + (self.before < most % self.runtimes)


def write_tallies(runtime_id: UUID, tallies: Sequence[Tally], asked: Collection[str]) -> Agreement:
    """Keep what this runtime has counted; tells who counts now, and what is used of the `asked` windows."""
    if tallies:
        rows = orjson.dumps(list(tallies)).decode()
        with connection.cursor() as cursor:
            cursor.execute(_WRITE, [runtime_id, rows])
    with connection.cursor() as cursor:
        row = None
        while row is None:
            # Of several runtimes that begin at once one makes the row; the others find it then.
            cursor.execute(_AGREE, [runtime_id])
            row = cursor.fetchone()
    generation, in_postgres, runtimes, before = row
    used = read_used(list(asked)) if asked else {}
    return Agreement(generation, in_postgres, max(1, runtimes), before, used)


def switch_to_postgres() -> None:
    """From now on PostgreSQL counts; counters in Redis are out of date."""
    working = LimitState.objects.filter(pk=1, in_postgres=False)
    working.update(in_postgres=True, generation=F("generation") + 1)


def take_in_postgres(windows: Sequence[Window]) -> int:
    """0 if each window gave a permit; the number, from 1, of one that has none left; -1 if Redis counts."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT toolbuilder_take_permits(%s, %s, %s)",
            [
                [window.key for window in windows],
                [window.most for window in windows],
                [window.ends_at for window in windows],
            ],
        )
        return int(cursor.fetchone()[0])


def switch_to_redis(counters: SharedCounters) -> None:
    """From now on Redis counts, from what PostgreSQL knows. Raises CountersAwayError, and nothing changed.

    Nobody can count in PostgreSQL meanwhile; counters of Redis are not touched if they are good.
    """
    with transaction.atomic():
        state = LimitState.objects.select_for_update().get(pk=1)
        if not state.in_postgres and counters.are_of(state.generation):
            return
        now = datetime.now(UTC)
        ends: dict[str, datetime] = {}
        for rows in (LimitCount.objects, LimitTally.objects):
            ends.update(rows.filter(ends_at__gt=now).values_list("key", "ends_at"))
        used = read_used(list(ends))
        lasting = {
            key: (count, int((ends[key] - now).total_seconds())) for key, count in used.items()
        }
        state.generation += 1
        counters.begin(state.generation, lasting)
        state.in_postgres = False
        state.save()


def forget_ended_windows() -> int:
    """Delete what was used of windows that ended two days ago; how many rows those were."""
    ended = timezone.now() - KEPT
    rows = (LimitCount.objects, LimitTally.objects)
    return sum(table.filter(ends_at__lt=ended).delete()[0] for table in rows)


def open_counters() -> SharedCounters | None:
    """The counters of this installation in Redis; None where there is no REDIS_URL."""
    if not settings.REDIS_URL:
        return None
    # What is not there is not even imported: the client takes 8 MiB of each process.
    from gateways.counters.redis_counters import RedisCounters  # noqa: PLC0415

    # Several installations may share a server.
    name = salted_hmac("limits", "", algorithm="sha256").hexdigest()[:12]
    return RedisCounters(settings.REDIS_URL, f"toolbuilder:{name}:")
