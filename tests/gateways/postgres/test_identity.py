"""Row-level security by who calls: each caller sees its own rows, and nothing of one is left for the next."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import psycopg
import pytest
import pytest_asyncio
from msgspec import structs

from config.services.postgres import EmbeddedPostgres
from core.bindings import NOBODY, CallerFacts
from core.errors import (
    DataSourceError,
    DeadlineExceededError,
    MissingFactError,
    ToolboxError,
)
from core.identity import read_identity
from core.results import QueryResult
from gateways.check_report import Level
from gateways.postgres.checks.inspection import inspect_postgres
from gateways.postgres.exchange import ReadOnlyQuery
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.factories import ENDLESS_SQL
from tests.gateways.conftest import DATABASE
from tests.gateways.postgres.queries import make_query

TENANTS = ("KR", "JP", "US", "it's; \\ 부산")
ROLES = ("letters_kr", "letters_jp")
TABLES = """
CREATE ROLE letters_reader LOGIN PASSWORD 'letters' NOINHERIT;
CREATE ROLE letters_kr; CREATE ROLE letters_jp; CREATE ROLE letters_of_others;
GRANT letters_kr, letters_jp TO letters_reader;
CREATE SCHEMA letters; GRANT USAGE ON SCHEMA letters TO PUBLIC;
CREATE TABLE letters.letter (id int PRIMARY KEY, tenant text);
INSERT INTO letters.letter SELECT n * 10 + t, (ARRAY['KR', 'JP', 'US', 'it''s; \\ 부산'])[t]
FROM generate_series(1, 500) n, generate_series(1, 4) t;
ALTER TABLE letters.letter ENABLE ROW LEVEL SECURITY;
CREATE POLICY by_setting ON letters.letter TO letters_reader
    USING (tenant = nullif(current_setting('app.tenant', true), ''));
