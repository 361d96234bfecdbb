"""PostgreSQL's plan as a tree: what each step costs, and when an index would help."""

from typing import Any

import pytest

from core.plans.postgresql import find_tables, read_postgresql_plan
from core.plans.tree import QueryPlan, TableFigures

SALES = ("public", "sales")


def scan(**given: Any) -> dict[str, Any]:
    """A scan of a table of 100,000 rows that keeps ten."""
    return {
        "Node Type": "Seq Scan",
        "Schema": "public",
        "Relation Name": "sales",
        "Total Cost": 2_000.0,
        "Plan Rows": 10,
        "Filter": "(t.store_id = 5)",
        **given,
    }


def over(kind: str, cost: float, *below: dict[str, Any], **given: Any) -> dict[str, Any]:
    return {"Node Type": kind, "Total Cost": cost, "Plan Rows": 10, "Plans": below, **given}


def read(node: dict[str, Any], *, rows: float = 100_000, indexed: str = "id") -> QueryPlan:
    columns = frozenset({"id", "store_id", "sold_at", "note"})
    figures = {SALES: TableFigures(rows, columns, frozenset({indexed}))}
    return read_postgresql_plan([{"Plan": node}], "text", figures)


def test_steps_are_told_in_words_with_their_own_part_of_the_cost() -> None:
    plan = read(over("Sort", 2_500.0, scan(), **{"Sort Key": ["t.sold_at"]}))

    sort, below = plan.nodes[0].walk()
    assert (str(sort.text), round(sort.share, 2)) == ("sorts by t.sold_at", 0.2)
    assert (str(below.text), round(below.share, 2)) == ("reads every row of sales", 0.8)
    assert (plan.cost, plan.rows, below.conditions) == (2_500.0, 10, ("(t.store_id = 5)",))


def test_limit_shares_what_is_spent_and_not_what_all_rows_would_cost() -> None:
    plan = read(over("Limit", 20.0, scan()))

    assert [round(node.share, 2) for node in plan.nodes[0].walk()] == [0.0, 1.0]


def test_inner_step_of_a_loop_costs_each_turn() -> None:
    outer, inner = scan(**{"Total Cost": 100.0}), scan(**{"Total Cost": 9.0})

    plan = read(over("Nested Loop", 200.0, outer, inner))

    assert [round(node.share, 2) for node in plan.nodes[0].walk()] == [0.05, 0.5, 0.45]


def test_index_is_advised_by_the_planners_figures() -> None:
    [advice] = read(scan(Filter="((t.store_id = 5) AND (t.sold_at >= '2026-01-01'::date))")).advice

    assert str(advice) == (
        "an index on sales (store_id, sold_at) would help: the step reads 100,000 rows to keep 10"
    )


@pytest.mark.parametrize(
    ("given", "known"),
    [
        pytest.param({}, {"rows": 9_000}, id="small table"),
        pytest.param({}, {"rows": -1}, id="table never analysed"),
        pytest.param({}, {"indexed": "store_id"}, id="index there, which the planner did not take"),
        pytest.param({"Plan Rows": 40_000}, {}, id="keeps many rows"),
        pytest.param({"Filter": ""}, {}, id="no filter"),
        pytest.param({"Filter": "((t.note)::text ~~ '%a%'::text)"}, {}, id="no usual comparison"),
        pytest.param({"Filter": "((t.id = 1) OR (t.store_id = 2))"}, {}, id="either"),
        pytest.param({"Filter": "(lower(t.note) = 'a'::text)"}, {}, id="of a function"),
    ],
)
def test_nothing_is_advised_without_reason(given: dict[str, Any], known: dict[str, Any]) -> None:
    assert read(scan(**given), **known).advice == ()


def test_rows_of_parallel_workers_are_added_up() -> None:
    gather = over("Gather", 2_100.0, scan(**{"Plan Rows": 60}), **{"Workers Planned": 2})

    assert "to keep 180" in str(read(gather).advice[0])


def test_tables_are_found_once() -> None:
    document = [{"Plan": over("Append", 1.0, scan(), scan())}]

    assert find_tables(document) == [SALES]


def test_step_without_words_keeps_the_servers_own() -> None:
    assert str(read(over("Custom Scan", 1.0)).nodes[0].text) == "Custom Scan"
