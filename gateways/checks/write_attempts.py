"""Proof by trying: writes, two commands at once and a slow query, on the way that tools take."""

import asyncio
import secrets
from collections.abc import Sequence
from dataclasses import replace

import psycopg

from gateways.checks.postgres_session import QUESTION_S, fetch_facts, open_session
from gateways.checks.report import Finding, ok, refused, warning
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.wire import ConnectionLostError, ReadOnlyQuery, ServerError, WireConnection

_READ_ONLY, _NO_PRIVILEGE, _SYNTAX_ERROR = "25006", "42501", "42601"
_QUERY_CANCELED = "57014"
_TIMEOUT_MS = 50

# Nothing of it is ever changed: no row fits, the transaction only reads and is rolled back.
_UPDATE_SQL = """
SELECT pg_catalog.format('UPDATE %I.%I SET %I = %I WHERE false',
    n.nspname, c.relname, a.attname, a.attname) AS sql
FROM pg_catalog.pg_class AS c
JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0
WHERE c.relkind IN ('r', 'p') AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
    AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity = ''
    AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
    AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
LIMIT 1"""


async def find_writes(connection: WireConnection, settings: PostgresSettings) -> list[Finding]:
    """Whether the server refuses every write that is tried; nothing is left behind."""
    del settings
    updates = [row["sql"] for row in await fetch_facts(connection, _UPDATE_SQL)]
    name = f"toolbuilder_check_{secrets.token_hex(8)}"
    writes = [f"CREATE TEMP TABLE {name} (a int)", f"CREATE TABLE {name} (a int)", *updates]
    answers = [await _try(connection, sql) for sql in writes]
    together = await _try(connection, f"COMMIT; CREATE TEMP TABLE {name} (a int)")
    return [_judge_writes(answers), _judge_together(together)]


async def _try(connection: WireConnection, sql: str) -> str | None:
    """The SQLSTATE with which the server refused, None when it did not."""
    try:
        async with asyncio.timeout(QUESTION_S):
            query = ReadOnlyQuery(sql.encode(), [], [], 1)
            await connection.select(query, lambda _: True)
    except ServerError as error:
        return error.sqlstate
    except ConnectionLostError:
        if connection.is_broken:
            raise
        # A command that succeeds gives no rows, which a query never does.
        await connection.settle()
    return None


def _judge_writes(answers: Sequence[str | None]) -> Finding:
    if all(answer in {_READ_ONLY, _NO_PRIVILEGE} for answer in answers):
        return ok(
            "writes-refused", "A write was tried in {ways} ways and refused.", ways=len(answers)
        )
    return refused(
        "write-accepted",
        "The server did not refuse a write inside a read-only transaction: something between us and"
        " the database changes what is sent, or the server is not PostgreSQL. It was rolled back."
        " Connect to the database itself.",
    )


def _judge_together(answer: str | None) -> Finding:
    if answer == _SYNTAX_ERROR:
        return ok("one-command", "Two commands in one text were refused.")
    return refused(
        "two-commands",
        "The server did not refuse two commands in one text: something between us and the database"
        " changes what is sent. Connect to the database itself.",
    )


async def find_time_limit(connection: WireConnection, settings: PostgresSettings) -> list[Finding]:
    """Whether the server itself stops a query that takes too long."""
    del connection
    try:
        limited, _ = await open_session(replace(settings, statement_timeout_ms=_TIMEOUT_MS))
    except (psycopg.Error, OSError):
        return [
            warning(
                "time-limit-untried",
                "A second connection could not be made, so the time limit was not tried. Raise the"
                " role's CONNECTION LIMIT.",
            )
        ]
    try:
        answer = await _try(limited, "SELECT pg_catalog.pg_sleep(1)")
    finally:
        limited.close()
    return [_judge_time_limit(answer)]


def _judge_time_limit(answer: str | None) -> Finding:
    if answer == _QUERY_CANCELED:
        return ok(
            "time-limit", "A query over a limit of {limit} ms was stopped.", limit=_TIMEOUT_MS
        )
    if answer == _NO_PRIVILEGE:
        return ok("time-limit-set", "The time limit is set; the role may not sleep to try it.")
    return refused(
        "time-limit-ignored",
        "The server did not stop a query that took longer than its statement_timeout: a connection"
        " pooler drops it. Connect to the database itself.",
    )
