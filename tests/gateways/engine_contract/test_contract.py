# ruff: noqa: S608 - names and conditions are the suite's own
"""The contract of engines: each test is a thing that all of them do, or an ability that they declare."""

import asyncio
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from core.catalogue.masking import MASK
from core.catalogue.sql_names import quote_exactly
from core.errors import (
    DataSourceError,
    DataSourceUnavailableError,
    DeadlineExceededError,
    StatementError,
)
from core.execution import Query
from core.statement import compile_statement
from core.toolspec import ParameterType as T
from gateways.engine import Ability, Engine, OpenedSource
from gateways.engines import inspect_source, open_schema_reader, open_source
from tests.gateways.engine_contract.stands import Stand
from tests.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")


def _query(
    engine: Engine, sql: str, arguments: dict[str, tuple[T, Any]] | None = None, **caps: int
) -> Query:
    given = arguments or {}
    lists = frozenset(name for name, (kind, _) in given.items() if kind.is_list)
    statement = compile_statement(sql, dialect=engine.dialect, list_names=lists)
    return Query(
        statement=statement,
        types=tuple(given[name][0] for name in statement.parameter_names),
        values={name: value for name, (_, value) in given.items()},
        row_limit=caps.get("row_limit", 100),
        byte_limit=caps.get("byte_limit", 1_000_000),
        timeout_ms=caps.get("timeout_ms", 10_000),
    )


async def test_it_tells_its_version(source: OpenedSource) -> None:
    assert any(letter.isdigit() for letter in await source.server_version())


async def test_one_that_is_away_is_unavailable(engine: Engine, stand: Stand) -> None:
    source = open_source(stand.away)
    with pytest.raises(DataSourceUnavailableError):
        await source.run(_query(engine, "SELECT 1"))
    await source.close()


async def test_a_statement_is_described_and_not_run(
    engine: Engine, stand: Stand, source: OpenedSource
) -> None:
    sql = f"SELECT id, price, note, ({stand.endless}) AS n FROM sales WHERE id > :least"
    statement = compile_statement(sql, dialect=engine.dialect)

    found = await source.inspect(statement, (None,))

    assert [name for name, _ in found.columns] == ["id", "price", "note", "n"]
    has_types = Ability.COLUMN_TYPES in engine.abilities
    assert all(bool(type_name) == has_types for _, type_name in found.columns)
    tells = Ability.PARAMETER_TYPES in engine.abilities
    assert tells == engine.types_parameters == bool(found.parameter_types)


@pytest.mark.parametrize(
    ("sql", "place"),
    [
        pytest.param("SELECT id, nme FROM stores", "nme", id="column"),
        pytest.param("SELECT id FROM shops", "shops", id="table"),
        pytest.param("SELECT id FRM stores", "", id="syntax"),
        pytest.param("DELETE FROM stores", "DELETE", id="write"),
        pytest.param("SELECT 1; SELECT 2", "; SELECT 2", id="two"),
    ],
)
async def test_a_fault_is_told_at_its_place(
    engine: Engine, source: OpenedSource, sql: str, place: str
) -> None:
    with pytest.raises(StatementError) as caught:
        await source.check(compile_statement(sql, dialect=engine.dialect), ())

    assert not place or sql[caught.value.position :].startswith(place)


@pytest.mark.parametrize(
    ("condition", "kind", "value", "ids"),
    [
        pytest.param("id = :v", T.INTEGER, 2, [2], id="integer"),
        pytest.param("price > :v", T.NUMBER, 7.5, [1], id="number"),
        pytest.param("note = :v", T.STRING, "c", [3], id="text"),
        pytest.param("note = :v", T.STRING, "a' OR 'a' = 'a", [], id="hostile text"),
        pytest.param("day = :v", T.DATE, date(2026, 2, 1), [2], id="date"),
        pytest.param("note = coalesce(:v, note)", T.STRING, None, [1, 3], id="null"),
        pytest.param("id IN (:v)", T.INTEGER_LIST, [1, 3], [1, 3], id="list"),
        pytest.param("id NOT IN (:v)", T.INTEGER_LIST, [1, 3], [2], id="list, not in it"),
        pytest.param("id IN (:v)", T.INTEGER_LIST, [], [], id="empty list"),
        pytest.param("note IN (:v)", T.STRING_LIST, ["c", "x"], [3], id="list of texts"),
    ],
)
async def test_values_are_bound(
    engine: Engine, source: OpenedSource, condition: str, *, kind: T, value: Any, ids: list[int]
) -> None:
    sql = f"SELECT id FROM sales WHERE {condition} ORDER BY id"

    result = await source.run(_query(engine, sql, {"v": (kind, value)}))

    assert [id_ for (id_,) in result.rows] == ids


