"""Findings on the role of a PostgreSQL data source: attributes, memberships, what it owns.

A member of another role can become that role with SET ROLE, also when it does not inherit; so every
role that it is a member of is looked at as if it were the role itself.
"""

from dataclasses import replace

from core.messages import counted
from gateways.check_report import Finding, Level, list_names, ok, refused, warning
from gateways.postgres.checks.questions import fetch_fact, fetch_facts
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.wire import WireConnection

_SUPERUSER = refused(
    "superuser",
    "The role is a superuser: no grant binds it, and a read-only transaction keeps it neither from"
    " running programs on the server nor from writing files. Use a role that can only read.",
)
_BYPASS_CODE = "bypasses-row-security"
# Attributes, with what is said of the role itself and of one that can become the {holder}. Those that
# a read-only transaction cannot stop, or that open everything, are refused.
_ATTRIBUTES = (
    (
        "rolsuper",
        _SUPERUSER,
        refused(
            "superuser",
            "The role can become a superuser as a member of {holder}. Take it out of that role, or"
            " use another one.",
            holder="",
        ),
    ),
    (
        "rolcreaterole",
        refused(
            "creates-roles",
            "The role can make roles and give them rights. Run ALTER ROLE ... NOCREATEROLE, or use"
            " another role.",
        ),
        refused(
            "creates-roles",
            "The role can make roles and give them rights as a member of {holder}. Take it out of"
            " that role, or use another one.",
            holder="",
        ),
    ),
    (
        "rolreplication",
        refused(
            "replicates",
            "The role can copy the whole server, whatever was granted to it. Run ALTER ROLE ..."
            " NOREPLICATION, or use another role.",
        ),
        refused(
            "replicates",
            "The role can copy the whole server as a member of {holder}. Take it out of that role,"
            " or use another one.",
            holder="",
        ),
    ),
    (
        "rolbypassrls",
        warning(
            _BYPASS_CODE,
            "The role sees rows that row security hides. Run ALTER ROLE ... NOBYPASSRLS, or use"
            " another role.",
        ),
        warning(
            _BYPASS_CODE,
            "The role can see rows that row security hides as a member of {holder}. Take it out of"
            " that role, or use another one.",
            holder="",
        ),
    ),
    (
        "rolcreatedb",
        warning(
            "creates-databases",
            "The role can make databases. Run ALTER ROLE ... NOCREATEDB, or use another role.",
        ),
        warning(
            "creates-databases",
            "The role can make databases as a member of {holder}. Take it out of that role, or use"
            " another one.",
            holder="",
        ),
    ),
)
# Predefined roles that reach files, programs or every table.
_DANGEROUS_ROLES = frozenset(
    {
        "pg_execute_server_program",
        "pg_write_server_files",
        "pg_read_server_files",
        "pg_write_all_data",
        "pg_create_subscription",
    }
)
_POWERFUL_ROLES = frozenset(
    {
        "pg_checkpoint",
        "pg_maintain",
        "pg_monitor",
        "pg_read_all_data",
        "pg_read_all_settings",
        "pg_read_all_stats",
        "pg_signal_autovacuum_worker",
        "pg_signal_backend",
        "pg_stat_scan_tables",
        "pg_use_reserved_connections",
    }
)

