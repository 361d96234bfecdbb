"""Plans of a real server: a tree with its figures, and a ceiling before a run."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from msgspec import structs

from core.errors import PlanCostError
from gateways.postgres.settings import PostgresSettings
from gateways.postgres.source import PostgresSource
from tests.gateways.postgres.queries import fetch_value, make_query

COUNT = "SELECT count(*) FROM plan_sale WHERE store = 7"


@pytest.fixture
def _sales(observer: psycopg.Connection[Any]) -> Iterator[None]:
    observer.execute(
        "CREATE TABLE plan_sale AS SELECT n AS id, n % 2000 AS store, n % 3 AS kind,"
        " repeat('x', 40) AS note FROM generate_series(1, 40000) AS n"
    )
    observer.execute("CREATE INDEX ON plan_sale (id)")
    observer.execute("ANALYZE plan_sale")
    observer.execute("GRANT SELECT ON plan_sale TO PUBLIC")
    yield
    observer.execute("DROP TABLE plan_sale")


@pytest.mark.usefixtures("_sales")
async def test_scan_of_a_large_table_is_flagged_with_the_index_that_would_help(
    settings: PostgresSettings,
) -> None:
    async with PostgresSource(settings) as source:
        plan = await source.explain(make_query(COUNT))

    assert plan.cost is not None
    assert plan.cost > 100
    [scan] = [node for node in plan.nodes[0].walk() if node.table]
    assert scan.share > 0.9
    assert str(plan.advice[0]).startswith(
        "an index on plan_sale (store) would help: the step reads 40,000"
    )
    assert "Seq Scan on plan_sale" in plan.text


@pytest.mark.usefixtures("_sales")
@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("SELECT count(*) FROM plan_sale WHERE kind = 1", id="keeps many"),
        pytest.param("SELECT count(*) FROM plan_sale WHERE id = 5", id="has an index"),
        pytest.param(
            "SELECT count(*) FROM plan_sale WHERE note LIKE 'y%'", id="beginning of a text"
        ),
        pytest.param("SELECT count(*) FROM plan_sale WHERE store = 7 OR id = 8", id="either"),
    ],
)
async def test_scan_that_no_index_would_spare_is_not(settings: PostgresSettings, sql: str) -> None:
    async with PostgresSource(settings) as source:
        plan = await source.explain(make_query(sql))

    assert plan.advice == ()


@pytest.mark.usefixtures("_sales")
@pytest.mark.parametrize(
    ("of_source", "of_tool", "says"),
    [(50, None, "at most 50 is"), (50, 40, "at most 40 is"), (None, 40, "at most 40 is")],
)
async def test_query_over_the_ceiling_is_refused_before_it_runs(
    settings: PostgresSettings, of_source: int | None, of_tool: int | None, says: str
) -> None:
    ceiling = replace(settings, plan_cost_limit=of_source, checks_cost_at_call=True)
    async with PostgresSource(ceiling) as source:
        with pytest.raises(PlanCostError, match=says):
            await source.run(structs.replace(make_query(COUNT), cost_limit=of_tool))

        assert await fetch_value(source, "SELECT 1") == 1


@pytest.mark.usefixtures("_sales")
async def test_ceiling_costs_nothing_where_it_is_not_asked_for_at_a_call(
    settings: PostgresSettings,
) -> None:
    async with PostgresSource(replace(settings, plan_cost_limit=1)) as source:
        assert await fetch_value(source, COUNT) == 20
