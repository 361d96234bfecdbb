"""What the server says of a statement before it runs."""

import psycopg
import pytest

from core.errors import DataSourceUnavailableError, StatementError
from core.execution import QuerySource
from core.statement import compile_statement
from core.toolspec import ParameterType
from gateways.postgres.describe import COUNT_LIMIT, Column, Description, DescriptionCache
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource

T = ParameterType


async def describe(source: PostgresSource, sql: str, *types: ParameterType) -> Description:
    return await source.describe(compile_statement(sql), types)


async def test_columns_have_names_and_types(source: PostgresSource) -> None:
    description = await describe(source, "SELECT id, price AS cost, at FROM item")

    assert description.columns == (
        Column("id", 23, "integer"),
        Column("cost", 1700, "numeric(10,2)"),
        Column("at", 1184, "timestamp with time zone"),
    )


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("id = :x", T.INTEGER),
        ("id = ANY(:x)", T.INTEGER_LIST),
        ("price = :x", T.NUMBER),
        ("at = :x", T.DATETIME),
        ("at = ANY(:x)", T.STRING_LIST),
        ("reference = :x", T.UUID),
        ("reference = ANY(:x)", T.STRING_LIST),
    ],
    ids=str,
)
async def test_column_says_the_type_of_the_parameter_beside_it(
    source: PostgresSource, condition: str, expected: ParameterType
) -> None:
    statement = compile_statement(f"SELECT id FROM item WHERE {condition}")  # noqa: S608

    inspection = await source.inspect(statement, [None], "kim")

    assert inspection.parameter_types == (expected,)


async def test_statement_is_not_run(source: PostgresSource) -> None:
    await describe(source, "SELECT 1 / 0 FROM item")


@pytest.mark.parametrize(
    ("sql", "message", "place"),
    [
        ("SELECT id, nam FROM item WHERE id = :long_name", 'column "nam" does not exist', "nam"),
        (
            "SELECT id FROM item AS i WHERE id = :long_name AND i.nme = 'x'",
            r'column i.nme does not exist \(hint: .*"i.name"',
            "i.nme",
        ),
        ("SELECT :long_name::int +", "syntax error at end of input", None),
        ("SELECT * FROM nosuch WHERE id = :long_name", "does not exist", "nosuch"),
        ("SELECT nosuch(:long_name)", "function nosuch", "nosuch"),
        ("SELECT 1 FROM item WHERE id = :long_name AND active > 2", "operator does not exist", ">"),
    ],
    ids=["column", "hint", "end", "table", "function", "operator"],
)
async def test_fault_is_told_in_the_servers_words_at_its_place(
    source: PostgresSource, sql: str, message: str, place: str | None
) -> None:
    with pytest.raises(StatementError, match=message) as caught:
        await describe(source, sql, T.INTEGER)

    assert caught.value.position == (sql.index(place) if place else len(sql))


async def test_fault_names_the_parameter_as_it_was_written(source: PostgresSource) -> None:
    with pytest.raises(StatementError, match='syntax error at or near ":table_name"'):
        await describe(source, "SELECT * FROM :table_name", T.STRING)


@pytest.mark.parametrize(
    "call",
    [
        "set_config('work_mem', '1GB', false)",
        "pg_catalog.set_config('work_mem', '1GB', false)",
        "pg_catalog . \"set_config\" ('work_mem', '1GB', false)",
        "PG_TERMINATE_BACKEND(1)",
        "pg_advisory_lock(1)",
        "pg_sleep/* */(1)",
        "lo_create(1)",
        "query_to_xml('DELETE FROM item', true, true, '')",
        "pg_notify('a', 'b')",
    ],
)
async def test_function_with_effects_is_refused(source: PostgresSource, call: str) -> None:
    with pytest.raises(StatementError, match="cannot be called from a tool"):
        await describe(source, f"SELECT {call}")


@pytest.mark.parametrize(
    "call",
    [
        "now()",
        "random()",
        "clock_timestamp()",
        "gen_random_uuid()",
        "pg_table_size('item')",
        "count(*)",
        "pg_backend_pid()",
    ],
)
async def test_harmless_function_is_allowed(source: PostgresSource, call: str) -> None:
    await describe(source, f"SELECT {call}")


async def test_table_sample_is_no_forbidden_function(source: PostgresSource) -> None:
    await describe(source, "SELECT id FROM item TABLESAMPLE BERNOULLI (10)")


async def test_function_of_the_user_is_allowed(
    source: PostgresSource, observer: "psycopg.Connection[object]"
) -> None:
    observer.execute("CREATE OR REPLACE FUNCTION answer() RETURNS int LANGUAGE sql AS 'SELECT 42'")

    await describe(source, "SELECT answer()")


async def test_check_raises_what_describe_raises(source: PostgresSource) -> None:
    contract: QuerySource = source

    await contract.check(compile_statement("SELECT 1"), ())
    with pytest.raises(StatementError, match="does not exist"):
        await contract.check(compile_statement("SELECT nosuch"), ())


async def test_source_that_is_down_is_no_fault_of_the_statement() -> None:
    settings = PostgresSettings(host="127.0.0.1", port=1, database="d", user="u")

    async with PostgresSource(settings) as source:
        with pytest.raises(DataSourceUnavailableError):
            await source.check(compile_statement("SELECT 1"), ())


async def test_forgotten_statement_is_unknown_whatever_its_values(source: PostgresSource) -> None:
    kept, description = DescriptionCache(), await describe(source, "SELECT 1")
    statement, other = compile_statement("SELECT :n"), compile_statement("SELECT 2")
    for numeric in (frozenset[int](), frozenset({0})):
        kept.keep(statement, (T.NUMBER,), numeric, description)
    kept.keep(other, (), frozenset(), description)

    kept.forget(statement)

    assert kept.find(statement, (T.NUMBER,)) is None
    assert kept.find(statement, (T.NUMBER,), frozenset({0})) is None
    assert kept.find(other, ()) is description


async def test_statement_that_was_not_used_for_longest_is_forgotten(source: PostgresSource) -> None:
    kept, description = DescriptionCache(), await describe(source, "SELECT 1")
    statements = [compile_statement(f"SELECT {number}") for number in range(COUNT_LIMIT + 1)]

    for statement in statements:
        kept.keep(statement, (), frozenset(), description)
        kept.find(statements[0], ())
    kept.forget(statements[1])

    assert kept.find(statements[0], ()) is description
    assert kept.find(statements[1], ()) is None
    assert kept.find(statements[2], ()) is description
