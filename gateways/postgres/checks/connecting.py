"""Why a PostgreSQL data source cannot be connected to, in words that say what to do."""

import re

import psycopg

from gateways.check_report import Finding, refused
from gateways.postgres.checks.questions import connect_seconds
from gateways.postgres.settings import PostgresSettings

# Where the role itself is what is missing or wrong, so that the SQL of a new one helps.
ROLE_FAULTS = frozenset({"wrong-password", "no-password", "unknown-role", "no-connect-privilege"})
_WORDS_LIMIT = 200

_UNKNOWN_HOST = refused(
    "unknown-host", "No address is known for this host name. Check its spelling."
)
_NO_ROUTE = refused(
    "no-route", "This machine has no way to the host. Check the address and the network."
)
_NOT_POSTGRESQL = refused(
    "not-postgresql", "What answers at this port is not PostgreSQL. Check the port."
)
# A part of libpq's or the server's English message, and what it means; the first one fits.
_FAULTS: dict[str, Finding] = {
    "unsupported startup parameter": refused(
        "pooler-refuses-options",
        "A connection pooler in front of the database refuses the session's options (time"
        " limits, search path). Connect to the database itself.",
    ),
    "no password supplied": refused(
        "no-password",
        "The server asks for a password and none is set. Set the password of the data source.",
    ),
    "authentication failed": refused(
        "wrong-password",
        "The server does not accept this role with this password. Check both; a role that"
        " does not exist or has expired is answered in the same way.",
    ),
    "is not permitted to log in": refused(
        "role-may-not-log-in",
        "The role may not log in. Run ALTER ROLE ... LOGIN, or use a role that may.",
    ),
    "permission denied for database": refused(
        "no-connect-privilege",
        "The role may not connect to this database. Run GRANT CONNECT ON DATABASE ... TO it.",
    ),
    "pg_hba.conf": refused(
        "not-admitted",
        "The server's pg_hba.conf does not admit this role and database from this machine."
        " Have a line added there, or set sslmode=require where it admits encrypted"
        " connections only.",
    ),
    "too many": refused(
        "too-many-connections",
        "The server has no connection free for this role. Raise its CONNECTION LIMIT or the"
        " server's max_connections, or lower the connections of the pool.",
    ),
    "connection slots": refused(
        "too-many-connections",
        "The server has no connection free for this role. Raise max_connections, or lower the"
        " connections of the pool.",
    ),
    "the database system is": refused(
        "starting", "The server is starting, stopping or recovering. Check again in a moment."
    ),
    "invalid value for parameter": refused(
        "wrong-setting",
        "The server does not take one of the session's settings. Check the search path (names"
        " with commas between them) and the time zone.",
    ),
    "failed to resolve host": _UNKNOWN_HOST,
    "could not translate host name": _UNKNOWN_HOST,
    "connection refused": refused(
        "connection-refused",
        "Nothing listens at this host and port. Check both, and that the server is running"
        " and listens for connections from outside.",
    ),
    "is the server running locally": refused(
        "connection-refused",
        "Nothing listens at this socket. Check the host (the socket's folder) and the port.",
    ),
    "no route to host": _NO_ROUTE,
    "network is unreachable": _NO_ROUTE,
    "server does not support ssl": refused(
        "no-tls",
        "The server offers no TLS, and sslmode demands it. Turn on ssl at the server, or set"
        " sslmode=prefer on a network that you trust.",
    ),
    "received invalid response to ssl negotiation": _NOT_POSTGRESQL,
    "expected authentication request": _NOT_POSTGRESQL,
    "server closed the connection unexpectedly": refused(
        "not-postgresql",
        "What listens at this port closed the connection without a word: it is not"
        " PostgreSQL, or something on the way cut it. Check the port.",
    ),
    "invalid sslmode": refused(
        "wrong-option",
        "sslmode must be disable, allow, prefer, require, verify-ca or verify-full.",
    ),
    "connection option": refused(
        "wrong-option",
        "An option of the connection is unknown. Use names of libpq, such as sslmode.",
    ),
    "certificate": refused(
        "tls-failed",
        "TLS failed: the server's certificate was not accepted, or a certificate file of ours"
        " cannot be read. Check sslmode, sslrootcert and the host's name in the certificate.",
    ),
    "ssl": refused(
        "tls-failed",
        "TLS failed. Check sslmode and sslrootcert, and the versions of TLS that the server takes.",
    ),
}
_ABSENT = re.compile(r'(role|database) "[^\n]*" does not exist')
_ABSENT_FAULTS = {
    "role": refused(
        "unknown-role", "The server has no role of this name. Check it, or make the role."
    ),
    "database": refused("unknown-database", "The server has no database of this name. Check it."),
}


def find_connect_fault(error: Exception, settings: PostgresSettings) -> Finding:
    """What an error of `open_session` means; never holds the password or the address."""
    if isinstance(error, TimeoutError | psycopg.errors.ConnectionTimeout):
        return refused(
            "no-answer",
            "The server did not answer within {seconds} s. Check host and port, and that no"
            " firewall stands between; a server that is not PostgreSQL may also stay silent.",
            seconds=f"{connect_seconds(settings):g}",
        )
    if isinstance(error, UnicodeError):
        return refused("unknown-host", "The host is no valid name. Check its spelling.")
    text = str(error)
    if match := _ABSENT.search(text):
        return _ABSENT_FAULTS[match[1]]
    # Without libpq's introduction, which names host and port.
    own_words = text.rsplit(" failed: ", 1)[-1]
    lowered = f"{own_words}\n".lower()
    for part, fault in _FAULTS.items():
        if part in lowered:
            return fault
    words = own_words.strip().partition("\n")[0][:_WORDS_LIMIT]
    return refused(
        "connection-failed",
        "The connection failed, in the server's words: {words}",
        words=words.replace(settings.password, "***") if settings.password else words,
    )
