"""Proof by trying: writes, two commands at once and a slow query, on the way that tools take."""

import asyncio
import secrets
from dataclasses import replace

import psycopg

from gateways.check_report import Finding, ok, refused, warning
from gateways.postgres.checks.questions import QUESTION_S, fetch_facts, open_session
from gateways.postgres.exchange import ConnectionLostError, ReadOnlyQuery, ServerError
from gateways.postgres.products import Feature
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.wire import WireConnection

_READ_ONLY, _NO_PRIVILEGE, _SYNTAX_ERROR = "25006", "42501", "42601"
_QUERY_CANCELED, _NO_FUNCTION = "57014", "42883"
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


async def find_writes(connection: WireConnection, _settings: PostgresSettings) -> list[Finding]:
    """Whether the server refuses every write that is tried; nothing is left behind."""
    # Where a transaction is not read-only, what is tried below could stay.
    if await connection.fetch(ReadOnlyQuery(b"SHOW transaction_read_only")) != [["on"]]:
        return [
            refused(
                "not-read-only",
                "The server does not keep a transaction read-only, so no write was tried. Tools"
                " cannot read from it.",
            )
        ]
    updates = []
    if Feature.CATALOGUE not in connection.product.lacks:
        updates = [row["sql"] for row in await fetch_facts(connection, _UPDATE_SQL)]
    name = f"toolbuilder_check_{secrets.token_hex(8)}"
    writes = [f"CREATE TEMP TABLE {name} (a int)", f"CREATE TABLE {name} (a int)", *updates]
    answers = [await _try(connection, sql) for sql in writes]
    together = await _try(connection, f"COMMIT; CREATE TEMP TABLE {name} (a int)")
    writing = refused(
        "write-accepted",
        "The server did not refuse a write inside a read-only transaction: something between us and"
        " the database changes what is sent, or the server is not PostgreSQL. It was rolled back."
        " Connect to the database itself.",
    )
    if all(answer in {_READ_ONLY, _NO_PRIVILEGE} for answer in answers):
        writing = ok(
            "writes-refused", "A write was tried in {ways} ways and refused.", ways=len(answers)
        )
    if together == _SYNTAX_ERROR:
        return [writing, ok("one-command", "Two commands in one text were refused.")]
    return [
        writing,
        refused(
            "two-commands",
            "The server did not refuse two commands in one text: something between us and the"
            " database changes what is sent. Connect to the database itself.",
        ),
    ]


async def _try(connection: WireConnection, sql: str) -> str | None:
    """The SQLSTATE with which the server refused, None when it did not."""
    try:
        async with asyncio.timeout(QUESTION_S):
            await connection.fetch(ReadOnlyQuery(sql.encode()))
    except ServerError as error:
        return error.sqlstate
    except ConnectionLostError:
        if connection.is_broken:
            raise
        # A command that succeeds gives no rows, which a query never does.
        await connection.settle()
    return None


async def find_time_limit(connection: WireConnection, settings: PostgresSettings) -> list[Finding]:
    """Whether the server itself stops a query that takes too long."""
    try:
        limited, _ = await open_session(replace(settings, statement_timeout_ms=_TIMEOUT_MS))
    except (psycopg.Error, OSError):
        untried = warning(
            "time-limit-untried",
            "A second connection could not be made, so the time limit was not tried. Raise the"
            " role's CONNECTION LIMIT.",
        )
        return [untried]
    try:
        answer = await _try(limited, "SELECT pg_catalog.pg_sleep(1)")
    finally:
        limited.close()
    if answer == _QUERY_CANCELED:
        return [
            ok("time-limit", "A query over a limit of {limit} ms was stopped.", limit=_TIMEOUT_MS)
        ]
    if answer == _NO_PRIVILEGE:
        return [ok("time-limit-set", "The time limit is set; the role may not sleep to try it.")]
    if answer == _NO_FUNCTION and Feature.CATALOGUE in connection.product.lacks:
        return [
            warning(
                "time-limit-unknown",
                "Whether the server stops a query that takes too long could not be tried. Calls end at"
                " their deadline all the same.",
            )
        ]
    return [
        refused(
            "time-limit-ignored",
            "The server did not stop a query that took longer than its statement_timeout: a"
            " connection pooler drops it. Connect to the database itself.",
        )
    ]
