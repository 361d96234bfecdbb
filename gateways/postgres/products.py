"""Servers that speak PostgreSQL's protocol: how each is found, and what of PostgreSQL is left out on it.

Nothing outside of this table asks which product a server is. What is said here of the others is their
documentation's word: none of them was run. The check of a connection proves what matters on each.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto

import psycopg
from psycopg.sql import SQL, Identifier, Literal

from core.errors import DataSourceError
from core.messages import Message, message
from gateways.postgres.settings import PostgresSettings, read_search_path

# A query whose runtime was killed is stopped after so many milliseconds, where the server's system can
# tell, instead of worked on for nobody.
_CLIENT_CHECK = "set_config('client_connection_check_interval', '2000', false)"
_FIRST_WITH_CLIENT_CHECK = 140_000


class Feature(Enum):
    """What PostgreSQL has and some of the others have not."""

    RESET = auto()  # Advisory locks, a seed of random(), and a list of prepared names.
    PLANS = auto()  # EXPLAIN (FORMAT JSON).
    CATALOGUE = auto()  # pg_catalog whole: volatility of functions, keys, comments, rights.
    IDENTITY = auto()  # Settings and a role that end with the transaction, under row security.


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A server; `mark` stands in its version(), '' where that is PostgreSQL's own.

    A product with a `refusal` is not read from at all.
    """

    label: str
    mark: str = ""
    lacks: frozenset[Feature] = frozenset()
    refusal: Message | None = None

    def admit(self) -> None:
        """Raise DataSourceError if it is not read from at all."""
        if self.refusal is not None:
            raise DataSourceError(self.refusal)

    def require(self, feature: Feature) -> None:
        """Raise DataSourceError with what the product cannot do."""
        if feature in self.lacks:
            raise DataSourceError(replace(_MISSING[feature], values={"product": self.label}))


_MISSING: Mapping[Feature, Message] = {
    Feature.PLANS: message(
        "product.no_plans",
        "{product} has no plan that can be read here, and no ceiling of planned cost can be held on it",
        product="",
    ),
    Feature.IDENTITY: message(
        "product.no_identity",
        "{product} is not known to bind rows to a caller within one transaction; leave the identity of"
        " the caller empty",
        product="",
    ),
}
_NO_READ_ONLY = message(
    "product.cannot_promise",
    "{product} is not read from: it has no transaction that can only read",
    product="QuestDB",
)
_OTHER_TEXTS = message(
    "product.other_texts",
    "{product} is not read from: it has no standard_conforming_strings, so where a text in a query ends"
    " is not certain",
    product="Amazon Redshift",
)

POSTGRESQL = Product(label="PostgreSQL")
PRODUCTS: Mapping[str, Product] = {
    "postgresql": POSTGRESQL,
    "citus": Product(label="Citus"),
    "yugabytedb": Product(label="YugabyteDB", mark="-YB-", lacks=frozenset({Feature.RESET})),
    "cockroachdb": Product(label="CockroachDB", mark="CockroachDB", lacks=frozenset(Feature)),
    "materialize": Product(label="Materialize", mark="Materialize", lacks=frozenset(Feature)),
    "redshift": Product(label="Amazon Redshift", mark="Redshift", refusal=_OTHER_TEXTS),
    "questdb": Product(label="QuestDB", mark="QuestDB", refusal=_NO_READ_ONLY),
    "compatible": Product(label="Compatible server", lacks=frozenset(Feature)),
}


def choose_product(version: str, server: str) -> Product:
    """The product that gives this version(); where that could be PostgreSQL's, what the data source says."""
    marked = (found for found in PRODUCTS.values() if found.mark and found.mark in version)
    return next(marked, PRODUCTS.get(server, POSTGRESQL))


async def find_product(
    connection: "psycopg.AsyncConnection[object]", settings: PostgresSettings
) -> Product:
    """The product at the other end; the session is as it has to be. Raises psycopg.Error."""
    # What the server does not know or cannot do is left out.
    refused = (psycopg.ProgrammingError, psycopg.DataError, psycopg.NotSupportedError)
    for name, value in settings.session.items() if settings.server else ():
        schemas = SQL(", ").join(map(Identifier, read_search_path(value)))
        text = schemas if name == "search_path" else Literal(value)
        with suppress(*refused):
            await connection.execute(SQL("SET {} TO {}").format(SQL(name), text))
    version = ""
    # In one question: each round trip counts where the server is far away.
    if connection.info.server_version >= _FIRST_WITH_CLIENT_CHECK:
        with suppress(*refused):
            version = await _ask(connection, f"SELECT version(), {_CLIENT_CHECK}")
    version = version or await _ask(connection, "SELECT version()")
    return choose_product(version, settings.server)


async def _ask(connection: "psycopg.AsyncConnection[object]", question: str) -> str:
    cursor = await connection.execute(question.encode())
    return str(await cursor.fetchone())
