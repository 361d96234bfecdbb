"""Checks a PostgreSQL data source: whether it can be reached, and whether its role can only read."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace

import psycopg

from gateways.check_report import ConnectionReport, Finding, Level, ok, refused, warning
from gateways.postgres.checks.attempts import find_time_limit, find_writes
from gateways.postgres.checks.connecting import ROLE_FAULTS, find_connect_fault
from gateways.postgres.checks.grants import find_callable, find_reading, find_writing
from gateways.postgres.checks.questions import Session, open_session
from gateways.postgres.checks.reader_role import fetch_owners, find_role_name, make_reader_sql
from gateways.postgres.checks.roles import find_callers_roles, find_owned, find_role
from gateways.postgres.checks.sessions import (
    find_limits,
    find_pooler,
    find_search_path,
    find_settings,
    find_texts,
    judge_encryption,
)
from gateways.postgres.exchange import ConnectionLostError, ReadOnlyQuery, ServerError
from gateways.postgres.products import Feature
from gateways.postgres.settings import PostgresSettings, read_search_path
from gateways.postgres.wire import WireConnection

logger = logging.getLogger(__name__)

INSPECTION_S = 12.0

Check = Callable[[WireConnection, PostgresSettings], Awaitable[list[Finding]]]

_SESSION_CHECKS: tuple[Check, ...] = (
    find_settings,
    find_pooler,
    find_search_path,
    find_limits,
    find_role,
)
# A superuser may do everything, so that there is nothing to look up.
_RIGHTS_CHECKS: tuple[Check, ...] = (
    find_callers_roles,
    find_owned,
    find_writing,
    find_callable,
    find_reading,
)
_PROOFS: tuple[Check, ...] = (find_writes, find_time_limit)

_TOO_SLOW = refused(
    "too-slow", "The server takes too long over the questions of this check. Check again later."
)
_CONNECTION_LOST = refused(
    "connection-lost", "The connection was lost during the check. Check again."
)

_IDENTITY_SQL = b"SELECT SESSION_USER, pg_catalog.current_database()"


async def inspect_postgres(settings: PostgresSettings) -> ConnectionReport:
    """What an administrator should know before tools read from this data source.

    Every fault of the data source is a finding. Takes about five seconds where nothing answers, and
    `INSPECTION_S` at most; leaves nothing in the database.
    """
    try:
        session = await open_session(settings)
    except (psycopg.Error, OSError, TimeoutError, UnicodeError) as error:
        fault = find_connect_fault(error, settings)
        logger.info("A data source cannot be connected to: %s", fault.code)
        schemas: dict[str, list[str]] = {
            name: [] for name in read_search_path(settings.search_path)
        }
        return ConnectionReport(
            role=settings.user,
            database=settings.database,
            findings=(fault,),
            role_sql=make_reader_sql(settings, settings.user, schemas)
            if fault.code in ROLE_FAULTS
            else "",
        )
    try:
        return await _Inspection(settings, session).report()
    finally:
        session.connection.close()


async def find_other_server(
    connection: WireConnection, settings: PostgresSettings
) -> list[Finding]:
    """What is left out on a server that only speaks PostgreSQL's protocol."""
    product = connection.product
    other = warning(
        "other-server",
        "The server is taken for {product}, which speaks PostgreSQL's protocol and was not tried"
        " with this program. There are no plans, keys and comments on it, only usual functions can"
        " be called, and the rights of the role are not judged: grant it nothing but SELECT.",
        product=product.label,
    )
    if not settings.identity:
        return [other]
    return [
        other,
        refused(
            "no-caller-identity",
            "{product} is not known to bind rows to a caller within one transaction. Leave the"
            " identity of the caller empty.",
            product=product.label,
        ),
    ]


class _Inspection:
    """One check over one connection; a question that fails is a finding, not an error."""

    def __init__(self, settings: PostgresSettings, session: Session) -> None:
        self._settings = settings
        self._connection = session.connection
        self._is_encrypted = session.is_encrypted
        self._findings: list[Finding] = []
        self._role = settings.user
        self._database = settings.database
        self._role_sql = ""

    async def report(self) -> ConnectionReport:
        product = self._connection.product
        server = f"{product.label} {self._connection.server_version.partition(' ')[0]}"
        try:
            async with asyncio.timeout(INSPECTION_S):
                if product.refusal is not None:
                    # What is tried below could be left behind there.
                    self._findings.append(Finding(Level.REFUSED, product.refusal))
                elif Feature.CATALOGUE in product.lacks:
                    await self._run((self._identify, find_other_server, find_texts, *_PROOFS))
                else:
                    await self._run((self._identify, *_SESSION_CHECKS))
                    if "superuser" not in {finding.code for finding in self._findings}:
                        await self._run(_RIGHTS_CHECKS)
                    await self._run((*_PROOFS, self._write_role_sql))
        except TimeoutError:
            self._findings.append(_TOO_SLOW)
        except ConnectionLostError:
            self._findings.append(_CONNECTION_LOST)
        return ConnectionReport(
            server=server,
            role=self._role,
            database=self._database,
            findings=tuple(self._findings),
            role_sql=self._role_sql,
        )

    async def _identify(
        self, connection: WireConnection, settings: PostgresSettings
    ) -> list[Finding]:
        [[self._role, self._database]] = await connection.fetch(ReadOnlyQuery(_IDENTITY_SQL))
        return [
            ok(
                "connected",
                "Connected to the database {database} as {role}.",
                database=self._database,
                role=self._role,
            ),
            judge_encryption(is_encrypted=self._is_encrypted, settings=settings),
        ]

    async def _run(self, checks: tuple[Check, ...]) -> None:
        for check in checks:
            try:
                self._findings += await check(self._connection, self._settings)
            except ServerError as error:
                self._findings.append(
                    refused(
                        "not-checked",
                        "Something could not be checked; the server says: {words}",
                        words=error.message,
                    )
                )

    async def _write_role_sql(
        self, connection: WireConnection, settings: PostgresSettings
    ) -> list[Finding]:
        codes = {finding.code for finding in self._findings if finding.level is not Level.OK}
        named = replace(settings, database=self._database)
        if role := find_role_name(named, codes):
            owners = await fetch_owners(connection, named)
            self._role_sql = make_reader_sql(named, role, owners)
        return []