async def test_rows_are_json_in_their_order(engine: Engine, source: OpenedSource) -> None:
    result = await source.run(
        _query(
            engine,
            "SELECT s.name, price, day FROM sales JOIN stores s ON s.id = store_id ORDER BY sales.id DESC",
        )
    )

    assert result.columns == ("name", "price", "day")
    assert result.rows == [
        ("東京", None, None),
        ("Seoul", 7.25, "2026-02-01"),
        ("Seoul", 12.5, "2026-01-05"),
    ]


async def test_rows_bytes_and_cells_are_capped(
    engine: Engine, stand: Stand, source: OpenedSource
) -> None:
    sql = f"SELECT n FROM {stand.rows} ORDER BY n"
    by_rows = await source.run(_query(engine, sql, row_limit=3))
    by_bytes = await source.run(_query(engine, sql, row_limit=5_000, byte_limit=100))
    stand.write(f"INSERT INTO sales (id, note) VALUES (9, '{'가' * 9_000}')")
    by_cell = await source.run(_query(engine, "SELECT note FROM sales WHERE id = 9"))
    stand.write("DELETE FROM sales WHERE id = 9")

    assert (by_rows.rows, by_rows.truncated) == ([(1,), (2,), (3,)], True)
    assert 0 < len(by_bytes.rows) < 100
    assert by_bytes.truncated
    assert by_cell.rows == [("가" * 8_192,)]
    assert by_cell.truncated
    assert by_cell.notes


async def test_a_late_query_is_stopped(engine: Engine, stand: Stand, source: OpenedSource) -> None:
    with pytest.raises(DeadlineExceededError):
        await source.run(_query(engine, stand.endless, timeout_ms=300))

    await eventually(lambda: source.pool_state.in_use == 0)
    assert (await source.run(_query(engine, "SELECT 1"))).rows == [(1,)]


async def test_a_cancelled_query_is_stopped(
    engine: Engine, stand: Stand, source: OpenedSource
) -> None:
    call = asyncio.create_task(source.run(_query(engine, stand.endless)))
    await eventually(lambda: source.pool_state.in_use == 1)
    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call
    await eventually(lambda: source.pool_state.in_use == 0)


async def test_a_plan_is_shown(engine: Engine, source: OpenedSource) -> None:
    sql = "SELECT note FROM sales WHERE id = :v"
    plan = await source.explain(_query(engine, sql, {"v": (T.INTEGER, 1)}))

    steps = [step for node in plan.nodes for step in node.walk()]
    assert plan.text
    named = any(step.table == "sales" for step in steps)
    assert (Ability.PLAN_TABLES in engine.abilities) == named
    assert (Ability.PLAN_COST in engine.abilities) == (plan.cost is not None)
    assert (Ability.PLAN_FIGURES in engine.abilities) == any(
        step.rows is not None for step in steps
    )


async def test_what_is_read_is_told_or_not(engine: Engine, source: OpenedSource) -> None:
    assert (engine.find_reads is not None) == (Ability.READS in engine.abilities)
    if engine.find_reads is not None:
        statement = compile_statement("SELECT name FROM stores", dialect=engine.dialect)
        assert await engine.find_reads(source, statement) == {("stores", "name")}


async def test_a_changed_table_is_followed(
    engine: Engine, stand: Stand, source: OpenedSource
) -> None:
    stand.write("CREATE TABLE moving (a integer)")
    stand.write("INSERT INTO moving VALUES (1)")
    query = _query(engine, "SELECT * FROM moving")
    before = await source.run(query)
    stand.write("ALTER TABLE moving ADD COLUMN b integer")
    await source.check(query.statement, ())
    after = await source.run(query)
    stand.write("DROP TABLE moving")

    assert (before.columns, before.rows) == (("a",), [(1,)])
    assert (after.columns, after.rows) == (("a", "b"), [(1, None)])
    with pytest.raises(DataSourceError):
        await source.run(query)


