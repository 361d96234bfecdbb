"""Findings on what the role of a PostgreSQL data source may read, write, create and call."""

from collections.abc import Iterator

from core.messages import counted
from gateways.check_report import Finding, list_names, ok, warning
from gateways.postgres.checks.questions import Facts, fetch_fact
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.wire import WireConnection

# Grants to everybody, and to every role that the role can become; one question for all tables.
_WRITABLE_SQL = """
WITH granted AS (
    SELECT c.oid, a.grantee, a.privilege_type FROM pg_catalog.pg_class AS c,
        pg_catalog.aclexplode(c.relacl) AS a
    UNION ALL
    SELECT c.attrelid, a.grantee, a.privilege_type FROM pg_catalog.pg_attribute AS c,
        pg_catalog.aclexplode(c.attacl) AS a
), writable AS (
    SELECT c.oid, n.nspname, c.relname, pg_catalog.bool_or(g.grantee = 0) AS is_public
    FROM granted AS g
    JOIN pg_catalog.pg_class AS c ON c.oid = g.oid
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE g.privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')
        AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
        AND (g.grantee = 0 OR pg_catalog.pg_has_role(SESSION_USER, g.grantee, 'MEMBER'))
        AND NOT pg_catalog.pg_has_role(SESSION_USER, c.relowner, 'MEMBER')
    GROUP BY c.oid, n.nspname, c.relname
)
SELECT pg_catalog.count(*) AS count, pg_catalog.bool_or(w.is_public) AS is_public, ARRAY(
    SELECT pg_catalog.format('%I.%I', w.nspname, w.relname) FROM writable AS w
    ORDER BY w.nspname, w.relname LIMIT 3) AS examples
FROM writable AS w"""
_CREATABLE_SQL = """
WITH here AS (
    SELECT a.* FROM pg_catalog.pg_database AS d, pg_catalog.aclexplode(
        COALESCE(d.datacl, pg_catalog.acldefault('d', d.datdba))) AS a
    WHERE d.datname = pg_catalog.current_database() AND (a.grantee = 0
        OR pg_catalog.pg_has_role(SESSION_USER, a.grantee, 'MEMBER'))
), creatable AS (
    SELECT DISTINCT n.nspname FROM pg_catalog.pg_namespace AS n, pg_catalog.aclexplode(
        COALESCE(n.nspacl, pg_catalog.acldefault('n', n.nspowner))) AS a
    WHERE a.privilege_type = 'CREATE' AND n.nspname !~ '^pg_'
        AND NOT pg_catalog.pg_has_role(SESSION_USER, n.nspowner, 'MEMBER')
        AND (a.grantee = 0 OR pg_catalog.pg_has_role(SESSION_USER, a.grantee, 'MEMBER'))
)
SELECT EXISTS (SELECT FROM here WHERE here.privilege_type = 'TEMPORARY') AS temporary,
    EXISTS (SELECT FROM here WHERE here.privilege_type = 'CREATE') AS schemas,
    (SELECT pg_catalog.count(*) FROM creatable) AS count,
    ARRAY(SELECT c.nspname FROM creatable AS c ORDER BY 1 LIMIT 3) AS examples"""
_DEFINER_SQL = """
WITH callable AS (
    SELECT n.nspname, p.proname FROM pg_catalog.pg_proc AS p
    JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
    WHERE p.prosecdef AND p.provolatile = 'v' AND n.nspname NOT IN ('pg_catalog', 'information_schema')
        AND p.prorettype <> 'pg_catalog.trigger'::pg_catalog.regtype
        AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
        AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
)
SELECT (SELECT pg_catalog.count(*) FROM callable) AS count, ARRAY(
    SELECT pg_catalog.format('%I.%I', c.nspname, c.proname) FROM callable AS c
    ORDER BY 1 LIMIT 3) AS examples"""
_OUTSIDE_SQL = """
SELECT ARRAY(
    SELECT e.extname::pg_catalog.text FROM pg_catalog.pg_extension AS e
    WHERE e.extname IN ('dblink', 'postgres_fdw', 'file_fdw', 'adminpack', 'lo', 'http', 'pg_net',
        'pg_cron', 'aws_s3', 'aws_lambda', 'mysql_fdw', 'oracle_fdw', 'tds_fdw', 'pg_surgery')
    UNION
    SELECT l.lanname::pg_catalog.text FROM pg_catalog.pg_language AS l
    WHERE NOT l.lanpltrusted AND l.lanname NOT IN ('internal', 'c')
    ORDER BY 1) AS names"""
_READABLE_SQL = """
WITH readable AS (
    SELECT n.nspname FROM pg_catalog.pg_class AS c
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
        AND n.nspname <> 'information_schema' AND n.nspname !~ '^pg_'
        AND pg_catalog.has_schema_privilege(n.oid, 'USAGE')
        AND (pg_catalog.has_table_privilege(c.oid, 'SELECT')
            OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT'))
)
SELECT pg_catalog.count(*) AS count, pg_catalog.count(*) FILTER (
    WHERE r.nspname = ANY (pg_catalog.current_schemas(false))) AS in_path
FROM readable AS r"""