_ROLES_SQL = """
SELECT r.rolname AS name, r.rolname = SESSION_USER AS is_self, r.rolsuper, r.rolcreaterole,
    r.rolcreatedb, r.rolreplication, r.rolbypassrls
FROM pg_catalog.pg_roles AS r
WHERE r.rolname = SESSION_USER
    OR (pg_catalog.pg_has_role(SESSION_USER, r.oid, 'MEMBER') AND NOT
        (SELECT s.rolsuper FROM pg_catalog.pg_roles AS s WHERE s.rolname = SESSION_USER))
ORDER BY is_self DESC, r.rolname"""
_BECOMES_SQL = """
SELECT wanted.name, r.oid IS NOT NULL AND pg_catalog.pg_has_role(SESSION_USER, r.oid, 'MEMBER') AS may_become
FROM pg_catalog.unnest($1::pg_catalog.text[]) AS wanted (name)
LEFT JOIN pg_catalog.pg_roles AS r ON r.rolname = wanted.name ORDER BY wanted.name"""
# Everything that has an owner is in pg_shdepend, unless the role that initdb made owns it.
_OWNED_SQL = """
WITH here AS (
    SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = pg_catalog.current_database()
), owned AS (
    SELECT o.classid, o.objid FROM pg_catalog.pg_shdepend AS o, here
    WHERE o.deptype = 'o' AND o.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass
        AND (o.dbid = here.oid OR (o.objid = here.oid
            AND o.classid = 'pg_catalog.pg_database'::pg_catalog.regclass))
        AND pg_catalog.pg_has_role(SESSION_USER, o.refobjid, 'MEMBER')
)
SELECT (SELECT pg_catalog.count(*) FROM owned) AS count, ARRAY(
    SELECT pg_catalog.pg_describe_object(o.classid, o.objid, 0) FROM owned AS o
    LEFT JOIN pg_catalog.pg_class AS c
        ON c.oid = o.objid AND o.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
    ORDER BY COALESCE(c.relkind IN ('r', 'p', 'v', 'm'), false) DESC, o.objid LIMIT 3) AS examples"""


async def find_role(connection: WireConnection, settings: PostgresSettings) -> list[Finding]:
    """Attributes and memberships that a reader must not have.

    Where callers have rows of their own, a role that policies do not bind is unfit.
    """
    roles = await fetch_facts(connection, _ROLES_SQL)
    if roles[0]["rolsuper"]:
        return [_SUPERUSER]
    findings: list[Finding] = []
    for attribute, own, inherited in _ATTRIBUTES:
        # The role itself comes first.
        holder = next((role for role in roles if role[attribute]), None)
        if holder and holder["is_self"]:
            findings.append(own)
        elif holder:
            held_by = replace(inherited.message, values={"holder": holder["name"]})
            findings.append(replace(inherited, message=held_by))
    if settings.identity:
        findings = [
            replace(finding, level=Level.REFUSED) if finding.code == _BYPASS_CODE else finding
            for finding in findings
        ]
    names = [role["name"] for role in roles]
    if dangerous := [name for name in names if name in _DANGEROUS_ROLES]:
        findings.append(
            refused(
                "dangerous-membership",
                "The role is a member of {roles}: that reaches files, programs or every table of the"
                " server. Run REVOKE ... FROM it, or use another role.",
                roles=", ".join(dangerous),
            )
        )
    if powerful := [name for name in names if name in _POWERFUL_ROLES]:
        findings.append(
            warning(
                "powerful-membership",
                "The role is a member of {roles}: it sees or disturbs more than the tables that were"
                " granted to it. Run REVOKE ... FROM it where that is not meant.",
                roles=", ".join(powerful),
            )
        )
    return findings or [ok("plain-role", "The role has no attribute or membership beyond reading.")]


async def find_callers_roles(
    connection: WireConnection, settings: PostgresSettings
) -> list[Finding]:
    """Whether the role may become those that callers are made; what these may do is the role's, above."""
    if not settings.identity.roles:
        return []
    rows = await fetch_facts(connection, _BECOMES_SQL, f"{{{','.join(settings.identity.roles)}}}")
    if missing := [row["name"] for row in rows if not row["may_become"]]:
        return [
            refused(
                "not-a-member",
                "The role cannot become {roles}, which its callers shall be. Run GRANT ... TO it, or take"
                " them out of the list.",
                roles=", ".join(missing),
            )
        ]
    return [ok("becomes-roles", "The role can become those that its callers are made.")]


async def find_owned(connection: WireConnection, _settings: PostgresSettings) -> list[Finding]:
    """Whether the role owns anything of this database: an owner's rights cannot be taken away."""
    fact = await fetch_fact(connection, _OWNED_SQL)
    if not fact["count"]:
        return [ok("owns-nothing", "The role owns nothing in this database.")]
    return [
        refused(
            "owner",
            counted(
                "The role, or one that it is a member of, owns 1 object ({objects}). An owner may"
                " change, drop and grant what it owns. Use a role of its own for reading.",
                "The role, or one that it is a member of, owns {count} objects ({objects}). An"
                " owner may change, drop and grant what it owns. Use a role of its own for"
                " reading.",
            ),
            count=fact["count"],
            objects=list_names(fact["examples"], fact["count"]),
        )
    ]
