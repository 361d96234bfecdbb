"""The check of a PostgreSQL data source that cannot be reached, or not directly."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from gateways.check_report import ConnectionReport, Level
from gateways.postgres.checks.connecting import find_connect_fault
from gateways.postgres.checks.inspection import inspect_postgres
from gateways.postgres.settings import PostgresSettings

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
Change = Callable[[bytes], bytes]
SECRET = "wrong-s3cret"


@asynccontextmanager
async def listening(handler: Handler) -> AsyncIterator[int]:
    """The port of a server of ours; ends when its clients have gone."""
    tasks: list[asyncio.Task[None]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.append(task)
        with suppress(ConnectionError):
            await handler(reader, writer)
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
        await asyncio.gather(*tasks)


@asynccontextmanager
async def between(settings: PostgresSettings, change: Change) -> AsyncIterator[PostgresSettings]:
    """Settings that lead through a proxy; `change` is given what is sent to the real server."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection(settings.host, settings.port)
        await asyncio.gather(
            copy(reader, up_writer, change),
            copy(up_reader, writer, lambda data: data),
            return_exceptions=True,
        )

    async with listening(handle) as port:
        # Without TLS, of which a proxy could change nothing.
        yield replace(settings, host="127.0.0.1", port=port, extra={"sslmode": "disable"})


async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, change: Change) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(change(data))
            await writer.drain()
    finally:
        writer.close()


def codes(report: ConnectionReport, level: Level) -> set[str]:
    return {finding.code for finding in report.findings if finding.level is level}


