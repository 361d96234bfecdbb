"""Checks of the application's own database, by the connection and the role that the product will have."""

import time
from collections.abc import Iterator
from typing import Any

import psycopg
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.migrations.executor import MigrationExecutor
from psycopg.conninfo import conninfo_to_dict

from access.replica import REPLICA
from config import env
from config.deployment.findings import DeploymentFinding, caution, fault, fine
from config.services.options import LOOPBACK

MIN_VERSION = 15
# Django's connection parameters that psycopg's own connections do without.
_DJANGOS_OWN = frozenset(
    {"client_encoding", "cursor_factory", "context", "prepare_threshold", "pool"}
)
CONNECT_TIMEOUT_S = 5
NOTIFY_TIMEOUT_S = 3.0
SLOW_ROUND_TRIP_MS = 5.0
PROBES = 5
MAX_CLOCK_DIFFERENCE_S = 2.0
CONNECTIONS_OF_A_RUNTIME = 6
POOLER_LINE = (
    "DATABASE_URL=postgresql://…  # of PostgreSQL itself, or of a pooler with pool_mode = session\n"
    "DATABASE_LISTEN_URL=postgresql://…  # of PostgreSQL itself, where only runtimes use that pooler"
)
DATABASE_LINE = "DATABASE_URL=postgresql://toolbuilder:password@db.example.org:5432/toolbuilder"


def connect(alias: str = DEFAULT_DB_ALIAS, **instead: Any) -> psycopg.Connection[Any]:
    """A connection of its own to the application's database, without Django and without its pool.

    `instead` is of libpq's parameters, in the place of those of DATABASE_URL.
    """
    parameters = connections[alias].get_connection_params()
    given = {name: parameters[name] for name in parameters.keys() - _DJANGOS_OWN}
    given |= {"connect_timeout": CONNECT_TIMEOUT_S, "options": "-c statement_timeout=5s"}
    return psycopg.connect(**given | instead, autocommit=True)


def ask(statement: str, *parameters: Any) -> tuple[Any, ...]:
    """The one row of the answer."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        row: tuple[Any, ...] = cursor.fetchone()
    return row


def check_reachable() -> Iterator[DeploymentFinding]:
    """Whether there is a PostgreSQL, new enough and near enough."""
    try:
        with connect() as own:
            version = own.info.server_version // 10_000
            times = []
            for _ in range(PROBES):
                began = time.perf_counter()
                own.execute("SELECT 1")
                times.append((time.perf_counter() - began) * 1_000)
    except psycopg.Error as error:
        # Of libpq's words those of the first line: they name host and role, never the password.
        words = str(error).strip().splitlines() or [type(error).__name__]
        yield fault("database", f"DATABASE_URL cannot be reached: {words[0]}", DATABASE_LINE)
        return
    if version < MIN_VERSION:
        yield fault(
            "database",
            f"PostgreSQL {version} is too old; version {MIN_VERSION} is needed.",
            DATABASE_LINE,
        )
    elif min(times) > SLOW_ROUND_TRIP_MS:
        yield caution(
            "database",
            f"A round trip to the database takes {min(times):.1f} ms; pages take dozens of them."
            " Put it nearer.",
        )
    else:
        yield fine("database", f"PostgreSQL {version}; a round trip takes {min(times):.1f} ms.")


def check_pooler() -> Iterator[DeploymentFinding]:
    """Whether sessions are ours: LISTEN, advisory locks and the audit trail's actor need that."""
    with connect() as own, connect() as other:
        (first,) = own.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        if first == own.info.backend_pid:
            yield fine("pooler", "Sessions are PostgreSQL's own.")
            return
        # A pooler has cancel keys of its own. Where the server's session is given to another client
        # as soon as ours is at rest, it shares them by transactions.
        other.execute("BEGIN")
        (second,) = other.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        (third,) = own.execute("SELECT pg_backend_pid()").fetchone() or (0,)
        other.execute("ROLLBACK")
    if (first == second or first != third) and settings.DATABASE_LISTEN_URL:
        yield caution(
            "pooler",
            "DATABASE_URL leads through a pooler that shares sessions by transactions. That is right for"
            " runtimes alone: the web side, workers and commands need PostgreSQL itself.",
        )
    elif first == second or first != third:
        yield fault(
            "pooler",
            "DATABASE_URL leads through a pooler that shares sessions by transactions: notifications"
            " of changed tools are lost, and locks and the audit trail's names meet other clients.",
            POOLER_LINE,
        )
    else:
        yield caution(
            "pooler",
            "DATABASE_URL leads through a pooler; it must keep sessions (pool_mode = session).",
        )


