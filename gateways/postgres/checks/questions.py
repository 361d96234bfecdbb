"""A session for looking at a PostgreSQL data source: as the product opens it, with a deadline for each question."""

import asyncio
import json
from typing import Any, NamedTuple

import psycopg

from gateways.postgres.exchange import ReadOnlyQuery
from gateways.postgres.products import find_product
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.wire import WireConnection

MOST_CONNECT_S = 4.0
QUESTION_S = 3.0

Facts = dict[str, Any]


class Session(NamedTuple):
    """A connection, and whether it is encrypted."""

    connection: WireConnection
    is_encrypted: bool


async def open_session(settings: PostgresSettings) -> Session:
    """A session with the data source's own options.

    Raises psycopg.Error, OSError, TimeoutError, and UnicodeError for a host that cannot be a name.
    """
    async with asyncio.timeout(connect_seconds(settings)):
        arguments = settings.connection_arguments()
        connection = await psycopg.AsyncConnection.connect(**arguments)
        try:
            product = await find_product(connection, settings)
        except BaseException:
            await connection.close()
            raise
    return Session(WireConnection(connection, product=product), connection.pgconn.ssl_in_use)


def connect_seconds(settings: PostgresSettings) -> float:
    """How long a connection may take to be made during a check."""
    return min(settings.connect_timeout_s, MOST_CONNECT_S)


async def fetch_facts(connection: WireConnection, question: str, *values: str) -> list[Facts]:
    """The rows of a query of our own by column name; `values` are its $1..$n as text.

    Names in the question are written with their schema, since the data source's search path may hold
    functions of anybody. Raises ServerError, ConnectionLostError, TimeoutError.
    """
    # The questions are constants of these modules.
    sql = f"SELECT pg_catalog.to_jsonb(fact) FROM ({question}) AS fact"  # noqa: S608
    encoded = [value.encode() for value in values]
    async with asyncio.timeout(QUESTION_S):
        rows = await connection.fetch(ReadOnlyQuery(sql.encode()), encoded)
    return [json.loads(fact) for (fact,) in rows]


async def fetch_fact(connection: WireConnection, question: str, *values: str) -> Facts:
    """The only row of a query, as `fetch_facts`."""
    [fact] = await fetch_facts(connection, question, *values)
    return fact
