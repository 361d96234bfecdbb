"""Partitions of the table of calls: a month each, made ahead and dropped when they are old."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime

from django.db import connection, transaction

logger = logging.getLogger(__name__)

MONTHS_AHEAD = 3
TABLE = "h_call_record"
REST = f"{TABLE}_default"
# Calls that are being written go on after that, and the next run tries again.
_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '5s'"
# What is there says by its name which month it is.
_PARTITIONS = """
SELECT child.relname FROM pg_inherits
JOIN pg_class child ON child.oid = inhrelid
WHERE inhparent = to_regclass(%s) AND child.relname <> %s ORDER BY 1
"""
_MISSED = f"SELECT DISTINCT date_trunc('month', at AT TIME ZONE 'UTC') FROM {REST}"  # noqa: S608 - our names


def make_months(ahead: int = MONTHS_AHEAD) -> list[str]:
    """Names of the partitions that were made: of this month and those ahead, and of calls that had none.

    A partition whose calls are in the default one takes them over.
    """
    now = datetime.now(UTC)
    wanted = {_name(month) for month in _months_from(now.year, now.month, ahead)}
    with connection.cursor() as cursor:
        cursor.execute(_MISSED)
        wanted |= {_name((month.year, month.month)) for (month,) in cursor}
    missing = sorted(wanted - set(read_months()))
    for name in missing:
        _make_month(name)
    return missing


def drop_months(before: datetime) -> list[str]:
    """Names of the partitions that were dropped: those of whose calls none is younger."""
    ended = [name for name in read_months() if _bounds(name)[1] <= before]
    for name in ended:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(_LOCK_TIMEOUT)
            cursor.execute(f"DROP TABLE IF EXISTS {name}")
        logger.info("calls of a month are dropped: %s", name)
    return ended


def read_months() -> list[str]:
    """Names of the partitions of months, the oldest first."""
    with connection.cursor() as cursor:
        cursor.execute(_PARTITIONS, [TABLE, REST])
        return [name for (name,) in cursor]


def _make_month(name: str) -> None:
    start, end = _bounds(name)
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(_LOCK_TIMEOUT)
        # Attaching locks neither readers nor writers of other months out, as CREATE ... PARTITION OF does.
        cursor.execute(f"LOCK TABLE {REST} IN ACCESS EXCLUSIVE MODE")
        cursor.execute(f"CREATE TABLE IF NOT EXISTS {name} (LIKE {TABLE} INCLUDING DEFAULTS)")
        cursor.execute(
            f"WITH moved AS (DELETE FROM {REST} WHERE at >= %s AND at < %s RETURNING *)"  # noqa: S608
            f" INSERT INTO {name} SELECT * FROM moved",
            [start, end],
        )
        cursor.execute(
            f"ALTER TABLE {TABLE} ATTACH PARTITION {name} FOR VALUES FROM (%s) TO (%s)",
            [start, end],
        )
    logger.info("calls of a month have a partition: %s", name)


def _months_from(year: int, month: int, ahead: int) -> Iterator[tuple[int, int]]:
    for number in range(month - 1, month + ahead):
        yield year + number // 12, number % 12 + 1


def _name(month: tuple[int, int]) -> str:
    return f"{TABLE}_{month[0]:04}_{month[1]:02}"


def _bounds(name: str) -> tuple[datetime, datetime]:
    """The first moment of a partition's month, and of the next."""
    year, month = (int(part) for part in name.removeprefix(f"{TABLE}_").split("_"))
    _, after = _months_from(year, month, 1)
    return datetime(year, month, 1, tzinfo=UTC), datetime(*after, 1, tzinfo=UTC)
