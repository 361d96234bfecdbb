"""Opens a connection of asyncmy that can only read: TLS, sign-in, and what its session is held to."""

import ssl
import struct
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NoReturn
from zoneinfo import ZoneInfo

from asyncmy.charset import charset_by_name
from asyncmy.connection import Connection
from asyncmy.constants import CLIENT
from asyncmy.errors import MySQLError, OperationalError

from gateways.mysql.settings import MysqlSettings

# What asyncmy raises for a server that does not speak its protocol, beside its own errors.
CONNECT_FAULTS = (MySQLError, OSError, TimeoutError, ValueError, IndexError, struct.error)
NO_TLS = 2026
UNKNOWN_VARIABLE = 1193
_UNKNOWN_ZONE = 1298
TOO_MANY_CONNECTIONS = frozenset({1040, 1203, 1226})
# The lexer relies on these: a backslash escapes, and "a" is a text.
_SQL_MODE = "STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,ERROR_FOR_DIVISION_BY_ZERO"
_MOST_PACKET_BYTES = 2**24 - 1
# One that the server does not know is left out; the one of them that bounds time has two names.
_BOUNDS = {
    "max_session_mem_used": 134_217_728,
    "tmp_disk_table_size": 268_435_456,
    "tmp_memory_table_size": 16_777_216,
    "max_heap_table_size": 16_777_216,
    "group_concat_max_len": 65_536,
    "max_recursive_iterations": 100_000,
    "expensive_subquery_limit": 0,
}


class TlsMissingError(OperationalError):  # type: ignore[misc]
    """The server has no TLS, and the settings want it."""


class _RefusedPlugin:
    """For ways to sign in that show the password to whoever answers."""

    def __init__(self, _connection: object) -> None: ...

    def authenticate(self, _packet: object) -> NoReturn:
        raise OperationalError(2059, "the server asks for the password in plain text")


class ReadingConnection(Connection):  # type: ignore[misc]
    """asyncmy's connection, with TLS where the server has it, and one statement at a time."""

    def __init__(self, settings: MysqlSettings, mode: str) -> None:
        super().__init__(
            host=settings.host,
            port=settings.port,
            user=settings.user,
            password=settings.password.encode(),
            database=settings.database,
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=settings.connect_timeout_s,
            program_name="toolbuilder",
            auth_plugin_map=dict.fromkeys(
                ("mysql_clear_password", "mysql_old_password", "dialog"), _RefusedPlugin
            ),
        )
        self._mode = mode
        self._tls = make_tls_context(settings, mode) if mode != "disable" else None
        self._client_flag &= ~CLIENT.MULTI_STATEMENTS

    async def _request_authentication(self) -> Any:
        if self._tls is not None and self.server_capabilities & CLIENT.SSL:
            await self._start_tls(self._tls)
        elif self._mode not in {"disable", "prefer", "allow"}:
            raise TlsMissingError(NO_TLS, "the server has no TLS")
        return await super()._request_authentication()

    _transport: Any

    async def _start_tls(self, context: ssl.SSLContext) -> None:
        # asyncmy's own way needs a copy of the socket, which uvloop does not give.
        self._client_flag |= CLIENT.SSL | CLIENT.MULTI_RESULTS
        self._client_flag |= self.server_capabilities & CLIENT.DEPRECATE_EOF
        charset = charset_by_name("utf8mb4").id
        head = struct.pack("<IIB", self._client_flag, _MOST_PACKET_BYTES, charset)
        self.write_packet(head.ljust(32, b"\0"))
        self._transport = await self._loop.start_tls(
            self._transport, self._proto, context, server_hostname=self._host
        )
        self._secure = self._tls_established = True

    def close(self) -> None:
        # One that is closed in peace keeps its socket until the server says its goodbye to TLS.
        if self._tls_established and self._transport is not None:
            self._transport.abort()
        super().close()

    @property
    def is_encrypted(self) -> bool:
        """Whether TLS is spoken."""
        return bool(self._tls_established)


