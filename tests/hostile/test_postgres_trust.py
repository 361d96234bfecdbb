"""What no layer stops: the role of a data source has to be the right one, and its own code good.

Each test shows what a careless role would give away, and that the reader as it should be does not.
"""

from contextlib import suppress
from dataclasses import replace

import pytest

from core.errors import DataSourceError
from gateways.postgres.source import PostgresSource
from tests.hostile.conftest import Observer, Sources, read_world
from tests.hostile.running import make_query, serve
from tests.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="session")

# What a superuser may read, a query may read.
SECRETS: dict[str, str] = {
    "password hashes": "SELECT rolpassword FROM pg_authid WHERE rolname = 'hostile_owner'",
    "client authentication": "SELECT type FROM pg_hba_file_rules LIMIT 1",
    "place of the data": "SELECT current_setting('data_directory')",
    "closed table": "SELECT body FROM closed",
    "lines behind a policy": "SELECT body FROM secret WHERE owner = 'somebody'",
    "queries of others": "SELECT query FROM pg_stat_activity WHERE application_name = 'bystander'"
    " AND query NOT LIKE '<insufficient privilege>'",
}


@pytest.mark.parametrize("sql", SECRETS.values(), ids=SECRETS)
async def test_superuser_source_gives_secrets_away(sources: Sources, sql: str) -> None:
    result = await serve(sources.superuser, make_query(sql))

    assert len(result.rows) == 1


@pytest.mark.parametrize("sql", SECRETS.values(), ids=SECRETS)
async def test_reader_does_not(sources: Sources, sql: str) -> None:
    rows = None
    with suppress(DataSourceError):
        rows = (await serve(sources.reader, make_query(sql))).rows

    assert not rows


async def test_program_started_by_code_of_the_source_is_not_stopped(sources: Sources) -> None:
    """COPY TO PROGRAM works in a read-only transaction; its owner's role must not be allowed to."""
    query = make_query("SELECT run_text('COPY (SELECT 1) TO PROGRAM ''cat''')")

    result = await serve(sources.owner, query)

    assert result.rows == [("done",)]


async def test_advisory_lock_of_code_of_the_source_ends_with_the_call(
    sources: Sources, observer: Observer
) -> None:
    before = read_world(observer)
    settings = replace(sources.owner.settings, application_name="locker")

    async with PostgresSource(settings) as source:
        await serve(source, make_query("SELECT take_lock()"))
        during = read_world(observer)

    assert during["advisory_locks"] == before["advisory_locks"]
    await eventually(lambda: read_world(observer) == before)


async def test_settings_changed_by_code_of_the_source_are_rolled_back(sources: Sources) -> None:
    settings = make_query(
        "SELECT current_setting('work_mem'), current_setting('search_path'),"
        " current_setting('statement_timeout'), current_setting('app.user', true),"
        " count(*) FROM pg_listening_channels()"
    )
    [before] = (await serve(sources.reader, settings)).rows

    soiled = await serve(sources.reader, make_query("SELECT soil()"))

    [after] = (await serve(sources.reader, settings)).rows
    assert soiled.rows == [("soiled",)]
    # A setting of one's own is empty afterwards instead of unknown.
    assert after == (before[0], before[1], before[2], "", before[4])
