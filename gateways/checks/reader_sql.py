"""The SQL that makes a role which can only read, for an administrator of a PostgreSQL database to run."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import LiteralString

from psycopg import sql

from gateways.checks.postgres_session import fetch_facts
from gateways.checks.session_findings import read_search_path
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.wire import WireConnection

PASSWORD_PLACEHOLDER = "<choose a password>"  # noqa: S105 - it stands where a password goes
# Runtimes, the editor's trials and this check share the role.
_POOLS = 4
_NAME_BYTES = 63
# What is mended by rights of the same role, and what makes another role the better way.
_SAME_ROLE_CODES = frozenset(
    {
        "no-temp-file-limit",
        "no-connection-limit",
        "connection-limit-too-small",
        "schema-closed",
        "reads-nothing",
        "creates-tables",
        "makes-temporary-tables",
        "settings-dropped",
        "no-connect-privilege",
        "unknown-role",
        "wrong-password",
        "no-password",
    }
)
_OTHER_ROLE_CODES = frozenset(
    {
        "superuser",
        "creates-roles",
        "replicates",
        "bypasses-row-security",
        "creates-databases",
        "dangerous-membership",
        "powerful-membership",
        "owner",
        "writes-tables",
        "creates-schemas",
    }
)

Owners = Mapping[str, Sequence[str]]

_OWNERS_SQL = """
SELECT n.nspname AS schema, pg_catalog.pg_get_userbyid(c.relowner) AS owner
FROM pg_catalog.pg_namespace AS n
LEFT JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
WHERE n.nspname::text IN (SELECT pg_catalog.jsonb_array_elements_text($1::pg_catalog.jsonb))
GROUP BY 1, 2 ORDER BY 1, 2"""


def find_role_name(settings: PostgresSettings, codes: Collection[str]) -> str:
    """The role that the SQL should make or mend; '' when no finding calls for one."""
    if _OTHER_ROLE_CODES.intersection(codes):
        return _other_name(settings)
    return settings.user if _SAME_ROLE_CODES.intersection(codes) else ""


async def fetch_owners(connection: WireConnection, settings: PostgresSettings) -> Owners:
    """The owners of the tables of each schema of the search path that exists.

    Raises ServerError, ConnectionLostError, TimeoutError.
    """
    names = read_search_path(settings.search_path)
    owners: dict[str, list[str]] = {}
    for row in await fetch_facts(connection, _OWNERS_SQL, json.dumps(names)):
        owners.setdefault(row["schema"], []).extend([row["owner"]] if row["owner"] else [])
    return {name: owners[name] for name in names if name in owners}


def make_reader_sql(settings: PostgresSettings, role: str, owners: Owners) -> str:
    """Commented SQL for `role` on the settings' database; may be run again."""
    # Names stand in quotes only, never in a comment, where a line break would end it.
    sections = (
        _INTRODUCTION,
        _create_role(settings, role),
        _bound_database(settings, role),
        *(_grant_schema(role, schema, names) for schema, names in owners.items()),
        "\n".join(_set_session(settings, role)),
        _limit_files(role),
    )
    return "\n\n".join(sections) + "\n"


_INTRODUCTION = """\
-- A role that can read and nothing else. Run this in the database of the data source, as a superuser
-- or as the owner of the database with CREATEROLE. It may be run again."""


def _create_role(settings: PostgresSettings, role: str) -> str:
    body = _fill(
        _CREATE_BODY,
        password=sql.Literal(PASSWORD_PLACEHOLDER),
        name=sql.Literal(role),
        role=sql.Identifier(role),
        limit=sql.Literal(_POOLS * settings.pool_size),
    )
    return f"{_CREATE_COMMENT}\nDO {_dollar_quote(body)};"


# The placeholder must never become the password of a role.
_CREATE_BODY = """\
DECLARE
  chosen text := {password};
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = {name}) THEN
    IF chosen LIKE '<%>' THEN
      RAISE EXCEPTION 'write a password of your own in the line that begins with "chosen"';
    END IF;
    CREATE ROLE {role} LOGIN
      NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS NOINHERIT;
    EXECUTE pg_catalog.format('ALTER ROLE %I PASSWORD %L', {name}, chosen);
  END IF;
  IF (SELECT rolconnlimit FROM pg_catalog.pg_roles WHERE rolname = {name}) < {limit} THEN
    ALTER ROLE {role} CONNECTION LIMIT {limit};
  END IF;
END"""
_CREATE_COMMENT = """\
-- Write a password of your own between the quotes. A role that exists keeps its password.
-- The connections are enough for four processes that serve or try tools."""