CREATE POLICY kr ON letters.letter TO letters_kr USING (tenant = 'KR');
CREATE POLICY jp ON letters.letter TO letters_jp USING (tenant = 'JP');
GRANT SELECT ON letters.letter TO letters_reader, letters_kr, letters_jp;
"""
LETTERS = "SELECT tenant FROM letter ORDER BY id"
BY_SETTING = read_identity("app.tenant = claim:tenant\napp.who = owner")
BY_ROLE = read_identity(f"role = claim:role of {', '.join(ROLES)}")


@pytest.fixture(scope="module")
def reader(embedded_postgres: EmbeddedPostgres, owner_dsn: str) -> Iterator[PostgresSettings]:
    with psycopg.connect(embedded_postgres.dsn(DATABASE, "superuser"), autocommit=True) as root:
        root.execute(TABLES)
        yield replace(
            PostgresSettings.from_dsn(owner_dsn),
            user="letters_reader",
            password="letters",
            search_path="letters",
            pool_size=3,
            max_wait_ms=60_000,
            statement_timeout_ms=60_000,
        )
        root.execute("DROP SCHEMA letters CASCADE")
        root.execute("DROP ROLE letters_reader, letters_kr, letters_jp, letters_of_others")


@pytest_asyncio.fixture(params=[True, False], ids=["kept parsed", "parsed each time"])
async def source(
    request: pytest.FixtureRequest, reader: PostgresSettings
) -> AsyncIterator[PostgresSource]:
    settings = replace(reader, identity=BY_SETTING, prepares_statements=request.param)
    async with PostgresSource(settings) as source:
        yield source


def of(tenant: str) -> CallerFacts:
    return CallerFacts(key_id="k", owner="ann", claims={"tenant": tenant})


async def run(
    source: PostgresSource, facts: CallerFacts, sql: str = LETTERS, **limits: Any
) -> QueryResult:
    query = make_query(sql, **{"row_limit": 1_000, "timeout_ms": 60_000, **limits})
    return await source.run(structs.replace(query, facts=facts))


async def left_behind(source: PostgresSource) -> set[tuple[str, str]]:
    """What every connection of the pool says of itself when nobody asks through it."""
    loop, sql = (
        asyncio.get_running_loop(),
        b"SELECT current_setting('app.tenant', true), current_user",
    )
    taken = [await source._pool.acquire("", loop.time() + 30) for _ in range(3)]
    for one in taken:
        one.until = loop.time() + 30
    found = {tuple(row) for one in taken for row in await one.fetch(ReadOnlyQuery(sql))}
    for connection in taken:
        source._pool.give_back(connection)
    return {(row[0], row[1]) for row in found}


async def test_many_callers_at_once_see_their_own_rows_alone(source: PostgresSource) -> None:
    """Among them some that fail, are stopped or give up: their connections serve the next ones."""
    random = Random(7)  # noqa: S311 - the same calls in every run

    async def call(number: int) -> None:
        tenant = random.choice(TENANTS)
        match number % 10:
            case 3:
                with pytest.raises(DataSourceError, match="division by zero"):
                    await run(source, of(tenant), "SELECT 1 / (count(*) - 500) FROM letter")
            case 5:
                # Late, or never begun.
                with pytest.raises((DeadlineExceededError, DataSourceError)):
                    await run(source, of(tenant), ENDLESS_SQL, timeout_ms=60)
            case 7:
                task = asyncio.create_task(run(source, of(tenant), ENDLESS_SQL))
                await asyncio.sleep(random.random() / 50)
                task.cancel()
            case 9:
                result = await run(source, of(tenant), LETTERS + " -- long", byte_limit=300)
                assert {row[0] for row in result.rows} <= {tenant}
            case _:
                result = await run(source, of(tenant))
                assert [row[0] for row in result.rows] == [tenant] * 500

    await asyncio.gather(*(call(number) for number in range(200)))

    assert await left_behind(source) <= {("", "letters_reader")}


async def test_caller_becomes_its_role_for_one_query(reader: PostgresSettings) -> None:
    async with PostgresSource(replace(reader, identity=BY_ROLE)) as source:
        calls = [CallerFacts(key_id="k", claims={"role": ROLES[n % 2]}) for n in range(100)]

        results = await asyncio.gather(*(run(source, facts) for facts in calls))
        plan = await source.explain(structs.replace(make_query(LETTERS), facts=calls[0]))

        assert [{row[0] for row in result.rows} for result in results] == [
            {"KR"} if n % 2 == 0 else {"JP"} for n in range(100)
        ]
        assert "'KR'" in plan.text
        assert {role for _, role in await left_behind(source)} == {"letters_reader"}


@pytest.mark.parametrize(
    ("facts", "told"),
    [
        (NOBODY, "this call was made without a key"),
        (CallerFacts(key_id="k"), "needs the claim 'tenant' and an owner"),
        (CallerFacts(key_id="k", owner="ann", claims={"tenant": ""}), "does not accept the claim"),
        (CallerFacts(key_id="k", owner="a\0nn", claims={"tenant": "x"}), "accept the owner"),
    ],
    ids=["nobody", "no claims", "empty", "NUL"],
)
async def test_caller_without_its_facts_is_refused_before_anything_is_asked(
    reader: PostgresSettings, facts: CallerFacts, told: str
) -> None:
    unreachable = replace(reader, identity=BY_SETTING, port=1)
    async with PostgresSource(unreachable) as source:
        with pytest.raises(MissingFactError, match=told):
            await run(source, facts)


@pytest.mark.parametrize("role", ["letters_of_others", "postgres", "none", "LETTERS_KR", ""])
async def test_role_outside_of_the_list_is_refused(reader: PostgresSettings, role: str) -> None:
    async with PostgresSource(replace(reader, identity=BY_ROLE)) as source:
        with pytest.raises(MissingFactError):
            await run(source, CallerFacts(key_id="k", claims={"role": role}))


async def test_role_that_may_not_be_taken_gives_no_rows(reader: PostgresSettings) -> None:
    identity = read_identity("role = claim:role of letters_of_others")
    async with PostgresSource(replace(reader, identity=identity)) as source:
        facts = CallerFacts(key_id="k", claims={"role": "letters_of_others"})
        with pytest.raises(DataSourceError, match="permission denied to set role"):
            await run(source, facts)


async def test_query_cannot_be_somebody_else(source: PostgresSource) -> None:
    sql = "SELECT set_config('app.tenant', 'JP', true), tenant FROM letter"

    with pytest.raises(ToolboxError, match="function set_config is not allowed"):
        await run(source, of("KR"), sql)


async def test_check_refuses_a_role_that_policies_do_not_bind(
    reader: PostgresSettings, embedded_postgres: EmbeddedPostgres
) -> None:
    roles = read_identity("role = owner of letters_kr, letters_of_others, nobody_at_all")
    with psycopg.connect(embedded_postgres.dsn(DATABASE, "superuser"), autocommit=True) as root:
        root.execute("ALTER ROLE letters_reader BYPASSRLS")
        report = await inspect_postgres(replace(reader, identity=roles))
        root.execute("ALTER ROLE letters_reader NOBYPASSRLS")
    good = await inspect_postgres(replace(reader, identity=BY_ROLE))

    refusals = {found.code: found.text for found in report.findings if found.level is Level.REFUSED}
    assert refusals.keys() == {"bypasses-row-security", "not-a-member"}
    assert "cannot become letters_of_others, nobody_at_all" in refusals["not-a-member"]
    assert not good.is_refused


async def test_other_facts_are_given_as_text_and_json(reader: PostgresSettings) -> None:
    rules = read_identity("app.who = owner\napp.key = key_id\napp.teams = claim:teams")
    sql = "SELECT current_setting('app.who'), current_setting('app.key'), current_setting('app.teams')::jsonb"
    async with PostgresSource(replace(reader, identity=rules)) as source:
        facts = CallerFacts(key_id="k1", owner="ann", claims={"teams": ["a,b", "가"]})

        assert (await run(source, facts, sql)).rows == [("ann", "k1", ["a,b", "가"])]
