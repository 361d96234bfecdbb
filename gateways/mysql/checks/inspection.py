"""Checks a data source of MariaDB or MySQL: whether it can be reached, and whether its role can only read."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from time import monotonic
from typing import NoReturn

from core.catalogue.sql_names import quote_exactly
from core.toolspec import Dialect
from gateways.check_report import ConnectionReport, Finding, Level, ok, refused, warning
from gateways.mysql.checks.faults import ROLE_FAULTS, find_connect_fault
from gateways.mysql.checks.rights import (
    find_reading,
    find_rights,
    make_reader_sql,
    needs_role_sql,
)
from gateways.mysql.connecting import (
    CONNECT_FAULTS,
    ReadingConnection,
    is_mariadb,
    open_session,
    server_name,
)
from gateways.mysql.errors import SYNTAX, TIMED_OUT
from gateways.mysql.questions import fetch
from gateways.mysql.settings import INSPECTION_S, MysqlSettings
from gateways.mysql.wire import MysqlConnection, MysqlConnectionLostError, MysqlServerError
from gateways.patience import patient_timeout

logger = logging.getLogger(__name__)

_QUESTION_S = 3.0
_FIRST_VERSIONS = {"MariaDB": (10, 6), "MySQL": (8, 0)}
# The server refuses a write in a transaction that only reads, or for want of a right.
_READ_ONLY, _NO_RIGHT = 1792, frozenset({1142, 1143, 1044, 1227, 1370})
_LIMIT_S = 0.05
# As MariaDB has it, and MySQL, where a sleep that is stopped is no error.
_LIMITED = (
    f"SET STATEMENT max_statement_time = {_LIMIT_S} FOR SELECT SLEEP(1)",
    f"SELECT /*+ MAX_EXECUTION_TIME({_LIMIT_S * 1_000:.0f}) */ count(*) FROM"  # noqa: S608
    " information_schema.collations a, information_schema.collations b, information_schema.collations c",
)

_TOO_SLOW = refused(
    "too-slow", "The server takes too long over the questions of this check. Check again later."
)
_CONNECTION_LOST = refused(
    "connection-lost", "The connection was lost during the check. Check again."
)
_ONE_TABLE = """
SELECT t.table_name, c.column_name FROM information_schema.tables t
JOIN information_schema.columns c ON c.table_schema = t.table_schema AND c.table_name = t.table_name
WHERE t.table_schema = DATABASE() AND t.table_type = 'BASE TABLE' AND c.extra = '' LIMIT 1"""
_SESSION = """
SELECT @@sql_mode, @@autocommit, @@max_user_connections, CURRENT_USER(), DATABASE()"""
# MySQL has the first name no more since 8.0, MariaDB the second since 11.1.
_READS_ONLY = "SHOW VARIABLES WHERE variable_name IN ('tx_read_only', 'transaction_read_only')"


@dataclass(frozen=True, slots=True)
class _Session:
    """An open session, and what its connection says of itself."""

    connection: MysqlConnection
    opened: ReadingConnection
    settings: MysqlSettings


async def inspect_mysql(settings: MysqlSettings) -> ConnectionReport:
    """What an administrator should know before tools read from this data source.

    Every fault of the data source is a finding. Takes `INSPECTION_S` at most, and what connecting takes;
    leaves nothing in the database.
    """
    try:
        async with patient_timeout(settings.connect_timeout_s):
            opened = await open_session(settings)
    except CONNECT_FAULTS as error:
        fault = find_connect_fault(error, settings.connect_timeout_s)
        logger.info("A data source cannot be connected to: %s", fault.code)
        role_sql = ""
        if fault.code in ROLE_FAULTS:
            role_sql = make_reader_sql(settings, "%", {fault.code}, is_mariadb=False)
        return ConnectionReport(
            role=settings.user, database=settings.database, findings=(fault,), role_sql=role_sql
        )
    connection = MysqlConnection(opened, _leave, _leave)
    try:
        return await _report(_Session(connection, opened, settings))
    finally:
        connection.close()


async def _leave(_thread_number: int) -> NoReturn:
    """The check gives a connection up that does not answer."""
    raise MysqlConnectionLostError


async def _report(session: _Session) -> ConnectionReport:
    findings: list[Finding] = []
    host = "%"
    try:
        async with asyncio.timeout(INSPECTION_S):
            session.connection.until = asyncio.get_running_loop().time() + INSPECTION_S
            [found] = await fetch(session.connection, _SESSION)
            states = {str(state) for _, state in await fetch(session.connection, _READS_ONLY)}
            host = str(found[3]).rpartition("@")[2]
            findings += _judge_session(session, found, reads_only=states == {"ON"})
            for ask in (find_rights, find_reading):
                findings += await _ask(ask, session)
            findings += await _ask(_try_writes, session)
            findings += await _ask(_try_limit, session)
    except TimeoutError:
        findings.append(_TOO_SLOW)
    except MysqlConnectionLostError:
        findings.append(_CONNECTION_LOST)
    except MysqlServerError as error:
        findings.append(_not_checked(error))
    codes = {finding.code for finding in findings if finding.level is not Level.OK}
    return ConnectionReport(
        server=server_name(session.opened),
        role=session.settings.user,
        database=session.settings.database,
        findings=tuple(findings),
        role_sql=make_reader_sql(
            session.settings, host, codes, is_mariadb=is_mariadb(session.opened)
        )
        if needs_role_sql(codes)
        else "",
    )


async def _ask(
    ask: Callable[[MysqlConnection, MysqlSettings], Awaitable[list[Finding]]], session: _Session
) -> list[Finding]:
    try:
        return await ask(session.connection, session.settings)
    except MysqlServerError as error:
        return [_not_checked(error)]


def _not_checked(error: MysqlServerError) -> Finding:
    return refused(
        "not-checked",
        "Something could not be checked; the server says: {words}",
        words=error.message,
    )


def _judge_session(
    session: _Session, found: tuple[object, ...], *, reads_only: bool
) -> Iterator[Finding]:
    mode, autocommit, most_connections, _user, database = found
    yield ok(
        "connected",
        "Connected to the database {database} as {role}.",
        database=str(database),
        role=session.settings.user,
    )
    yield _judge_encryption(session)
    product, numbers = server_name(session.opened).split(" ", 1)
    version = tuple(int(number) for number in numbers.split(".")[:2] if number.isdecimal())
    if version < (first := _FIRST_VERSIONS[product]):
        yield warning(
            "old-version",
            "This version of {product} is older than those that were tried ({version}).",
            product=product,
            version=".".join(map(str, first)),
        )
    names = {"ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"}
    if names.intersection(str(mode).split(",")) or not int(str(autocommit)) or not reads_only:
        yield refused(
            "settings-dropped",
            "The session's settings are not kept: something between us and the database changes them."
            " Connect to the database itself.",
        )
    else:
        yield ok("settings-kept", "The session's settings are kept.")
    needed = session.settings.pool_size + 1
    if not int(str(most_connections)):
        yield warning(
            "no-connection-limit",
            "The role may hold any number of connections. Set its MAX_USER_CONNECTIONS.",
        )
    elif int(str(most_connections)) < needed:
        yield warning(
            "connection-limit-too-small",
            "The role may hold {limit} connections, and one runtime needs {count}: one of them stops"
            " queries. Raise its MAX_USER_CONNECTIONS.",
            limit=int(str(most_connections)),
            count=needed,
        )


def _judge_encryption(session: _Session) -> Finding:
    if session.opened.is_encrypted:
        if session.settings.extra.get("sslmode") == "verify-full":
            return ok("encrypted", "The connection is encrypted and the server's name proven.")
        return warning(
            "encrypted-unverified",
            "The connection is encrypted, but the server's name is not proven. Set sslmode=verify-full"
            " and sslrootcert.",
        )
    try:
        is_local = ip_address(session.settings.host).is_loopback
    except ValueError:
        is_local = session.settings.host == "localhost"
    if is_local:
        return ok("local", "The server is on this machine, so nothing is encrypted.")
    return warning(
        "not-encrypted",
        "The connection is not encrypted. Turn TLS on at the server, and set sslmode=verify-full.",
    )


async def _try_writes(connection: MysqlConnection, _settings: MysqlSettings) -> list[Finding]:
    """Whether the server refuses writes that change no row, by themselves and in the place of a query."""
    rows = await fetch(connection, _ONE_TABLE)
    if not rows:
        return [ok("writes-untried", "There is no table yet that a write could be tried on.")]
    table, column = (quote_exactly(str(name), Dialect.MYSQL) for name in rows[0])
    writes = [
        f"INSERT INTO {table} SELECT * FROM {table} WHERE FALSE",  # noqa: S608 - names, quoted
        f"UPDATE {table} SET {column} = {column} WHERE FALSE",  # noqa: S608
        f"DELETE FROM {table} WHERE FALSE",  # noqa: S608
    ]
    answers = [await _try(connection, write) for write in writes]
    placed = [await _try(connection, f"(\n{write}\n) LIMIT 1") for write in writes]
    together = await _try(connection, "SELECT 1; SELECT 2")
    is_refused = all(answer == _READ_ONLY or answer in _NO_RIGHT for answer in answers)
    if is_refused and all(placed) and together:
        return [
            ok(
                "writes-refused",
                "A write was tried in {ways} ways and refused.",
                ways=len(answers) + len(placed),
            )
        ]
    return [
        refused(
            "write-accepted",
            "The server did not refuse a write inside a read-only transaction, or two commands in one"
            " text: something between us and the database changes what is sent. No row was changed."
            " Connect to the database itself.",
        )
    ]


async def _try(connection: MysqlConnection, sql: str) -> int:
    """The number of the error with which the server refused, 0 when it did not."""
    connection.until = asyncio.get_running_loop().time() + _QUESTION_S
    try:
        await fetch(connection, sql)
    except MysqlServerError as error:
        return error.number
    return 0


async def _try_limit(connection: MysqlConnection, _settings: MysqlSettings) -> list[Finding]:
    """Whether the server itself stops a query that takes too long."""
    started = monotonic()
    for sql in _LIMITED:
        if (number := await _try(connection, sql)) != SYNTAX:
            break
    if number in TIMED_OUT and monotonic() - started < 1:
        limit = round(_LIMIT_S * 1_000)
        return [ok("time-limit", "A query over a limit of {limit} ms was stopped.", limit=limit)]
    return [
        warning(
            "time-limit-untried",
            "The server's own time limit was not tried. Queries that take too long are stopped from a"
            " second connection.",
        )
    ]
