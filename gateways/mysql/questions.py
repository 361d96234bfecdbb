"""Questions of our own to a server: what it says of itself, its tables and a plan."""

from collections.abc import Sequence
from typing import Any

from gateways.mysql.columns import find_type
from gateways.mysql.wire import MysqlConnection, WireColumn


async def fetch(
    connection: MysqlConnection, sql: str, values: tuple[Any, ...] = ()
) -> list[tuple[Any, ...]]:
    """All rows of a query of our own. Raises MysqlServerError, MysqlConnectionLostError, TimeoutError."""
    prepared = await connection.prepare(sql, is_kept=False)
    rows: list[tuple[Any, ...]] = []

    def receive(chunk: list[tuple[Any, ...]]) -> bool:
        rows.extend(chunk)
        return True

    def make_specs(columns: Sequence[WireColumn]) -> tuple[Any, ...]:
        return tuple(find_type(column).spec for column in columns)

    await connection.execute(prepared, values, make_specs, receive)
    connection.drop(prepared)
    return rows
