"""A runtime behind PgBouncer in transaction mode: its own database and a data source, both through it."""

import asyncio
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import psycopg
import pytest
from django.db import connection
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

from config.services.ports import choose_free_port
from config.services.postgres import EmbeddedPostgres
from config.services.processes import Command, Keeper, start, stop
from gateways.engines import inspect_source
from gateways.postgres.settings import PostgresSettings
from tests.factories import make_expression, make_token, make_tool
from tests.pgbouncer import pooling
from tests.waiting import LIMIT_S, wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

MANAGE = Path(__file__).parents[2] / "manage.py"
READER, SECRET = "pooled_reader", "hush"
CALLS = 60


@pytest.fixture
def reader(embedded_postgres: EmbeddedPostgres) -> Iterator[PostgresSettings]:
    """A role that has by itself what a pooler drops when a session is opened."""
    dsn = embedded_postgres.dsn("demo", "superuser")
    settings = PostgresSettings(
        host="127.0.0.1",
        port=embedded_postgres.port,
        database="demo",
        user=READER,
        password=SECRET,
    )
    options = settings.session
    with psycopg.connect(dsn, autocommit=True) as superuser:
        superuser.execute(f"CREATE ROLE {READER} LOGIN PASSWORD '{SECRET}'")
        superuser.execute(f"GRANT CONNECT ON DATABASE demo TO {READER}")
        for name, value in options.items():
            superuser.execute(f"ALTER ROLE {READER} SET {name} = '{value}'")
        yield settings
        superuser.execute(f"DROP OWNED BY {READER}; DROP ROLE {READER}")


@pytest.fixture
def pooler(
    embedded_postgres: EmbeddedPostgres, reader: PostgresSettings, tmp_path: Path, keeper: Keeper
) -> Iterator[int]:
    """Its port."""
    passwords = {"app": embedded_postgres.passwords["app"], READER: SECRET}
    with pooling(embedded_postgres, keeper, passwords, tmp_path / "pgbouncer.log") as port:
        yield port


@pytest.fixture
def runtime(
    embedded_postgres: EmbeddedPostgres, pooler: int, tmp_path: Path, keeper: Keeper
) -> Iterator[str]:
    """The address of `runmcp`, whose databases are behind the pooler, and which listens beside it."""
    port, log = choose_free_port(), tmp_path / "mcp.log"
    direct = embedded_postgres.dsn(connection.settings_dict["NAME"], "app")
    environment = {
        **os.environ,
        "DATABASE_URL": direct.replace(f":{embedded_postgres.port}/", f":{pooler}/"),
        "DATABASE_LISTEN_URL": f"{direct}?application_name=listener",
        "REDIS_URL": "",
        "POSTGRESQL_DB_PORT": str(pooler),
        "POSTGRESQL_DB_NAME": "demo",
        "POSTGRESQL_DB_USER": READER,
        "POSTGRESQL_DB_PASS": SECRET,
        "DATA_SOURCE_PREPARES_STATEMENTS": "no",
    }
    command = (sys.executable, str(MANAGE), "runmcp", "--port", str(port))
    process = start(Command(command, environment, log), keeper)
    try:
        wait_until(lambda: process.poll() is not None or is_healthy(port))
        assert process.poll() is None, log.read_text()
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        stop(process, signal.SIGTERM, timeout_s=LIMIT_S)
        keeper.forget(process.pid)


def is_healthy(port: int) -> bool:
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200
    except httpx.TransportError:
        return False


def sessions_that_listen() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE application_name = 'listener' AND query LIKE 'LISTEN%'"
        )
        return int(cursor.fetchone()[0])


@pytest.fixture
def token() -> str:
    """A key, and a tool of each kind."""
    make_tool(
        "SELECT n, n * :factor AS product, current_setting('TimeZone') AS zone"
        " FROM generate_series(1, 3) n",
        name="multiples",
        parameters=[{"param_name": "factor", "param_type": "INTEGER"}],
    )
    make_expression(name="multiply")
    return make_token("agent")


def test_tools_answer_rightly_through_it(token: str, runtime: str) -> None:
    async def ask() -> None:
        headers = {"Authorization": f"Bearer {token}"}
        async with Client(StreamableHttpTransport(runtime, headers=headers)) as client:
            found = await asyncio.gather(
                *(client.call_tool("multiples", {"factor": n}) for n in range(CALLS))
            )
            product = await client.call_tool("multiply", {"a": 6, "b": 7})
        assert [answer.structured_content["rows"] for answer in found] == [
            [[row, row * n, "UTC"] for row in (1, 2, 3)] for n in range(CALLS)
        ]
        assert product.data == 42

    asyncio.run(ask())
    assert sessions_that_listen() == 1


async def test_check_of_a_data_source_knows_of_it(reader: PostgresSettings, pooler: int) -> None:
    through = replace(reader, port=pooler)

    kept = await inspect_source(through)
    unprepared = await inspect_source(replace(through, prepares_statements=False))
    direct = await inspect_source(reader)

    codes = [{finding.code for finding in one.findings} for one in (kept, unprepared, direct)]
    assert ["pooler-prepares" in found for found in codes] == [True, False, False]
    assert ["pooler-right" in found for found in codes] == [False, True, False]
    assert all("settings-kept" in found for found in codes)
