"""The check of a PostgreSQL data source: roles of every kind on a real server."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from config.services.postgres import EmbeddedPostgres
from gateways.check_report import ConnectionReport, Level
from gateways.postgres.checks.inspection import inspect_postgres
from gateways.postgres.checks.reader_role import PASSWORD_PLACEHOLDER
from gateways.postgres.settings import PostgresSettings

Superuser = psycopg.Connection[Any]
MakeRole = Callable[..., PostgresSettings]

DATABASE = "inspection"
# A database as CREATE DATABASE makes it, with an owner and objects that are awkward to name.
ODD_DATABASE, ODD_SCHEMA = 'Odd "data"\nbase', "상점 'a'"
PASSWORD = "a-good-password"
TABLES = """
CREATE TABLE item (id int GENERATED ALWAYS AS IDENTITY, name text);
CREATE VIEW names AS SELECT name FROM item;
CREATE SCHEMA "Shut ""x"" up";
CREATE SCHEMA "Open";
GRANT USAGE ON SCHEMA "Open" TO PUBLIC;
"""
ODD_TABLES = """
CREATE SCHEMA "상점 'a'";
CREATE TABLE "상점 'a'"."품목" (id int, name text);
CREATE TABLE item (id int);
"""


def codes(report: ConnectionReport, level: Level) -> set[str]:
    return {finding.code for finding in report.findings if finding.level is level}


def find_text(report: ConnectionReport, code: str) -> str:
    [text] = [finding.text for finding in report.findings if finding.code == code]
    return text


def make_database(server: EmbeddedPostgres, name: str, tables: str) -> None:
    with psycopg.connect(server.dsn("toolbuilder", "superuser"), autocommit=True) as superuser:
        superuser.execute(f"CREATE DATABASE {quote(name)} OWNER app")
    superuser_dsn = psycopg.conninfo.make_conninfo(
        server.dsn("toolbuilder", "superuser"), dbname=name
    )
    with psycopg.connect(superuser_dsn) as superuser:
        superuser.execute("SET ROLE app")
        superuser.execute(tables)


def quote(name: str) -> str:
    return psycopg.sql.Identifier(name).as_string()


@pytest.fixture(scope="module")
def server(embedded_postgres: EmbeddedPostgres) -> EmbeddedPostgres:
    make_database(embedded_postgres, DATABASE, TABLES)
    make_database(embedded_postgres, ODD_DATABASE, ODD_TABLES)
    with psycopg.connect(embedded_postgres.dsn(DATABASE, "superuser")) as superuser:
        superuser.execute(f"REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC")
        superuser.execute("CREATE ROLE role_makers CREATEROLE; CREATE ROLE sweepers")
        superuser.execute("GRANT TRUNCATE ON item TO sweepers")
    return embedded_postgres


@pytest.fixture
def superuser(server: EmbeddedPostgres) -> Iterator[Superuser]:
    with psycopg.connect(server.dsn(DATABASE, "superuser"), autocommit=True) as superuser:
        yield superuser


@pytest.fixture
def make_role(server: EmbeddedPostgres, superuser: Superuser) -> Iterator[MakeRole]:
    """A reader of the database `inspection` without a fault, then changed by the statements."""

    def make(*statements: str) -> PostgresSettings:
        superuser.execute(
            f"CREATE ROLE checked LOGIN PASSWORD '{PASSWORD}' CONNECTION LIMIT 20;"
            "ALTER ROLE checked SET temp_file_limit = '64MB';"
            f"GRANT CONNECT ON DATABASE {DATABASE} TO checked; GRANT SELECT ON item TO checked"
        )
        for statement in statements:
            superuser.execute(statement)
        settings = PostgresSettings.from_dsn(server.dsn(DATABASE, "app"))
        return replace(settings, user="checked", password=PASSWORD)

    yield make
    superuser.execute("DROP OWNED BY checked; DROP ROLE checked")


async def test_clean_reader_gives_no_refusal_and_no_warning(make_role: MakeRole) -> None:
    settings = make_role()

    report = await inspect_postgres(settings)

    assert {finding.level for finding in report.findings} == {Level.OK}
    assert not report.is_refused
    assert report.role_sql == ""
    assert (report.role, report.database) == (settings.user, DATABASE)
    assert report.server.startswith("PostgreSQL 18.")


async def test_every_layer_is_tried(make_role: MakeRole) -> None:
    report = await inspect_postgres(make_role())

    assert find_text(report, "writes-refused") == "A write was tried in 3 ways and refused."
    assert {"one-command", "time-limit", "settings-kept"} <= codes(report, Level.OK)
    assert find_text(report, "reads") == "The role can read 1 table or view, 1 in the search path."


@pytest.mark.parametrize(
    ("change", "code", "text"),
    [
        ("ALTER ROLE checked SUPERUSER", "superuser", "is a superuser"),
        ("ALTER ROLE checked CREATEROLE", "creates-roles", "can make roles"),
        ("ALTER ROLE checked REPLICATION", "replicates", "copy the whole server"),
        (
            "GRANT pg_execute_server_program TO checked",
            "dangerous-membership",
            "a member of pg_execute_server_program:",
        ),
        ("GRANT pg_read_server_files TO checked", "dangerous-membership", "reaches files"),
        ("GRANT pg_write_server_files TO checked", "dangerous-membership", "reaches files"),
        ("GRANT pg_write_all_data TO checked", "dangerous-membership", "pg_write_all_data"),
        (
            "GRANT pg_write_all_data TO checked WITH INHERIT FALSE",
            "dangerous-membership",
            "pg_write_all_data",
        ),
        ("GRANT app TO checked WITH INHERIT FALSE", "owner", "objects (table item, "),
        ("GRANT postgres TO checked WITH INHERIT FALSE", "superuser", "as a member of postgres"),
        ("GRANT role_makers TO checked", "creates-roles", "as a member of role_makers"),
        ("CREATE SCHEMA owned AUTHORIZATION checked", "owner", "owns 1 object (schema owned)"),
    ],
    ids=str,
)
async def test_dangerous_role_is_refused(
    make_role: MakeRole, change: str, code: str, text: str
) -> None:
    report = await inspect_postgres(make_role(change))

    assert code in codes(report, Level.REFUSED)
    assert text in find_text(report, code)
    assert 'CREATE ROLE "inspection_reader" LOGIN' in report.role_sql


@pytest.mark.parametrize(
    ("change", "code", "text"),
    [
        ("ALTER ROLE checked BYPASSRLS", "bypasses-row-security", "row security hides"),
        ("ALTER ROLE checked CREATEDB", "creates-databases", "can make databases"),
        ("GRANT pg_monitor TO checked", "powerful-membership", "pg_monitor, pg_read_all"),
        ("GRANT pg_signal_backend TO checked", "powerful-membership", "pg_signal_backend"),
        ("GRANT UPDATE ON item TO checked", "writes-tables", "1 table (public.item)."),
        ("GRANT UPDATE (name) ON item TO checked", "writes-tables", "1 table (public.item)."),
        ("GRANT sweepers TO checked", "writes-tables", "1 table (public.item)."),
        ("GRANT CREATE ON SCHEMA public TO checked", "creates-tables", "1 schema (public)"),
        ("GRANT CREATE ON DATABASE inspection TO checked", "creates-schemas", "CREATE ON DATA"),
        (
            "GRANT TEMPORARY ON DATABASE inspection TO checked",
            "makes-temporary-tables",
            "REVOKE TEMPORARY",
        ),
        ("ALTER ROLE checked RESET temp_file_limit", "no-temp-file-limit", "temporary files"),
        ("ALTER ROLE checked CONNECTION LIMIT -1", "no-connection-limit", "every connection"),
        (
            "ALTER ROLE checked CONNECTION LIMIT 3",
            "connection-limit-too-small",
            "is 3, and the pool of one runtime has 4",
        ),
        ("ALTER ROLE checked VALID UNTIL 'tomorrow'", "password-expires", "within 30 days"),
        ("REVOKE SELECT ON item FROM checked", "reads-nothing", "GRANT SELECT"),
    ],
    ids=str,
)
async def test_careless_role_is_warned_of(
    make_role: MakeRole, change: str, code: str, text: str
) -> None:
    report = await inspect_postgres(make_role(change))

    assert not report.is_refused
    assert code in codes(report, Level.WARNING)
    assert text in find_text(report, code)


async def test_one_connection_is_enough_for_the_check(make_role: MakeRole) -> None:
    settings = make_role("ALTER ROLE checked CONNECTION LIMIT 1")

    report = await inspect_postgres(replace(settings, pool_size=1))

    assert codes(report, Level.WARNING) == {"time-limit-untried"}


async def test_owner_is_refused_with_what_it_owns(
    server: EmbeddedPostgres, superuser: Superuser
) -> None:
    superuser.execute("SET ROLE app")
    superuser.execute("CREATE TABLE a (); CREATE TABLE b (); CREATE TABLE c ()")

    report = await inspect_postgres(PostgresSettings.from_dsn(server.dsn(DATABASE, "app")))

    assert report.is_refused
    assert " objects (table item, " in find_text(report, "owner")
    assert ", …). An owner" in find_text(report, "owner")
    superuser.execute("DROP TABLE a, b, c")


async def test_thousands_of_writable_tables_are_counted(
    make_role: MakeRole, superuser: Superuser
) -> None:
    superuser.execute("CREATE SCHEMA many")
    superuser.execute(
        "DO $$ BEGIN FOR i IN 1..2000 LOOP EXECUTE format('CREATE TABLE many.t%s (id int)', i);"
        " END LOOP; END $$"
    )
    settings = make_role(
        "GRANT USAGE ON SCHEMA many TO checked",
        "GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA many TO checked",
    )

    report = await inspect_postgres(settings)
    superuser.execute("DROP SCHEMA many CASCADE")

    assert "may change 2,000 tables (many.t1, many.t10, many.t100, …)." in find_text(
        report, "writes-tables"
    )
    assert "2,001 tables and views, 1 in the search path" in find_text(report, "reads")


async def test_right_of_everybody_to_write_is_warned_of(
    make_role: MakeRole, superuser: Superuser
) -> None:
    report = await inspect_postgres(make_role("GRANT INSERT ON item TO PUBLIC"))
    superuser.execute("REVOKE INSERT ON item FROM PUBLIC")

    assert {"writes-tables", "writes-granted-to-public"} <= codes(report, Level.WARNING)


async def test_functions_with_the_rights_of_others_are_named(
    make_role: MakeRole, superuser: Superuser
) -> None:
    superuser.execute(
        "CREATE FUNCTION sweep() RETURNS int SECURITY DEFINER LANGUAGE sql AS 'SELECT 1';"
        "CREATE FUNCTION look() RETURNS int STABLE SECURITY DEFINER LANGUAGE sql AS 'SELECT 1'"
    )

    report = await inspect_postgres(make_role())
    superuser.execute("DROP FUNCTION sweep, look")

    assert "1 function that acts with its owner's rights (public.sweep)." in find_text(
        report, "definer-functions"
    )


async def test_language_that_reaches_out_is_named(
    make_role: MakeRole, superuser: Superuser
) -> None:
    superuser.execute("CREATE LANGUAGE plwild HANDLER plpgsql_call_handler")

    report = await inspect_postgres(make_role())
    superuser.execute("DROP LANGUAGE plwild")

    assert "The database has plwild, made to reach" in find_text(report, "reaches-out")


@pytest.mark.parametrize(
    ("search_path", "code", "text"),
    [
        ("public, nowhere", "schema-missing", "do not exist: nowhere."),
        ("public, Open", "schema-in-capitals", 'write "Open"'),
        ('public, "Shut ""x"" up"', "schema-closed", 'of the search path: Shut "x" up.'),
        ('"Open"', "search-path-empty", "not in the search path"),
        ('"$user", public', "search-path", "The search path is public."),
    ],
    ids=["missing", "capitals", "closed", "empty", "user"],
)
async def test_search_path_is_judged(
    make_role: MakeRole, search_path: str, code: str, text: str
) -> None:
    report = await inspect_postgres(replace(make_role(), search_path=search_path))

    assert "settings-kept" in codes(report, Level.OK)
    assert text in find_text(report, code)


async def test_function_of_the_search_path_is_not_called(
    make_role: MakeRole, superuser: Superuser
) -> None:
    superuser.execute(
        "CREATE SCHEMA trap; GRANT USAGE ON SCHEMA trap TO PUBLIC;"
        "CREATE FUNCTION trap.count() RETURNS bigint LANGUAGE sql AS 'SELECT 1/0::bigint';"
        "CREATE FUNCTION trap.pg_has_role(name, oid, text) RETURNS boolean LANGUAGE sql"
        " AS 'SELECT 1/0 = 1'; CREATE TABLE trap.pg_roles (rolname name)"
    )
    settings = replace(make_role(), search_path="trap, pg_catalog, public")

    report = await inspect_postgres(settings)
    superuser.execute("DROP SCHEMA trap CASCADE")

    assert not report.is_refused


async def test_nothing_is_left_behind(make_role: MakeRole, superuser: Superuser) -> None:
    settings = make_role("GRANT CREATE ON SCHEMA public TO checked")
    before = superuser.execute("SELECT array_agg(oid ORDER BY oid) FROM pg_class").fetchone()

    await inspect_postgres(settings)

    after = superuser.execute("SELECT array_agg(oid ORDER BY oid) FROM pg_class").fetchone()
    sessions = superuser.execute(
        "SELECT FROM pg_stat_activity WHERE usename = %s AND state <> 'idle'", [settings.user]
    )
    assert after == before
    assert sessions.fetchall() == []


def odd_settings(server: EmbeddedPostgres) -> PostgresSettings:
    settings = PostgresSettings.from_dsn(server.dsn("toolbuilder", "superuser"))
    return replace(settings, database=ODD_DATABASE, search_path=f'public, "{ODD_SCHEMA}"')


async def run_role_sql(settings: PostgresSettings, role_sql: str) -> None:
    connection = await psycopg.AsyncConnection.connect(
        host=settings.host,
        port=settings.port,
        dbname=settings.database,
        user=settings.user,
        password=settings.password,
    )
    async with connection:
        await connection.execute(role_sql.replace(PASSWORD_PLACEHOLDER, PASSWORD))


async def test_role_sql_makes_a_reader_without_a_warning(server: EmbeddedPostgres) -> None:
    settings = odd_settings(server)
    role_sql = (await inspect_postgres(settings)).role_sql

    for _ in range(2):
        await run_role_sql(settings, role_sql)
    reader = replace(settings, user=f"{ODD_DATABASE}_reader", password=PASSWORD)
    report = await inspect_postgres(reader)

    assert {finding.level for finding in report.findings} == {Level.OK}
    assert find_text(report, "reads").startswith("The role can read 2 tables and views, 2 in")


async def test_role_sql_refuses_to_run_without_a_password_of_its_own(
    server: EmbeddedPostgres, superuser: Superuser
) -> None:
    settings = PostgresSettings.from_dsn(server.dsn(DATABASE, "superuser"))
    role_sql = (await inspect_postgres(replace(settings, user="absent"))).role_sql

    with pytest.raises(psycopg.errors.RaiseException, match="write a password of your own"):
        superuser.execute(role_sql)


async def test_role_sql_keeps_a_higher_connection_limit(
    make_role: MakeRole, superuser: Superuser
) -> None:
    settings = make_role("REVOKE SELECT ON item FROM checked")

    superuser.execute((await inspect_postgres(settings)).role_sql)

    limit = superuser.execute("SELECT rolconnlimit FROM pg_roles WHERE rolname = 'checked'")
    assert limit.fetchone() == (20,)


async def test_role_sql_covers_tables_that_are_made_later(server: EmbeddedPostgres) -> None:
    settings = PostgresSettings.from_dsn(server.dsn(DATABASE, "superuser"))
    await run_role_sql(settings, (await inspect_postgres(settings)).role_sql)
    with psycopg.connect(server.dsn(DATABASE, "app")) as owner:
        owner.execute("CREATE TABLE later (id int)")
    reader = replace(settings, user="inspection_reader", password=PASSWORD)

    with psycopg.connect(**reader.connection_arguments()) as connection:
        assert connection.execute("SELECT count(*) FROM later").fetchone() == (0,)


async def test_role_sql_mends_a_reader_and_keeps_its_password(
    server: EmbeddedPostgres, make_role: MakeRole
) -> None:
    settings = make_role(
        "ALTER ROLE checked CONNECTION LIMIT -1",
        "ALTER ROLE checked RESET temp_file_limit",
        "REVOKE SELECT ON item FROM checked",
    )
    role_sql = (await inspect_postgres(settings)).role_sql

    await run_role_sql(PostgresSettings.from_dsn(server.dsn(DATABASE, "superuser")), role_sql)
    report = await inspect_postgres(settings)

    assert {finding.level for finding in report.findings} == {Level.OK}