def check_notifications() -> Iterator[DeploymentFinding]:
    """Whether LISTEN hears what NOTIFY says, for changes of tools within milliseconds."""
    beside: dict[str, Any] = conninfo_to_dict(settings.DATABASE_LISTEN_URL)
    with connect(**beside) as listener, connect() as speaker:
        listener.execute("LISTEN toolbuilder_deploy_check")
        speaker.execute("NOTIFY toolbuilder_deploy_check")
        heard = list(listener.notifies(timeout=NOTIFY_TIMEOUT_S, stop_after=1))
    if heard:
        yield fine("notifications", "LISTEN hears what NOTIFY says.")
    else:
        yield fault(
            "notifications",
            "LISTEN hears nothing: changes of tools reach agents up to two seconds late.",
            POOLER_LINE,
        )


def check_hosts() -> Iterator[DeploymentFinding]:
    """Whether of several hosts the one is taken that takes writes."""
    database = settings.DATABASES["default"]
    hosts, wish = database["HOST"].split(","), "target_session_attrs"
    if len(hosts) > 1 and database["OPTIONS"].get(wish) not in {"read-write", "primary"}:
        yield fault(
            "database-hosts",
            "DATABASE_URL names several hosts, and may lead to one that takes no writes.",
            f"DATABASE_URL=postgresql://…@{','.join(hosts)}/{database['NAME']}?{wish}=read-write",
        )
    elif len(hosts) > 1:
        yield fine("database-hosts", "Of several hosts the one is taken that takes writes.")


def check_replica() -> Iterator[DeploymentFinding]:
    """Whether the replica is one of this database, and reachable."""
    if not settings.DATABASE_REPLICA_URL:
        return
    line = "DATABASE_REPLICA_URL=postgresql://…  # of a streaming replica of DATABASE_URL's server"
    identity = "SELECT system_identifier FROM pg_control_system()"
    try:
        with connect(REPLICA) as own:
            is_replica, theirs = own.execute(
                f"SELECT pg_is_in_recovery(), ({identity})"
            ).fetchone() or (False, None)
    except psycopg.Error as error:
        words = str(error).strip().splitlines() or [type(error).__name__]
        yield caution("replica", f"Pages are read from the primary: {words[0]}", line)
        return
    if not is_replica or (theirs,) != ask(identity):
        yield fault("replica", "DATABASE_REPLICA_URL is no replica of DATABASE_URL.", line)
    else:
        yield fine("replica", "The replica is one of this database.")


def check_role() -> Iterator[DeploymentFinding]:
    """Whether the role may do what migrations do, and no more than it has to."""
    role, is_super, makes_roles, makes_bases, schema, may_create, foreign = ask("""
        SELECT rolname, rolsuper, rolcreaterole, rolcreatedb, current_schema(),
            coalesce(has_schema_privilege(current_schema(), 'CREATE'), false),
            (SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace
                AND relkind IN ('r', 'p') AND (relname LIKE 'h\\_%%' OR relname LIKE 'django\\_%%')
                AND NOT pg_has_role(relowner, 'USAGE'))
        FROM pg_roles WHERE rolname = current_user""")
    if is_super:
        yield fault(
            "database-role",
            f"The role {role} is a superuser: whoever gets at its password has the whole server.",
            f'ALTER ROLE "{role}" NOSUPERUSER; ALTER DATABASE … OWNER TO "{role}";',
        )
    elif makes_roles or makes_bases:
        yield caution(
            "database-role",
            f"The role {role} may make roles or databases, which it never does.",
            f'ALTER ROLE "{role}" NOCREATEROLE NOCREATEDB;',
        )
    if not may_create:
        yield fault(
            "database-role",
            f"The role {role} may make no tables in the schema {schema or 'of its search path'}.",
            f'GRANT USAGE, CREATE ON SCHEMA {schema or "public"} TO "{role}";',
        )
    elif foreign:
        yield fault(
            "database-role",
            f"{foreign} tables are not of the role {role}: migrations cannot change them.",
            f'REASSIGN OWNED BY former_role TO "{role}";',
        )
    elif not is_super:
        yield fine("database-role", f"The role {role} owns its tables and is no superuser.")


