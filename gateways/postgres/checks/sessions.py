"""Findings on a PostgreSQL session: its version, encryption, settings, search path and limits."""

import json

from gateways.check_report import Finding, ok, refused, warning
from gateways.postgres.checks.questions import fetch_fact, fetch_facts
from gateways.postgres.exchange import ReadOnlyQuery
from gateways.postgres.settings import PostgresSettings, read_search_path
from gateways.postgres.wire import WireConnection

OLDEST_VERSION = 130_000
_EXPIRY_DAYS = 30

_SETTINGS_SQL = """
SELECT s.name, s.setting, pg_catalog.current_setting(s.name) AS shown
FROM pg_catalog.pg_settings AS s WHERE pg_catalog.lower(s.name)
    IN (SELECT pg_catalog.lower(pg_catalog.jsonb_array_elements_text($1::pg_catalog.jsonb)))"""
_SCHEMAS_SQL = """
SELECT n.nspname AS name, pg_catalog.has_schema_privilege(n.oid, 'USAGE') AS is_usable
FROM pg_catalog.pg_namespace AS n
JOIN pg_catalog.jsonb_array_elements_text($1::pg_catalog.jsonb) AS asked(name)
    ON asked.name IN (n.nspname::text, pg_catalog.lower(n.nspname::text))"""
_LIMITS_SQL = f"""
SELECT pg_catalog.current_setting('server_version_num')::pg_catalog.int4 AS version,
    pg_catalog.current_setting('temp_file_limit') AS temp_file_limit,
    r.rolconnlimit AS connection_limit,
    r.rolvaliduntil < pg_catalog.now() + '{_EXPIRY_DAYS} days' AS expires_soon
FROM pg_catalog.pg_roles AS r WHERE r.rolname = SESSION_USER"""  # noqa: S608


async def find_settings(connection: WireConnection, settings: PostgresSettings) -> list[Finding]:
    """Whether the session has the settings that were asked for when it was opened."""
    options = settings.session
    rows = await fetch_facts(connection, _SETTINGS_SQL, json.dumps(list(options)))
    actual = {
        row["name"].lower(): {_normalize(row["setting"]), _normalize(row["shown"])} for row in rows
    }
    lost = [
        name
        for name, value in options.items()
        if _normalize(value) not in actual.get(name.lower(), ())
    ]
    if not lost:
        return [ok("settings-kept", "The session has the settings that it was opened with.")]
    return [
        refused(
            "settings-dropped",
            "The session does not have the settings that it was opened with ({settings}): a"
            " connection pooler drops them. Connect to the database itself, or set them for the"
            " role with ALTER ROLE ... SET.",
            settings=", ".join(lost),
        )
    ]


async def find_texts(connection: WireConnection, _settings: PostgresSettings) -> list[Finding]:
    """Whether a text ends where it does in PostgreSQL."""
    if await connection.fetch(ReadOnlyQuery(rb"SELECT 'a\b'")) == [[r"a\b"]]:
        return []
    return [
        refused(
            "other-texts",
            "The server reads a backslash in a text otherwise than PostgreSQL does, so that what a"
            " query says cannot be judged.",
        )
    ]


async def find_pooler(connection: WireConnection, settings: PostgresSettings) -> list[Finding]:
    """Whether a pooler stands in front of the server, and what it must not be asked."""
    fact = await fetch_fact(connection, "SELECT pg_catalog.pg_backend_pid() AS pid")
    if fact["pid"] == connection.backend_pid:
        return []
    if not settings.prepares_statements:
        return [
            ok(
                "pooler-right",
                "A connection pooler stands in front of the database, and nothing is kept parsed in"
                " its sessions.",
            )
        ]
    return [
        warning(
            "pooler-prepares",
            "A connection pooler stands in front of the database. If it shares sessions by"
            " transactions, calls fail where queries are kept parsed: switch that off for this data"
            " source.",
        )
    ]