async def is_silent(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read()


async def speaks_http(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(8)
    writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")


async def hangs_up(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
    await reader.read(8)


async def refuses_options(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """As PgBouncer answers without `ignore_startup_parameters`."""
    await reader.read(8)
    writer.write(b"N")
    await reader.read(65_536)
    fields = b"SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter: options\0\0"
    writer.write(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"password": SECRET}, "wrong-password"),
        ({"password": ""}, "no-password"),
        ({"user": "nobody-else"}, "wrong-password"),
        ({"database": "no-such"}, "unknown-database"),
        ({"host": "no-such-host.invalid"}, "unknown-host"),
        ({"host": "x" * 300}, "unknown-host"),
        ({"host": "/no/such/folder"}, "connection-refused"),
        ({"port": 1}, "connection-refused"),
        ({"extra": {"sslmode": "require"}}, "no-tls"),
        ({"extra": {"sslmode": "always"}}, "wrong-option"),
        ({"extra": {"ssl_mode": "require"}}, "wrong-option"),
        ({"search_path": "a b"}, "wrong-setting"),
        ({"time_zone": "Nowhere"}, "wrong-setting"),
        ({"extra": {"target_session_attrs": "standby"}}, "connection-failed"),
    ],
    ids=str,
)
async def test_wrong_settings_are_a_clear_refusal(
    settings: PostgresSettings, changes: dict[str, Any], code: str
) -> None:
    wrong = replace(settings, **changes)

    report = await inspect_postgres(wrong)

    [finding] = report.findings
    assert (finding.level, finding.code) == (Level.REFUSED, code)
    assert report.is_unreachable
    for secret in (settings.password, SECRET, wrong.host, str(wrong.port)):
        assert secret not in finding.text.split()


@pytest.mark.parametrize(
    ("handler", "code"),
    [
        (is_silent, "no-answer"),
        (speaks_http, "not-postgresql"),
        (hangs_up, "not-postgresql"),
        (refuses_options, "pooler-refuses-options"),
    ],
    ids=["silent", "http", "hangs-up", "pooler"],
)
async def test_what_listens_instead_of_postgresql_is_told(
    settings: PostgresSettings, handler: Handler, code: str
) -> None:
    async with listening(handler) as port:
        # Only the silent one is waited for.
        limit_s = 0.3 if handler is is_silent else 30
        other = replace(settings, port=port, connect_timeout_s=limit_s)

        report = await inspect_postgres(other)

    assert codes(report, Level.REFUSED) == {code}


async def test_unknown_role_gets_the_sql_that_makes_it(settings: PostgresSettings) -> None:
    report = await inspect_postgres(replace(settings, user="new_reader"))

    assert 'CREATE ROLE "new_reader" LOGIN' in report.role_sql
    assert settings.password not in report.role_sql


async def test_closed_port_gets_no_sql(settings: PostgresSettings) -> None:
    assert (await inspect_postgres(replace(settings, port=1))).role_sql == ""


async def test_role_without_the_right_to_connect_is_told_so(settings: PostgresSettings) -> None:
    report = await inspect_postgres(replace(settings, database="demo"))

    assert codes(report, Level.REFUSED) == {"no-connect-privilege"}
    assert 'GRANT CONNECT ON DATABASE "demo" TO "app";' in report.role_sql


def test_words_of_a_server_in_another_language_are_kept_without_the_address() -> None:
    settings = PostgresSettings(host="db.example", database="d", user="u", password="geheim")
    error = psycopg.OperationalError(
        'connection failed: connection to server at "10.0.0.7", port 5432 failed: FATAL:  geheim?'
        "\nDETAIL: more"
    )

    finding = find_connect_fault(error, settings)

    assert finding.text == "The connection failed, in the server's words: FATAL:  ***?"


async def test_pooler_that_drops_the_options_is_refused(settings: PostgresSettings) -> None:
    # A setting of nobody, with a name as long as the one that libpq sends.
    def drop_options(data: bytes) -> bytes:
        return data.replace(b"\0options\0-c ", b"\0nobo.dy\0-c ")

    async with between(settings, drop_options) as through_pooler:
        report = await inspect_postgres(through_pooler)

    assert "settings-dropped" in codes(report, Level.REFUSED)
    [text] = [finding.text for finding in report.findings if finding.code == "settings-dropped"]
    assert "statement_timeout" in text
    assert "time-limit-ignored" in codes(report, Level.REFUSED)


async def test_server_of_an_old_version_is_warned_of(settings: PostgresSettings) -> None:
    asked = b"pg_catalog.current_setting('server_version_num')"

    def tell_twelve(data: bytes) -> bytes:
        return data.replace(asked, b"'120000'".ljust(len(asked)))

    async with between(settings, tell_twelve) as old:
        report = await inspect_postgres(old)

    assert "old-version" in codes(report, Level.WARNING)


@pytest.mark.parametrize(
    ("says", "code"),
    [(b"SHOW transaction_read_only", "not-read-only"), (b"SELECT 'on'", "write-accepted")],
    ids=["honest", "lying"],
)
async def test_server_that_does_not_keep_a_transaction_read_only_is_refused(
    settings: PostgresSettings, observer: "psycopg.Connection[Any]", says: bytes, code: str
) -> None:
    def allow_writes(data: bytes) -> bytes:
        written = data.replace(b"BEGIN READ ONLY", b"BEGIN          ")
        written = written.replace(b"read_only=on ", b"read_only=0  ")
        return written.replace(b"SHOW transaction_read_only", says.ljust(26))

    async with between(settings, allow_writes) as careless:
        report = await inspect_postgres(careless)

    assert {"settings-dropped", code} <= codes(report, Level.REFUSED)
    left = observer.execute("SELECT FROM pg_class WHERE relname LIKE 'toolbuilder_check%'")
    assert left.fetchall() == []


async def test_session_that_is_cut_during_the_check_is_a_finding(
    settings: PostgresSettings,
) -> None:
    def cut(data: bytes) -> bytes:
        if b"toolbuilder_check" in data:
            raise ConnectionError
        return data

    async with between(settings, cut) as shaky:
        report = await inspect_postgres(shaky)

    assert "connection-lost" in codes(report, Level.REFUSED)
    assert not report.is_unreachable


async def test_server_that_falls_silent_is_a_finding(settings: PostgresSettings) -> None:
    async with between(settings, lambda data: b"" if b"pg_shdepend" in data else data) as silent:
        report = await inspect_postgres(silent)

    assert "too-slow" in codes(report, Level.REFUSED)
    assert "connected" in codes(report, Level.OK)
