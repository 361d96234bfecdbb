"""The SQL that makes a role which can only read, for an administrator of a PostgreSQL database to run."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import LiteralString

from psycopg import sql

from gateways.postgres.checks.questions import fetch_facts
from gateways.postgres.settings import PostgresSettings, read_search_path
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


_INTRODUCTION = """\
-- A role that can read and nothing else. Run this in the database of the data source, as a superuser
-- or as the owner of the database with CREATEROLE. It may be run again."""
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


def find_role_name(settings: PostgresSettings, codes: Collection[str]) -> str:
    """The role that the SQL should make or mend; '' when no finding calls for one."""
    if not _OTHER_ROLE_CODES.intersection(codes):
        return settings.user if _SAME_ROLE_CODES.intersection(codes) else ""
    # A name beside the role that is connected, which other programs may need as it is. Names that
    # begin with pg_ are reserved for PostgreSQL's own roles.
    database = settings.database.removeprefix("pg_").encode()
    names = [
        database[: _NAME_BYTES - len(ending)].decode(errors="ignore") + ending
        for ending in ("_reader", "_tool_reader")
    ]
    return names[0] if names[0] != settings.user else names[1]


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
    # Names are in quotes only, never in a comment, where a line break would end it.
    database, reader = sql.Identifier(settings.database), sql.Identifier(role)
    body = _fill(
        _CREATE_BODY,
        password=sql.Literal(PASSWORD_PLACEHOLDER),
        name=sql.Literal(role),
        role=reader,
        limit=sql.Literal(_POOLS * settings.pool_size),
    )
    tag = "$role$"
    while tag in body:
        tag = f"${tag[1:-1]}_$"
    sections = (
        (_INTRODUCTION,),
        (_CREATE_COMMENT, f"DO {tag}", body, f"{tag};"),
        (
            _fill("GRANT CONNECT ON DATABASE {} TO {};", database, reader),
            "-- Every role may make temporary tables unless this is taken away. Programs that need them",
            "-- get the right back by GRANT TEMPORARY ON DATABASE ... TO their role.",
            _fill("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC;", database),
        ),
        *(_grant_schema(reader, sql.Identifier(name), owners[name]) for name in owners),
        _set_session(settings, reader),
        (
            "-- Only a superuser may set this; a hosted database has it among its own parameters.",
            _fill("ALTER ROLE {} SET temp_file_limit = '512MB';", reader),
        ),
    )
    return "\n\n".join("\n".join(lines) for lines in sections) + "\n"


def _grant_schema(
    reader: sql.Identifier, schema: sql.Identifier, owners: Sequence[str]
) -> Iterator[str]:
    yield _fill("REVOKE CREATE ON SCHEMA {} FROM PUBLIC;", schema)
    yield _fill("GRANT USAGE ON SCHEMA {} TO {};", schema, reader)
    yield "-- Every table and view of the schema; name them one by one if agents must not see all."
    yield _fill("GRANT SELECT ON ALL TABLES IN SCHEMA {} TO {};", schema, reader)
    yield "-- Those that are made later, by the owners of today's."
    tail: LiteralString = "IN SCHEMA {} GRANT SELECT ON TABLES TO {};"
    for owner in owners:
        yield _fill(
            "ALTER DEFAULT PRIVILEGES FOR ROLE {} " + tail, sql.Identifier(owner), schema, reader
        )
    if not owners:
        yield _fill("ALTER DEFAULT PRIVILEGES " + tail, schema, reader)


def _set_session(settings: PostgresSettings, reader: sql.Identifier) -> Iterator[str]:
    yield "-- Defaults of its sessions; the data source asks for the same when it connects."
    times = {
        "statement_timeout": settings.statement_timeout_ms,
        "lock_timeout": settings.lock_timeout_ms,
        "idle_in_transaction_session_timeout": settings.statement_timeout_ms + 5_000,
    }
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


def _fill(statement: LiteralString, *parts: sql.Composable, **named: sql.Composable) -> str:
    return sql.SQL(statement).format(*parts, **named).as_string()
