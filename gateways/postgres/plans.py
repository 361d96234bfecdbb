"""What the server's planner says of a described query, which is not run for it."""

import json
from collections.abc import Sequence
from functools import partial

from core.plans.postgresql import find_tables, read_postgresql_plan
from core.plans.tree import QueryPlan, TableFigures
from gateways.postgres.describe import Description
from gateways.postgres.exchange import Opening, ReadOnlyQuery
from gateways.postgres.wire import WireConnection

# The first column of each index that a usual condition can use: valid, of all rows, no expression.
_FIGURES_SQL = b"""
SELECT n.nspname, c.relname, c.reltuples::float8,
    (SELECT json_agg(a.attname) FROM pg_catalog.pg_attribute a
     WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
    (SELECT json_agg(a.attname) FROM pg_catalog.pg_index i
     JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
     WHERE i.indrelid = c.oid AND i.indisvalid AND i.indpred IS NULL)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = ANY(SELECT pg_catalog.to_regclass(
    pg_catalog.quote_ident(t->>0) || '.' || pg_catalog.quote_ident(t->>1))
    FROM pg_catalog.json_array_elements($1::json) t)
"""


async def read_plan(
    connection: WireConnection,
    description: Description,
    values: Sequence[bytes | None],
    opening: Opening | None = None,
) -> QueryPlan:
    """The plan of a described query; `values` are those of the statement and the number of rows.

    `opening` makes the caller who the query would be run as.
    """
    explained = partial(_explain, connection, description, values, opening)
    document = json.loads(await explained(b"FORMAT JSON, VERBOSE"))
    text = await explained(b"FORMAT TEXT")
    figures: dict[tuple[str, str], TableFigures] = {}
    if tables := find_tables(document):
        names = json.dumps(tables).encode()
        for schema, table, rows, columns, indexed in await connection.fetch(
            ReadOnlyQuery(_FIGURES_SQL), [names]
        ):
            figures[schema, table] = TableFigures(
                float(rows), frozenset(json.loads(columns)), frozenset(json.loads(indexed or "[]"))
            )
    return read_postgresql_plan(document, text, figures)


async def read_cost(
    connection: WireConnection,
    description: Description,
    values: Sequence[bytes | None],
    opening: Opening | None = None,
) -> float:
    """The planned cost of a described query, in the planner's unit."""
    # Asked before each call: kept parsed, it costs a third.
    options = b"FORMAT JSON"
    text = await _explain(connection, description, values, opening, options, is_prepared=True)
    return float(json.loads(text)[0]["Plan"]["Total Cost"])


async def _explain(  # noqa: PLR0917 - partial gives most of them
    connection: WireConnection,
    description: Description,
    values: Sequence[bytes | None],
    opening: Opening | None,
    options: bytes,
    *,
    is_prepared: bool = False,
) -> str:
    # Without ANALYZE the query is planned only, and what is planned is the query in its place.
    sql = b"EXPLAIN (" + options + b") " + description.query.sql
    query = ReadOnlyQuery(sql, description.query.oids, is_prepared=is_prepared)
    return "\n".join(line for (line,) in await connection.fetch(query, values, opening))