async def test_the_schema_is_read(engine: Engine, stand: Stand) -> None:
    async with open_schema_reader(stand.settings) as reader:
        names = await reader.list_tables()
        sales, stores = await reader.read_tables(names)
        sample = await reader.read_sample(stores, {"name"}, 2)

    assert [table.name for table in names] == ["sales", "stores"]
    assert all(bool(table.schema) == engine.has_schemas for table in names)
    assert [column.name for column in sales.columns] == ["id", "store_id", "price", "day", "note"]
    has_keys = Ability.KEYS in engine.abilities
    primary = [column.name for column in stores.columns if column.is_primary_key]
    assert primary == (["id"] if has_keys else [])
    assert [column.is_nullable for column in stores.columns] == [not has_keys] * 2
    keys = [(key.columns, key.target.name, key.target_columns) for key in sales.foreign_keys]
    assert keys == ([(("store_id",), "stores", ("id",))] if has_keys else [])
    has_comments = Ability.COMMENTS in engine.abilities
    assert (stores.comment, stores.columns[1].comment) == (
        ("Shops", "Town") if has_comments else ("", "")
    )
    assert sample.rows == ((1, MASK), (2, MASK))


async def test_a_wide_table_of_odd_names_is_read(
    engine: Engine, stand: Stand, source: OpenedSource
) -> None:
    table, *columns = (
        quote_exactly(name, engine.dialect)
        for name in ("odd ☃ 'name'", *(f'c "{number}" 값 ☂' for number in range(300)))
    )
    stand.write(f"CREATE TABLE {table} ({', '.join(f'{column} integer' for column in columns)})")
    stand.write(f"INSERT INTO {table} VALUES ({', '.join(map(str, range(300)))})")
    async with open_schema_reader(stand.settings) as reader:
        names = await reader.list_tables()
        [shape] = await reader.read_tables([name for name in names if "odd" in name.name])
        sample = await reader.read_sample(shape, (), 1)
    by_name = f"SELECT * FROM {quote_exactly(shape.name.name, engine.dialect)}"

    result = await source.run(_query(engine, by_name))
    stand.write(f"DROP TABLE {table}")

    assert result.columns == tuple(column.name for column in shape.columns)
    assert result.rows == [tuple(range(300))]
    assert 0 < len(sample.rows[0]) <= 300


async def test_the_check_tries_writes_and_judges_the_role(engine: Engine, stand: Stand) -> None:
    report = await inspect_source(stand.settings)
    away = await inspect_source(stand.away)

    codes = {finding.code for finding in report.findings}
    assert not report.is_refused, report.findings
    assert {"connected", "writes-refused", "reads"} <= codes
    assert report.server
    assert away.is_refused
    assert away.is_unreachable
    known = {code for stage in engine.stages for code in stage.codes}
    assert {finding.code for finding in away.findings} <= known
    assert (Ability.READER_ROLE in engine.abilities) == bool(report.role_sql)


async def test_a_variable_says_where_it_is(engine: Engine, stand: Stand) -> None:
    columns = engine.read_url(stand.url)

    assert columns is not None
    password = str(columns.pop("password", ""))
    options = columns.pop("options", {})
    limits = {
        "pool_size": 4,
        "max_wait_ms": 5_000,
        "timeout_ms": 10_000,
        "lock_timeout_ms": 2_000,
        "row_limit": 10_000,
        "byte_limit": 10_000_000,
        "cell_limit": 8_192,
    }
    others = {
        "search_path": "public",
        "prepares_statements": True,
        "plan_cost_limit": None,
        "checks_cost_at_call": False,
        "caller_identity": "",
        "files_folder": columns.get("path", ""),
    }
    row = SimpleNamespace(**columns, options=options, **limits, **others)
    settings = engine.read_row(row, password)
    assert settings.target == stand.settings.target
    assert (await inspect_source(settings)).server
    assert engine.read_url("nonsense:///?%zz#") is None
    assert all(column in columns for column in engine.needed)
