"""The roles, databases, extensions and grants of the embedded PostgreSQL."""

from collections.abc import Callable, Mapping
from typing import LiteralString

import psycopg
from psycopg import sql

EXTENSIONS = ("pg_trgm", "unaccent", "vector")
DATABASE_OWNERS = {"toolbuilder": "app", "demo": "demo_owner"}
READER = "demo_reader"
READER_LIMITS: tuple[LiteralString, ...] = (
    "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS NOINHERIT",
    "CONNECTION LIMIT 40",
    "SET default_transaction_read_only = on",
    "SET temp_file_limit = '512MB'",
)
Connection = psycopg.Connection[tuple[object, ...]]


def prepare_roles(
    dsn: Callable[[str], str], passwords: Mapping[str, str], *, may_create_databases: bool
) -> None:
    """Create what is missing and correct what differs; `dsn(database)` is a superuser's."""
    # New databases are copies of template1, the test database too; vector needs a superuser.
    _in_database(dsn("template1"), _create_extensions)
    with psycopg.connect(dsn("postgres"), autocommit=True) as connection:
        for name in (*DATABASE_OWNERS.values(), READER):
            exists = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
            if not exists.fetchone():
                _run(connection, "CREATE ROLE {} LOGIN", name)
            # The server gets the verifier only, so that no log can ever show the password.
            verifier = connection.pgconn.encrypt_password(
                passwords[name].encode(), name.encode(), b"scram-sha-256"
            ).decode()
            password = sql.SQL("ALTER ROLE {} PASSWORD {}")
            connection.execute(password.format(sql.Identifier(name), sql.Literal(verifier)))
        for limit in READER_LIMITS:
            _run(connection, "ALTER ROLE {} " + limit, READER)
        for database, owner in DATABASE_OWNERS.items():
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database])
            if not found.fetchone():
                _run(connection, "CREATE DATABASE {} OWNER {}", database, owner)
            _run(connection, "REVOKE ALL ON DATABASE {} FROM PUBLIC", database)
        _run(connection, "GRANT CONNECT ON DATABASE demo TO {}", READER)
        if may_create_databases:
            _run(connection, "ALTER ROLE {} CREATEDB", DATABASE_OWNERS["toolbuilder"])
    for database in DATABASE_OWNERS:
        _in_database(dsn(database), _create_extensions)
    _in_database(dsn("demo"), _grant_reading)


def _in_database(dsn: str, action: Callable[[Connection], None]) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        action(connection)


def _create_extensions(connection: Connection) -> None:
    # PostgreSQL sends a notice for each that exists already; nobody needs to read it.
    connection.execute("SET client_min_messages = warning")
    for name in EXTENSIONS:
        _run(connection, "CREATE EXTENSION IF NOT EXISTS {}", name)


def _grant_reading(connection: Connection) -> None:
    owner = DATABASE_OWNERS["demo"]
    _run(connection, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    _run(connection, "GRANT USAGE ON SCHEMA public TO {}", READER)
    _run(connection, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO {}", READER)
    for kind in ("TABLES", "SEQUENCES"):
        statement = sql.SQL(
            "ALTER DEFAULT PRIVILEGES FOR ROLE {} IN SCHEMA public GRANT SELECT ON {} TO {}"
        )
        names = (sql.Identifier(owner), sql.SQL(kind), sql.Identifier(READER))
        connection.execute(statement.format(*names))


def _run(connection: Connection, statement: LiteralString, *names: str) -> None:
    connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))