async def find_writing(connection: WireConnection, _settings: PostgresSettings) -> list[Finding]:
    """What the role may write or create when nothing else keeps it from it."""
    findings = []
    fact = await fetch_fact(connection, _WRITABLE_SQL)
    if fact["count"]:
        findings.append(
            warning(
                "writes-tables",
                counted(
                    "The role may change 1 table ({tables}). Queries of tools run read-only all the"
                    " same; take the second lock too: REVOKE INSERT, UPDATE, DELETE, TRUNCATE, or use"
                    " a role that can only read.",
                    "The role may change {count} tables ({tables}). Queries of tools run read-only"
                    " all the same; take the second lock too: REVOKE INSERT, UPDATE, DELETE, TRUNCATE,"
                    " or use a role that can only read.",
                ),
                count=fact["count"],
                tables=list_names(fact["examples"], fact["count"]),
            )
        )
    if fact["is_public"]:
        findings.append(
            warning(
                "writes-granted-to-public",
                "A right to change tables is granted to PUBLIC, so to every role. Run REVOKE ... FROM"
                " PUBLIC.",
            )
        )
    findings += _judge_creatable(await fetch_fact(connection, _CREATABLE_SQL))
    return findings or [ok("only-reads", "The role was granted no right to write or to create.")]


def _judge_creatable(fact: Facts) -> Iterator[Finding]:
    if fact["schemas"]:
        yield warning(
            "creates-schemas",
            "The role may create schemas in this database. Run REVOKE CREATE ON DATABASE.",
        )
    if fact["count"]:
        yield warning(
            "creates-tables",
            counted(
                "The role may create tables and functions in 1 schema ({schemas}). Run REVOKE"
                " CREATE ON SCHEMA, from PUBLIC where it is granted to all.",
                "The role may create tables and functions in {count} schemas ({schemas}). Run"
                " REVOKE CREATE ON SCHEMA, from PUBLIC where it is granted to all.",
            ),
            count=fact["count"],
            schemas=list_names(fact["examples"], fact["count"]),
        )
    if fact["temporary"]:
        yield warning(
            "makes-temporary-tables",
            "The role may make temporary tables, which every role may unless it is taken away."
            " Run REVOKE TEMPORARY ON DATABASE ... FROM PUBLIC, and grant it to those who need it.",
        )


async def find_callable(connection: WireConnection, _settings: PostgresSettings) -> list[Finding]:
    """Functions that act with the rights of others, and extensions that reach out of the database."""
    findings = []
    definers = await fetch_fact(connection, _DEFINER_SQL)
    if definers["count"]:
        findings.append(
            warning(
                "definer-functions",
                counted(
                    "The role may call 1 function that acts with its owner's rights ({functions})."
                    " Look at what it does, and run REVOKE EXECUTE ON FUNCTION ... FROM PUBLIC if"
                    " readers do not need it.",
                    "The role may call {count} functions that act with their owner's rights"
                    " ({functions}). Look at what they do, and run REVOKE EXECUTE ON FUNCTION ... FROM"
                    " PUBLIC where readers do not need them.",
                ),
                count=definers["count"],
                functions=list_names(definers["examples"], definers["count"]),
            )
        )
    outside = await fetch_fact(connection, _OUTSIDE_SQL)
    if outside["names"]:
        findings.append(
            warning(
                "reaches-out",
                "The database has {extensions}, made to reach other servers, files or programs. Tools"
                " cannot call their functions by name, but a view or a function can for them. Remove"
                " what is not needed.",
                extensions=", ".join(outside["names"]),
            )
        )
    return findings or [ok("calls-nothing", "No function or extension found that reaches further.")]


async def find_reading(connection: WireConnection, _settings: PostgresSettings) -> list[Finding]:
    """Whether there is anything to read, and whether it is found without a schema's name."""
    fact = await fetch_fact(connection, _READABLE_SQL)
    if not fact["count"]:
        finding = warning(
            "reads-nothing",
            "The role can read no table. Run GRANT USAGE ON SCHEMA ... and GRANT SELECT ON ... TO"
            " it.",
        )
    elif not fact["in_path"]:
        finding = warning(
            "search-path-empty",
            counted(
                "The role can read 1 table or view, which is not in the search path: tools must"
                " write the schema's name. Put the schema into the search path.",
                "The role can read {count} tables and views, none of them in the search path:"
                " tools must write the schema's name. Put the schemas into the search path.",
            ),
            count=fact["count"],
        )
    else:
        finding = ok(
            "reads",
            counted(
                "The role can read 1 table or view, {in_path} in the search path.",
                "The role can read {count} tables and views, {in_path} in the search path.",
            ),
            count=fact["count"],
            in_path=fact["in_path"],
        )
    return [finding]