def _bound_database(settings: PostgresSettings, role: str) -> str:
    database, name = sql.Identifier(settings.database), sql.Identifier(role)
    return "\n".join(
        (
            _fill("GRANT CONNECT ON DATABASE {} TO {};", database, name),
            "-- Every role may make temporary tables unless this is taken away. Programs that need them",
            "-- get the right back by GRANT TEMPORARY ON DATABASE ... TO their role.",
            _fill("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC;", database),
        )
    )


def _grant_schema(role: str, schema: str, owners: Sequence[str]) -> str:
    name, reader = sql.Identifier(schema), sql.Identifier(role)
    return "\n".join(
        (
            _fill("REVOKE CREATE ON SCHEMA {} FROM PUBLIC;", name),
            _fill("GRANT USAGE ON SCHEMA {} TO {};", name, reader),
            "-- Every table and view of the schema; name them one by one if agents must not see all.",
            _fill("GRANT SELECT ON ALL TABLES IN SCHEMA {} TO {};", name, reader),
            "-- Those that are made later, by the owners of today's.",
            *_grant_future(name, reader, owners),
        )
    )


def _grant_future(
    schema: sql.Identifier, reader: sql.Identifier, owners: Sequence[str]
) -> Iterator[str]:
    tail: LiteralString = "IN SCHEMA {} GRANT SELECT ON TABLES TO {};"
    for owner in owners:
        yield _fill(
            "ALTER DEFAULT PRIVILEGES FOR ROLE {} " + tail, sql.Identifier(owner), schema, reader
        )
    if not owners:
        yield _fill("ALTER DEFAULT PRIVILEGES " + tail, schema, reader)


def _set_session(settings: PostgresSettings, role: str) -> Iterator[str]:
    yield "-- Defaults of its sessions; the data source asks for the same when it connects."
    times = {
        "statement_timeout": settings.statement_timeout_ms,
        "lock_timeout": settings.lock_timeout_ms,
        "idle_in_transaction_session_timeout": settings.statement_timeout_ms + 5_000,
    }
    reader = sql.Identifier(role)
    yield _fill("ALTER ROLE {} SET default_transaction_read_only = on;", reader)
    for name, value_ms in times.items():
        yield _fill(
            "ALTER ROLE {} SET {} = {};", reader, sql.Identifier(name), sql.Literal(f"{value_ms}ms")
        )
    schemas = [sql.Identifier(name) for name in read_search_path(settings.search_path)]
    if schemas:
        yield _fill(
            "ALTER ROLE {} IN DATABASE {} SET search_path = {};",
            reader,
            sql.Identifier(settings.database),
            sql.SQL(", ").join(schemas),
        )


def _limit_files(role: str) -> str:
    return "\n".join(
        (
            "-- Only a superuser may set this; a hosted database has it among its own parameters.",
            _fill("ALTER ROLE {} SET temp_file_limit = '512MB';", sql.Identifier(role)),
        )
    )


def _other_name(settings: PostgresSettings) -> str:
    """A name beside the role that is connected, which other programs may need as it is."""
    # Names that begin with pg_ are reserved for PostgreSQL's own roles.
    database = settings.database.removeprefix("pg_").encode()
    for ending in ("_reader", "_tool_reader"):
        stem = database[: _NAME_BYTES - len(ending)].decode(errors="ignore")
        if stem + ending != settings.user:
            return stem + ending
    raise AssertionError


def _dollar_quote(body: str) -> str:
    tag = "$role$"
    while tag in body:
        tag = f"${tag[1:-1]}_$"
    return f"{tag}\n{body}\n{tag}"


def _fill(statement: LiteralString, *parts: sql.Composable, **named: sql.Composable) -> str:
    return sql.SQL(statement).format(*parts, **named).as_string()
