"""Reading from a streaming replica, in the pages that may: where queries go, and whether it is new enough."""

import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar, cast

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, Error, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet

logger = logging.getLogger(__name__)

REPLICA = "replica"
# Of what people and agents have made and done. Who somebody is and what they may is asked of the primary.
_APPS = frozenset({"catalog", "tools", "toolbuilder"})
_MODELS = frozenset({"callrecord", "callday", "durationday", "callerday"})
_POSITION = re.compile(r"([0-9A-F]{1,8})/([0-9A-F]{1,8})", re.ASCII)
Rows = TypeVar("Rows", bound="QuerySet[Any]")
_reads_from_replica = ContextVar("reads_from_replica", default=False)


@contextmanager
def reading_from_replica() -> Iterator[None]:
    """In this block, queries of calls, tools and the catalogue go to the replica."""
    token = _reads_from_replica.set(True)
    try:
        yield
    finally:
        _reads_from_replica.reset(token)


def reading_connection() -> BaseDatabaseWrapper:
    """Where queries go that are written as SQL."""
    return connections[REPLICA] if _reads_from_replica.get() else connection


def as_primary_has(rows: Rows) -> Rows:
    """The rows that the primary finds, whatever reads them: what somebody may must not wait for the replica."""
    if not _reads_from_replica.get():
        return rows
    found = rows.using(DEFAULT_DB_ALIAS).order_by().values_list("pk", flat=True)
    return cast("Rows", rows.model._default_manager.filter(pk__in=list(found)))


class ReplicaRouter:
    """Django's router: reads as the block says, everything else to the primary."""

    def db_for_read(self, model: type[Model], **_hints: Any) -> str:
        meta = model._meta
        is_copied = meta.app_label in _APPS or meta.model_name in _MODELS
        return REPLICA if is_copied and _reads_from_replica.get() else DEFAULT_DB_ALIAS

    def db_for_write(self, _model: type[Model], **_hints: Any) -> str:
        return DEFAULT_DB_ALIAS

    def allow_relation(self, *_rows: Model, **_hints: Any) -> bool:
        return True

    def allow_migrate(self, alias: str, _app_label: str, **_hints: Any) -> bool:
        return alias == DEFAULT_DB_ALIAS


def read_position() -> str:
    """Where the primary's log ends: what this process has committed is before it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn()")
        return str(cursor.fetchone()[0])


def parse_position(text: str) -> int:
    """A position of the log, such as 16/B374D848, as a number; 0 for a text that is none."""
    found = _POSITION.fullmatch(text)
    return (int(found[1], 16) << 32) + int(found[2], 16) if found else 0


class Replica:
    """Whether the replica may answer now; after a failure it is left alone for `REST_S`."""

    REST_S = 30.0

    def __init__(self) -> None:
        self._rests_until = 0.0

    def has(self, written: str) -> bool:
        """Whether it has all up to that position, and is at most DATABASE_REPLICA_MAX_LAG_S behind.

        It is so where its log ends where the primary's does, or the last commit that it has was made within
        that time, by the primary's clock.
        """
        if time.monotonic() < self._rests_until:
            return False
        try:
            with connections[REPLICA].cursor() as cursor:
                cursor.execute(
                    "SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn()::text, pg_last_xact_replay_timestamp()"
                )
                is_replica, replayed, last_commit = cursor.fetchone()
        except Error as error:
            self.rest(type(error).__name__)
            return False
        if not is_replica:
            self.rest("it is no replica any more")
            return False
        if parse_position(replayed or "") < parse_position(written):
            return False
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_current_wal_insert_lsn() <= %s::pg_lsn"
                " OR clock_timestamp() - %s::timestamptz <= make_interval(secs => %s)",
                [replayed, last_commit, settings.DATABASE_REPLICA_MAX_LAG_S],
            )
            return bool(cursor.fetchone()[0])

    def rest(self, reason: str) -> None:
        """Ask the primary alone for a while."""
        self._rests_until = time.monotonic() + self.REST_S
        logger.warning("pages are read from the primary for %g s: %s", self.REST_S, reason)
