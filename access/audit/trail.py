"""Entering events, and the check that no entry was changed, removed or put in."""

import json
from dataclasses import dataclass

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import User
from django.db import connection

from access.audit.actors import tell_actor
from access.audit.models import AuditAction

# Of the newest entries, where a page asks with each look at it.
QUICK = 1_000
_APPEND = "SELECT toolbuilder_audit_append(jsonb_populate_record(NULL::h_audit, %s))"
# The first entry that does not follow from the one before it; then the head, which names the last.
_CHECK = """
WITH entries AS (
    SELECT entry.number, entry.hash, toolbuilder_audit_hash(lag(entry.hash) OVER past, entry) AS expected,
        lag(entry.number, 1, CASE WHEN %(first)s = 1 THEN 0::bigint END) OVER past AS former
    FROM h_audit AS entry WHERE entry.number >= %(first)s
    WINDOW past AS (ORDER BY entry.number)
), broken AS (
    SELECT CASE WHEN number <> former + 1 THEN former + 1 ELSE number END AS at,
        number <> former + 1 AS is_gap
    FROM entries
    WHERE former IS NOT NULL AND (number <> former + 1 OR hash IS DISTINCT FROM expected)
    ORDER BY number LIMIT 1
), last AS (SELECT number, hash FROM entries ORDER BY number DESC LIMIT 1)
SELECT (SELECT count(*) FROM entries), (SELECT at FROM broken), (SELECT is_gap FROM broken),
    last.number, head.number, last.hash IS NOT DISTINCT FROM head.hash, encode(head.hash, 'hex')
FROM (SELECT 1) AS one LEFT JOIN last ON true LEFT JOIN h_audit_head AS head ON true
"""


@dataclass(frozen=True, slots=True)
class ChainCheck:
    """What a check of the chain found: how many entries it read, and the first broken number, None for none.

    `fault` is "missing" where that entry is gone, "changed" where it is not what was written, "head"
    where the trail's head does not fit its last entry. `head` is the newest hash in hexadecimal.
    """

    entries: int
    broken: int | None
    fault: str
    head: str

    @property
    def is_whole(self) -> bool:
        return self.broken is None


def record_event(
    action: AuditAction, kind: str, *, target_id: str = "", target_name: str = ""
) -> None:
    """Enter what is no change of a row, such as a sign-in; never with a secret in it."""
    entry = {"kind": kind, "action": action, "target_id": target_id, "target_name": target_name}
    connection.ensure_connection()
    tell_actor(connection)
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, [json.dumps(entry)])


def check_chain(newest: int | None = None) -> ChainCheck:
    """Whether the trail is what was written, by its newest entries or by all of them."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(number), 0) FROM h_audit")
        (last,) = cursor.fetchone()
        first = 1 if newest is None else max(1, last - newest)
        cursor.execute(_CHECK, {"first": first})
        entries, broken, is_gap, last, head, fits, digest = cursor.fetchone()
    if broken is not None:
        return ChainCheck(entries, broken, "missing" if is_gap else "changed", digest or "")
    last = last or 0
    if head is None or head < last or (last and head == last and not fits):
        return ChainCheck(entries, last, "head", digest or "")
    if head > last:
        return ChainCheck(entries, last + 1, "missing", digest or "")
    return ChainCheck(entries, None, "", digest or "")


def record_sign_in(action: AuditAction, user: AbstractBaseUser | None) -> None:
    """Enter it in the audit trail; None is a name that nobody has."""
    who = (str(user.pk), user.get_username()) if user else ("", "")
    record_event(action, User._meta.db_table, target_id=who[0], target_name=who[1])
