"""First rows of PostgreSQL's tables: what is shown, masked, cut and refused."""

from dataclasses import replace

import pytest

from core.catalogue.entries import ColumnShape, TableName, TableShape
from core.errors import DataSourceError
from gateways.postgres.schema import PostgresSchemaReader
from gateways.postgres.settings import PostgresSettings
from gateways.schema_reading import SAMPLE_CELL_LIMIT, SAMPLE_COLUMN_LIMIT
from tests.factories import ENDLESS_SQL
from tests.gateways.postgres.schema.conftest import Execute
from tests.gateways.postgres.schema.test_structure import read


async def test_rows_come_in_the_order_of_the_key(
    reader: PostgresSchemaReader, execute: Execute
) -> None:
    execute(
        "CREATE TABLE t (id int PRIMARY KEY, amount numeric(10, 2), day date);"
        "INSERT INTO t SELECT n, n * 1.5, date '2024-01-15' FROM generate_series(9, 1, -1) n"
    )

    sample = await reader.read_sample(await read(reader, "t"), [], 2)

    assert sample.columns == ("id", "amount", "day")
    assert sample.rows == ((1, 1.5, "2024-01-15"), (2, 3.0, "2024-01-15"))


async def test_masked_values_are_hidden_and_null_is_not(
    reader: PostgresSchemaReader, execute: Execute
) -> None:
    execute(
        "CREATE TABLE t (email text PRIMARY KEY, phone int);"
        "INSERT INTO t VALUES ('a@b.example', 5), ('c@d.example', NULL)"
    )

    sample = await reader.read_sample(await read(reader, "t"), {"email", "phone"}, 5)

    assert sorted(sample.rows, key=str) == [("***", "***"), ("***", None)]


async def test_masked_column_is_not_even_computed(
    reader: PostgresSchemaReader, execute: Execute
) -> None:
    execute("CREATE VIEW v AS SELECT 1 AS a, repeat('x', 1000000) AS secret")

    sample = await reader.read_sample(await read(reader, "v"), {"secret"}, 5)

    assert sample.rows == ((1, "***"),)


async def test_cells_are_short_and_columns_not_too_many(
    reader: PostgresSchemaReader, execute: Execute
) -> None:
    columns = ", ".join(f"repeat('한', 500) AS c{n}" for n in range(SAMPLE_COLUMN_LIMIT + 5))
    execute(f"CREATE TABLE t AS SELECT {columns}")

    sample = await reader.read_sample(await read(reader, "t"), [], 5)

    assert len(sample.columns) == SAMPLE_COLUMN_LIMIT
    assert sample.rows[0][0] == "한" * SAMPLE_CELL_LIMIT


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("CREATE VIEW t AS SELECT 1 / (n - 1) AS a FROM generate_series(1, 2) n", "by zero"),
        ("CREATE MATERIALIZED VIEW t AS SELECT 1 AS a WITH NO DATA", "has not been populated"),
        (
            "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN gone(); END';"
            "CREATE VIEW t AS SELECT f() AS a",
            "function gone",
        ),
        (
            "CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS"
            " 'BEGIN CREATE TABLE x (); RETURN 1; END'; CREATE VIEW t AS SELECT f() AS a",
            "read-only transaction",
        ),
    ],
    ids=["division", "not populated", "dropped function", "writes"],
)
async def test_view_that_fails_is_told_in_the_databases_words(
    reader: PostgresSchemaReader, execute: Execute, sql: str, message: str
) -> None:
    execute(sql)

    with pytest.raises(DataSourceError, match=message):
        await reader.read_sample(await read(reader, "t"), [], 5)


async def test_view_that_takes_too_long_is_stopped(
    schema_settings: PostgresSettings, execute: Execute
) -> None:
    execute(f"CREATE VIEW t AS {ENDLESS_SQL}")

    async with PostgresSchemaReader(replace(schema_settings, statement_timeout_ms=2_000)) as reader:
        with pytest.raises(DataSourceError, match=r"longer than 2 s"):
            await reader.read_sample(await read(reader, "t"), [], 5)


async def test_table_without_columns_shows_nothing(
    reader: PostgresSchemaReader, execute: Execute
) -> None:
    execute("CREATE TABLE t (); INSERT INTO t DEFAULT VALUES")

    sample = await reader.read_sample(await read(reader, "t"), [], 5)

    assert (sample.columns, sample.rows) == ((), ())


async def test_table_that_is_gone_is_told(reader: PostgresSchemaReader, schema: str) -> None:
    shape = TableShape(
        name=TableName(schema, "gone"), columns=(ColumnShape(name="a", type_name="text"),)
    )

    with pytest.raises(DataSourceError, match='gone" does not exist'):
        await reader.read_sample(shape, [], 5)