def check_triggers() -> Iterator[DeploymentFinding]:
    """Whether a table, a function and a trigger can be made: tried, and rolled back."""
    try:
        with connect() as own:
            own.execute("BEGIN")
            own.execute("CREATE TABLE toolbuilder_deploy_check (id int)")
            own.execute(
                "CREATE FUNCTION toolbuilder_deploy_check() RETURNS trigger LANGUAGE plpgsql"
                " AS 'BEGIN RETURN NULL; END'"
            )
            own.execute(
                "CREATE TRIGGER probe AFTER INSERT ON toolbuilder_deploy_check"
                " EXECUTE FUNCTION toolbuilder_deploy_check()"
            )
            own.execute("ROLLBACK")
    except psycopg.Error as error:
        yield fault(
            "triggers",
            f"Tables with triggers cannot be made: {str(error).splitlines()[0]}.",
            "GRANT USAGE ON LANGUAGE plpgsql TO PUBLIC; GRANT CREATE ON SCHEMA public TO toolbuilder;",
        )
    else:
        yield fine("triggers", "Tables with triggers can be made.")


def check_extensions() -> Iterator[DeploymentFinding]:
    """Whether pg_trgm, which searches use, is there or can be made."""
    has_trigrams, is_available, may_create = ask("""
        SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm'),
            EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm'),
            has_database_privilege(current_database(), 'CREATE')""")
    if has_trigrams:
        yield fine("extensions", "pg_trgm is there.")
    elif not is_available:
        yield fault("extensions", "The server lacks pg_trgm.", "apt-get install postgresql-contrib")
    elif not may_create:
        yield fault(
            "extensions", "pg_trgm is not made, and this role cannot.", "CREATE EXTENSION pg_trgm;"
        )
    else:
        yield fine("extensions", "pg_trgm comes with the migrations.")


def check_migrations() -> Iterator[DeploymentFinding]:
    """Whether the tables are those of this program."""
    executor = MigrationExecutor(connection)
    graph, applied = executor.loader.graph, executor.loader.applied_migrations
    pending = executor.migration_plan(graph.leaf_nodes())
    apps = {app for app, _name in graph.nodes}
    unknown = [
        f"{app}.{name}" for app, name in applied if app in apps and (app, name) not in graph.nodes
    ]
    if unknown and not pending:
        yield fault(
            "migrations",
            f"The database is of a later version ({', '.join(sorted(unknown)[:3])}); run that one.",
        )
    elif pending:
        yield fault(
            "migrations",
            f"Migrations that have not run: {len(pending)}.",
            f"{env.PROGRAM} migrate",
        )
    else:
        yield fine("migrations", "The tables are those of this version.")


def check_durability() -> Iterator[DeploymentFinding]:
    """Whether what is committed survives a crash, and there are connections for everybody."""
    fsync, full_pages, most, used = ask("""
        SELECT current_setting('fsync')::boolean, current_setting('full_page_writes')::boolean,
            current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
            (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')""")
    if not (fsync and full_pages):
        yield fault(
            "durability",
            "fsync or full_page_writes is off: a crash of the server destroys the database.",
            "ALTER SYSTEM SET fsync = on; ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf();",
        )
    free = most - used
    if free < 4 * CONNECTIONS_OF_A_RUNTIME:
        yield caution(
            "connections",
            f"{free} of {most} connections are free; each process of a runtime takes up to"
            f" {CONNECTIONS_OF_A_RUNTIME}, one of the web side DATABASE_POOL_SIZE.",
            "ALTER SYSTEM SET max_connections = 200;  -- and restart PostgreSQL",
        )
    elif fsync and full_pages:
        yield fine("durability", f"What is committed stays; {free} of {most} connections are free.")


def check_encryption() -> Iterator[DeploymentFinding]:
    """Whether what goes to the database over a network is encrypted."""
    host = settings.DATABASES["default"]["HOST"]
    (is_encrypted,) = ask(
        "SELECT coalesce((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false)"
    )
    if is_encrypted or not host or host in LOOPBACK or host.startswith("/"):
        yield fine("database-tls", "The connection is encrypted or does not leave this machine.")
    else:
        yield caution(
            "database-tls",
            f"The connection to {host} is not encrypted.",
            "DATABASE_URL=postgresql://…?sslmode=verify-full&sslrootcert=/etc/ssl/certs/ca-certificates.crt",
        )


def check_clock() -> Iterator[DeploymentFinding]:
    """Whether this machine and the database agree on the time: ends of keys and of sessions depend on it."""
    before = time.time()
    (theirs,) = ask("SELECT extract(epoch FROM clock_timestamp())::float8")
    difference = theirs - (before + time.time()) / 2
    if abs(difference) > MAX_CLOCK_DIFFERENCE_S:
        yield caution(
            "clock",
            f"The database's clock is {difference:+.0f} s from ours.",
            "apt-get install chrony",
        )
    else:
        yield fine("clock", "This machine and the database agree on the time.")