def make_tls_context(settings: MysqlSettings, mode: str) -> ssl.SSLContext:
    """TLS as libpq's sslmode and its files mean it. Raises OSError for a file that cannot be read."""
    roots = settings.extra.get("sslrootcert")
    is_system = roots in {None, "system"}
    context = ssl.create_default_context(cafile=None if is_system else roots)
    is_verified = mode in {"verify-ca", "verify-full"} or (mode == "require" and bool(roots))
    context.check_hostname = mode == "verify-full"
    context.verify_mode = ssl.CERT_REQUIRED if is_verified else ssl.CERT_NONE
    if certificate := settings.extra.get("sslcert"):
        context.load_cert_chain(Path(certificate), settings.extra.get("sslkey"))
    return context


async def open_connection(settings: MysqlSettings) -> ReadingConnection:
    """A connection whose session is not prepared for queries yet. Raises CONNECT_FAULTS."""
    connection = ReadingConnection(settings, settings.extra.get("sslmode", "prefer"))
    try:
        await connection.connect()
    except BaseException:
        connection.close()
        raise
    return connection


async def open_session(settings: MysqlSettings) -> ReadingConnection:
    """A connection that can only read, within the settings' limits. Raises CONNECT_FAULTS."""
    connection = await open_connection(settings)
    try:
        await connection.query("SET SESSION TRANSACTION READ ONLY")
        await connection.query(f"SET sql_mode = '{_SQL_MODE}', time_zone = '+00:00'")
        if settings.zone is not None:
            await _set_zone(connection, settings.zone)
        await _set_bounds(connection, settings)
    except BaseException:
        connection.close()
        raise
    return connection


async def _set_zone(connection: Connection, zone: ZoneInfo) -> None:
    """Set the zone, by its offset where the server has no table of zones and the offset is always the same."""
    try:
        await connection.query(f"SET time_zone = '{zone.key}'")
    except MySQLError as error:
        now = datetime.now(UTC)
        offsets = {
            (now + timedelta(days=days)).astimezone(zone).isoformat()[-6:]
            for days in range(0, 366, 15)
        }
        if error.args[0] != _UNKNOWN_ZONE or len(offsets) > 1:
            raise
        await connection.query(f"SET time_zone = '{offsets.pop()}'")


async def _set_bounds(connection: Connection, settings: MysqlSettings) -> None:
    lock_s = max(1, settings.lock_timeout_ms // 1_000)
    bounds: dict[str, float] = {
        **_BOUNDS,
        "lock_wait_timeout": lock_s,
        "innodb_lock_wait_timeout": lock_s,
    }
    if is_mariadb(connection):
        bounds["max_statement_time"] = settings.statement_timeout_ms / 1_000
    else:
        bounds["max_execution_time"] = settings.statement_timeout_ms
        bounds["cte_max_recursion_depth"] = _BOUNDS["max_recursive_iterations"]
        # The second, which MySQL 9 has by default, is another tree.
        bounds["explain_json_format_version"] = 1
    try:
        await connection.query("SET " + ", ".join(f"{k} = {v}" for k, v in bounds.items()))
    except MySQLError as error:
        if error.args[0] != UNKNOWN_VARIABLE:
            raise
        for name, value in bounds.items():
            try:
                await connection.query(f"SET {name} = {value}")
            except MySQLError as fault:
                if fault.args[0] != UNKNOWN_VARIABLE:
                    raise


def is_mariadb(connection: Connection) -> bool:
    """Whether it is MariaDB that answers."""
    return "mariadb" in str(connection.get_server_info()).lower()


def server_name(connection: Connection) -> str:
    """As `MariaDB 10.11.19` or `MySQL 8.4.2`."""
    version = str(connection.get_server_info()).removeprefix("5.5.5-")
    return f"{'MariaDB' if is_mariadb(connection) else 'MySQL'} {version.partition('-')[0]}"