async def find_search_path(connection: WireConnection, settings: PostgresSettings) -> list[Finding]:
    """Whether every schema of the search path exists and may be used."""
    names = read_search_path(settings.search_path)
    rows = await fetch_facts(connection, _SCHEMAS_SQL, json.dumps(names))
    usable = {row["name"]: row["is_usable"] for row in rows}
    findings = []
    missing = [name for name in names if name not in usable]
    if capitals := [name for name in usable if name.lower() in missing]:
        findings.append(
            warning(
                "schema-in-capitals",
                "The search path names schemas in small letters that have capitals: write {schemas}, with"
                " the quotes.",
                schemas=", ".join(f'"{name}"' for name in capitals),
            )
        )
    if missing := [name for name in missing if name not in map(str.lower, capitals)]:
        findings.append(
            warning(
                "schema-missing",
                "The search path names schemas that do not exist: {schemas}. Correct the search path.",
                schemas=", ".join(missing),
            )
        )
    if closed := [name for name in names if usable.get(name) is False]:
        findings.append(
            warning(
                "schema-closed",
                "The role may not use these schemas of the search path: {schemas}. Run GRANT USAGE ON"
                " SCHEMA ... TO it.",
                schemas=", ".join(closed),
            )
        )
    if not names:
        return [ok("search-path", "The search path is empty.")]
    shown = ok("search-path", "The search path is {schemas}.", schemas=", ".join(names))
    return findings or [shown]


async def find_limits(connection: WireConnection, settings: PostgresSettings) -> list[Finding]:
    """The server's version, and what bounds the role's files and connections."""
    fact = await fetch_fact(connection, _LIMITS_SQL)
    old_version = warning(
        "old-version",
        "The server is older than PostgreSQL 13, which nobody maintains any more. Some"
        " statements of tools may fail; upgrade the server.",
    )
    no_file_limit = warning(
        "no-temp-file-limit",
        "Queries may fill the server's disk with temporary files. Run ALTER ROLE ... SET"
        " temp_file_limit = '512MB' as a superuser.",
    )
    no_connection_limit = warning(
        "no-connection-limit",
        "The role may take every connection of the server. Run ALTER ROLE ... CONNECTION LIMIT"
        " with the pool's size times the number of runtimes, and some to spare.",
    )
    small_limit = warning(
        "connection-limit-too-small",
        "The role's CONNECTION LIMIT is {limit}, and the pool of one runtime has {pool_size}"
        " connections. Raise the limit, or make the pool smaller.",
        limit=fact["connection_limit"],
        pool_size=settings.pool_size,
    )
    expiry = warning(
        "password-expires",
        "The role's password expires within {days} days (VALID UNTIL). Renew it before.",
        days=_EXPIRY_DAYS,
    )
    judged = (
        (fact["version"] < OLDEST_VERSION, old_version),
        (fact["temp_file_limit"] == "-1", no_file_limit),
        (fact["connection_limit"] < 0, no_connection_limit),
        (0 <= fact["connection_limit"] < settings.pool_size, small_limit),
        (fact["expires_soon"], expiry),
    )
    return [finding for is_so, finding in judged if is_so]


def judge_encryption(*, is_encrypted: bool, settings: PostgresSettings) -> Finding:
    """Whether others on the network could read along."""
    if is_encrypted and settings.extra.get("sslmode") == "verify-full":
        return ok("encrypted", "The connection is encrypted and the server's name was verified.")
    if is_encrypted:
        return ok(
            "encrypted-unverified",
            "The connection is encrypted, but the server's name is not verified. Set"
            " sslmode=verify-full and sslrootcert to be sure of the server.",
        )
    if settings.host in {"", "localhost", "127.0.0.1", "::1"} or settings.host.startswith("/"):
        return ok("local", "The connection is not encrypted, and stays on this machine.")
    return warning(
        "not-encrypted",
        "The connection is not encrypted: password and rows can be read on the network. Turn on ssl"
        " at the server and set sslmode=verify-full, or at least require.",
    )


def _normalize(value: str) -> str:
    return value.replace(" ", "").lower()
