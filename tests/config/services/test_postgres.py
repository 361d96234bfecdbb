"""The embedded PostgreSQL: what its roles may do, and that nothing is lost."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import LiteralString

import psycopg
import pytest

from config.services.leftovers import start_time
from config.services.ports import choose_free_port
from config.services.postgres import EmbeddedPostgres, Role, random_passwords
from config.services.processes import Keeper
from core.errors import ConfigurationError
from tests.config.services.conftest import wait_until

Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture
def owner(embedded_postgres: EmbeddedPostgres) -> Iterator[Connection]:
    dsn = embedded_postgres.dsn("demo", "demo_owner")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE shelf AS SELECT 1 AS place")
        yield connection
        connection.execute("DROP TABLE shelf")


@pytest.fixture
def reader(embedded_postgres: EmbeddedPostgres, owner: Connection) -> Iterator[Connection]:
    dsn = embedded_postgres.dsn("demo", "demo_reader")
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture
def cluster(data_dir: Path, keeper: Keeper) -> Iterator[EmbeddedPostgres]:
    """A durable cluster of its own, running."""
    server = EmbeddedPostgres(
        data_dir / "postgres", choose_free_port(), random_passwords(), log=data_dir / "log"
    )
    server.start(keeper)
    yield server
    server.stop(keeper)


def test_reader_reads_a_table_that_the_owner_made_later(reader: Connection) -> None:
    assert reader.execute("SELECT place FROM shelf").fetchone() == (1,)


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("INSERT INTO shelf VALUES (2)", id="insert"),
        pytest.param("UPDATE shelf SET place = 2", id="update"),
        pytest.param("DELETE FROM shelf", id="delete"),
        pytest.param("TRUNCATE shelf", id="truncate"),
        pytest.param("CREATE TABLE mine (n int)", id="create-table"),
        pytest.param("CREATE TEMP TABLE mine (n int)", id="create-temporary-table"),
        pytest.param("CREATE SCHEMA mine", id="create-schema"),
        pytest.param("CREATE ROLE mine", id="create-role"),
        pytest.param("SET ROLE demo_owner", id="become-owner"),
        pytest.param("COPY shelf TO PROGRAM 'cat'", id="copy-to-program"),
        pytest.param("COPY shelf TO '/tmp/shelf'", id="copy-to-file"),
        pytest.param("SELECT pg_read_file('/etc/passwd')", id="read-file"),
        pytest.param("SET temp_file_limit = -1", id="lift-file-limit"),
    ],
)
def test_reader_is_refused_even_outside_a_read_only_transaction(
    reader: Connection, statement: LiteralString
) -> None:
    reader.execute("SET default_transaction_read_only = off")

    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        reader.execute(statement)


def test_reader_starts_every_transaction_read_only(reader: Connection) -> None:
    assert reader.execute("SHOW transaction_read_only").fetchone() == ("on",)


@pytest.mark.parametrize("role", ["demo_reader", "demo_owner"])
def test_demo_roles_cannot_enter_the_applications_database(
    embedded_postgres: EmbeddedPostgres, role: Role
) -> None:
    with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
        psycopg.connect(embedded_postgres.dsn("toolbuilder", role))


@pytest.mark.parametrize("database", ["toolbuilder", "demo"])
def test_both_databases_have_the_extensions(
    embedded_postgres: EmbeddedPostgres, database: str
) -> None:
    with psycopg.connect(embedded_postgres.dsn(database, "superuser")) as connection:
        found = connection.execute("SELECT extname FROM pg_extension").fetchall()

    assert {"pg_trgm", "unaccent", "vector"} <= {name for (name,) in found}


def test_trigrams_have_letters_of_other_scripts(embedded_postgres: EmbeddedPostgres) -> None:
    with psycopg.connect(embedded_postgres.dsn(role="superuser")) as connection:
        found = connection.execute(
            "SELECT similarity(word, word) FROM unnest(%s::text[]) word",
            [["권한이", "接続", "メール", "é"]],
        )

        assert [similarity for (similarity,) in found] == [1, 1, 1, 1]


def test_wrong_password_is_refused(embedded_postgres: EmbeddedPostgres) -> None:
    dsn = embedded_postgres.dsn().replace(embedded_postgres.passwords["app"], "guess")

    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(dsn)


def test_preparing_twice_changes_nothing(embedded_postgres: EmbeddedPostgres) -> None:
    embedded_postgres.prepare()
    embedded_postgres.prepare()

    with psycopg.connect(embedded_postgres.dsn("demo", "demo_reader")) as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("demo_reader",)


def test_rows_survive_a_killed_server_whose_pid_file_names_a_living_process(
    cluster: EmbeddedPostgres, keeper: Keeper
) -> None:
    with psycopg.connect(cluster.dsn()) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS n")
    pid_file = cluster.home.data / "postmaster.pid"
    assert cluster.pid is not None
    os.kill(cluster.pid, signal.SIGKILL)
    cluster.stop(keeper)
    lines = pid_file.read_text().splitlines()
    pid_file.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")

    cluster.start(keeper)

    with psycopg.connect(cluster.dsn()) as connection:
        assert connection.execute("SELECT n FROM kept").fetchone() == (42,)


def test_stop_does_not_wait_for_open_sessions(cluster: EmbeddedPostgres, keeper: Keeper) -> None:
    with psycopg.connect(cluster.dsn()) as connection:
        cluster.stop(keeper)

        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")


def test_an_unfinished_cluster_is_made_again(data_dir: Path, keeper: Keeper) -> None:
    unfinished = data_dir / "postgres.unfinished" / "data"
    unfinished.mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18\n")
    server = EmbeddedPostgres(data_dir / "postgres", choose_free_port(), random_passwords())

    server.start(keeper)

    assert server.is_ready()
    server.stop(keeper)


def test_lost_password_is_said(cluster: EmbeddedPostgres) -> None:
    stranger = EmbeddedPostgres(cluster.directory, cluster.port, random_passwords())

    with pytest.raises(ConfigurationError, match=r"secrets\.json do not belong together"):
        stranger.is_ready()


def test_cluster_is_closed_to_others(cluster: EmbeddedPostgres) -> None:
    assert cluster.home.data.stat().st_mode & 0o077 == 0


def test_long_query_ends_with_the_server_on_its_death_signal(cluster: EmbeddedPostgres) -> None:
    with closing(psycopg.connect(cluster.dsn())) as connection:
        session = connection.info.backend_pid
        connection.pgconn.send_query(b"SELECT count(*) FROM generate_series(1, 1e12)")
        assert cluster.pid is not None

        os.kill(cluster.pid, cluster.command().death_signal)

        assert wait_until(lambda: start_time(session) is None)
