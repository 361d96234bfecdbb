"""Why a data source of MariaDB or MySQL cannot be connected to, in words that say what to do."""

import socket
import ssl

from asyncmy.errors import MySQLError

from gateways.check_report import Finding, refused
from gateways.mysql.connecting import NO_TLS, TOO_MANY_CONNECTIONS

# Where the role itself is what is missing or wrong, so that the SQL of a new one helps.
ROLE_FAULTS = frozenset({"wrong-password", "no-connect-privilege", "not-admitted"})
_WORDS_LIMIT = 200
# Numbers from here on are those of clients.
_FIRST_OF_CLIENT = 2_000
_TOO_MANY = refused(
    "too-many-connections",
    "The server has no connection free for this role. Raise its MAX_USER_CONNECTIONS or the server's"
    " max_connections, or lower the connections of the pool.",
)
_TLS_FAILED = refused(
    "tls-failed",
    "TLS failed: the server's certificate was not accepted, or a certificate file of ours cannot be"
    " read. Check sslmode, sslrootcert and the host's name in the certificate.",
)
_NOT_MYSQL = refused(
    "not-mysql",
    "What answers at this port is neither MariaDB nor MySQL, or it closed the connection without a"
    " word. Check the port.",
)
# By the number of the server's error.
_FAULTS = {
    1045: refused(
        "wrong-password",
        "The server does not accept this role with this password. Check both; a role that does not"
        " exist, or not from this machine, is answered in the same way.",
    ),
    1044: refused(
        "no-connect-privilege",
        "The role has no right on this database. Run GRANT SELECT ON its tables TO it, and check the"
        " database's name.",
    ),
    1049: refused("unknown-database", "The server has no database of this name. Check it."),
    1130: refused(
        "not-admitted",
        "The server admits no role from this machine. Make the role for this machine's address.",
    ),
    1129: refused(
        "not-admitted-now",
        "The server has shut this machine out after too many failed connections. Run FLUSH HOSTS there.",
    ),
    **dict.fromkeys(TOO_MANY_CONNECTIONS, _TOO_MANY),
    2059: refused(
        "wrong-authentication",
        "The role signs in by a plugin that is not supported, or in plain text. Use"
        " mysql_native_password, caching_sha2_password or ed25519.",
    ),
    2061: refused(
        "needs-tls",
        "The role's plugin hands the password over only by TLS. Turn TLS on at the server.",
    ),
    NO_TLS: refused(
        "no-tls",
        "The server offers no TLS, and sslmode demands it. Turn it on at the server, or set"
        " sslmode=prefer on a network that you trust.",
    ),
}


# By the class of the error of the system; the first one fits.
_SYSTEM_FAULTS: tuple[tuple[tuple[type[BaseException], ...], Finding], ...] = (
    ((ssl.SSLError, FileNotFoundError, PermissionError), _TLS_FAILED),
    (
        (socket.gaierror, UnicodeError),
        refused("unknown-host", "No address is known for this host name. Check its spelling."),
    ),
    (
        (ConnectionRefusedError,),
        refused(
            "connection-refused",
            "Nothing listens at this host and port. Check both, and that the server is running and"
            " listens for connections from outside.",
        ),
    ),
    ((ConnectionError,), _NOT_MYSQL),
    (
        (OSError,),
        refused(
            "no-route", "This machine has no way to the host. Check the address and the network."
        ),
    ),
)


def find_connect_fault(error: BaseException, seconds: float) -> Finding:
    """What an error of `open_session` means; never holds the password or the address."""
    number = error.args[0] if isinstance(error, MySQLError) and error.args else None
    if isinstance(number, int) and number in _FAULTS:
        return _FAULTS[number]
    cause = error.__cause__ if isinstance(error, MySQLError) and error.__cause__ else error
    if isinstance(cause, TimeoutError):
        return refused(
            "no-answer",
            "The server did not answer within {seconds} s. Check host and port, and that no firewall"
            " stands between; a server of another kind may also stay silent.",
            seconds=f"{seconds:g}",
        )
    for classes, finding in _SYSTEM_FAULTS:
        if isinstance(cause, classes):
            return finding
    if isinstance(number, int) and number < _FIRST_OF_CLIENT:
        words = str(error.args[-1])[:_WORDS_LIMIT]
        return refused("connection-failed", "The server says: {words}", words=words)
    return _NOT_MYSQL
