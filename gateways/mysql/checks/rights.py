"""What the role of a data source of MariaDB or MySQL may do beyond reading, and the SQL of a right one."""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress

from core.catalogue.sql_names import quote_exactly
from core.messages import counted
from core.toolspec import Dialect
from gateways.check_report import Finding, list_names, ok, refused, warning
from gateways.mysql.questions import fetch
from gateways.mysql.schema import OUTSIDE_ENGINES
from gateways.mysql.settings import MysqlSettings
from gateways.mysql.wire import MysqlConnection, MysqlServerError

PASSWORD_PLACEHOLDER = "<choose a password>"  # noqa: S105 - it stands where a password goes
# Runtimes, the editor's trials and this check share the role.
_POOLS = 4
_SHOWN = 5
_GRANT = re.compile(r"GRANT (?P<rights>.+?) ON (?P<place>.+?) TO ", re.IGNORECASE | re.DOTALL)
_READING = frozenset({"USAGE", "SELECT", "SHOW VIEW"})
# They change rows and tables of the database, which a transaction that only reads mostly stops.
_CHANGING = frozenset(
    {
        *("INSERT", "UPDATE", "DELETE", "DELETE HISTORY", "CREATE", "DROP", "ALTER", "INDEX"),
        *("REFERENCES", "TRIGGER", "EVENT", "CREATE VIEW", "CREATE ROUTINE", "ALTER ROUTINE"),
        *("CREATE TEMPORARY TABLES", "LOCK TABLES", "EXECUTE"),
    }
)
_OTHER_ROLE_CODES = frozenset({"powerful-role", "changes-tables", "reads-everything"})
_SAME_ROLE_CODES = frozenset(
    {
        *("reads-nothing", "no-connection-limit", "connection-limit-too-small"),
        *("wrong-password", "no-connect-privilege", "not-admitted"),
    }
)

_VIEWS = """
SELECT table_name FROM information_schema.views
WHERE table_schema = DATABASE() AND security_type = 'DEFINER' ORDER BY table_name"""
_OUTSIDE = """
SELECT table_name FROM information_schema.tables
WHERE table_schema = DATABASE() AND engine IN ({marks}) ORDER BY table_name"""
_COUNT = "SELECT count(*) FROM information_schema.tables WHERE table_schema = DATABASE()"


async def find_rights(connection: MysqlConnection, settings: MysqlSettings) -> list[Finding]:
    """What the grants of the role, and in MariaDB those of PUBLIC, allow beyond SELECT."""
    grants = [str(row[0]) for row in await fetch(connection, "SHOW GRANTS")]
    # MySQL, and MariaDB before 10.11, have no PUBLIC.
    with suppress(MysqlServerError):
        grants += [str(row[0]) for row in await fetch(connection, "SHOW GRANTS FOR PUBLIC")]
    return list(judge_grants(grants))


def judge_grants(grants: Sequence[str]) -> Iterator[Finding]:
    """Findings about the lines of SHOW GRANTS."""
    rights: dict[str, None] = {}
    reads_everything = False
    for grant in grants:
        match = _GRANT.match(grant)
        if match is None:
            continue
        named = [
            right.strip().upper() for right in re.sub(r"\([^)]*\)", "", match["rights"]).split(",")
        ]
        rights |= dict.fromkeys(named)
        reads_everything |= match["place"] == "*.*" and "SELECT" in named
        if "WITH GRANT OPTION" in grant.upper():
            rights["GRANT OPTION"] = None
    powerful = [right for right in rights if right not in _READING | _CHANGING]
    changing = [right for right in rights if right in _CHANGING]
    if powerful:
        yield refused(
            "powerful-role",
            "The role has rights over the server ({rights}), with which a query may read or write files,"
            " settings or other databases. Make a role that has SELECT on one database.",
            rights=list_names(powerful[:_SHOWN], len(powerful)),
        )
    if changing:
        yield warning(
            "changes-tables",
            "The role may change data or call what does ({rights}). Queries of tools run read-only all"
            " the same; take the second lock too: REVOKE these rights, or use a role of its own.",
            rights=list_names(changing[:_SHOWN], len(changing)),
        )
    if reads_everything and not powerful:
        yield warning(
            "reads-everything",
            "The role may read every database of the server. Grant SELECT on this one alone.",
        )
    if not powerful and not changing:
        yield ok("reads-only", "The role has no right but to read.")


async def find_reading(connection: MysqlConnection, settings: MysqlSettings) -> list[Finding]:
    """How much there is to read, and what of it leads elsewhere."""
    [[count]] = await fetch(connection, _COUNT)
    findings = [
        ok(
            "reads",
            counted(
                "The role can read 1 table or view.", "The role can read {count} tables and views."
            ),
            count=count,
        )
        if count
        else warning(
            "reads-nothing", "The role can read no table. Run GRANT SELECT ON the database TO it."
        )
    ]
    if views := [str(row[0]) for row in await fetch(connection, _VIEWS)]:
        findings.append(
            warning(
                "definer-views",
                counted(
                    "1 view ({views}) reads with the rights of who made it, other databases too. Look at"
                    " what it does and calls.",
                    "{count} views ({views}) read with the rights of who made them, other databases too."
                    " Look at what they do and call.",
                ),
                count=len(views),
                views=list_names(views[:_SHOWN], len(views)),
            )
        )
    engines = tuple(sorted(OUTSIDE_ENGINES))
    sql = _OUTSIDE.format(marks=", ".join("?" * len(engines)))
    if tables := [str(row[0]) for row in await fetch(connection, sql, engines)]:
        findings.append(
            warning(
                "outside-tables",
                "The rows of {tables} are in another server or in files, which a query reaches through"
                " them. Take SELECT on them away where tools do not need it.",
                tables=list_names(tables[:_SHOWN], len(tables)),
            )
        )
    return findings


def needs_role_sql(codes: Collection[str]) -> bool:
    """Whether a finding of these codes is mended by the SQL of a reader."""
    return bool((_SAME_ROLE_CODES | _OTHER_ROLE_CODES).intersection(codes))


def make_reader_sql(
    settings: MysqlSettings, host: str, codes: Collection[str], *, is_mariadb: bool
) -> str:
    """SQL that makes a role which can read this database and nothing else; for an administrator to run."""
    user = settings.user
    if _OTHER_ROLE_CODES.intersection(codes):
        # Another role than the one that is connected, which other programs may need as it is.
        user = f"{settings.database[:24]}_reader"
        user = user if user != settings.user else f"{settings.database[:19]}_tool_reader"
    role = f"{_quote_text(user)}@{_quote_text(host)}"
    limits = f"MAX_USER_CONNECTIONS {_POOLS * settings.pool_size}"
    if is_mariadb:
        limits += f" MAX_STATEMENT_TIME {max(1, settings.statement_timeout_ms // 1_000)}"
    database = quote_exactly(settings.database, Dialect.MYSQL)
    # GRANT reads the name of a database as a pattern.
    pattern = database.replace("_", r"\_").replace("%", r"\%")
    return "\n".join(
        (
            "-- A role that can read this database and nothing else. Write a password of your own between",
            "-- the quotes, and run this as an administrator of the server. A role that exists keeps its",
            "-- password and its other rights: look at SHOW GRANTS.",
            f"CREATE USER IF NOT EXISTS {role} IDENTIFIED BY {_quote_text(PASSWORD_PLACEHOLDER)};",
            f"ALTER USER {role} WITH {limits};",
            f"GRANT SELECT ON {pattern}.* TO {role};",
            "-- A lower max_allowed_packet of the server bounds what one call of a function can work on.",
        )
    )


def _quote_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "''") + "'"
