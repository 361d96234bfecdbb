"""DuckDB's EXPLAIN (FORMAT json) as a tree."""

import json
from collections.abc import Iterator
from typing import Any

from core.messages import Message, foreign, message
from core.plans.tree import PlanNode, QueryPlan
from core.plans.words import reading_all, sorting

_CONDITION_KEYS = ("Filters", "Conditions", "Expression", "Groups", "Aggregates", "Order By")
_SCANS = ("SEQ_SCAN", "TABLE_SCAN", "READ_CSV", "READ_PARQUET", "READ_JSON", "PARQUET_SCAN")


def read_duckdb_plan(text: str) -> QueryPlan:
    """The plan of what DuckDB writes; in its text a step is indented below the one around it."""
    try:
        steps = json.loads(text)
    except ValueError:
        steps = []
    nodes = tuple(_read(step) for step in steps if isinstance(step, dict))
    return QueryPlan(nodes, "\n".join(line for node in nodes for line in _write(node, 0)))


def _read(step: dict[str, Any]) -> PlanNode:
    kind, details = str(step.get("name", "")).strip(), step.get("extra_info") or {}
    # As in shop.main.sales; a file is read by a function and has no name here.
    table = str(details.get("Table", "")).partition(".")[2].removeprefix("main.")
    estimate = str(details.get("Estimated Cardinality", "")).lstrip("~")
    source = table or str(details.get("Function", ""))
    return PlanNode(
        kind=kind,
        text=_describe(kind, source, details),
        table=table,
        conditions=tuple(_show(details[key]) for key in _CONDITION_KEYS if details.get(key)),
        rows=int(estimate) if estimate.isdecimal() else None,
        children=tuple(_read(child) for child in step.get("children", ())),
    )


def _describe(kind: str, source: str, details: dict[str, Any]) -> Message:
    if kind.startswith(_SCANS):
        return reading_all(source or kind.lower())
    if kind in {"ORDER_BY", "TOP_N"}:
        return sorting(_show(details.get("Order By", "")))
    if kind.endswith("GROUP_BY"):
        return message("plan.duckdb_group", "puts rows together into groups")
    if kind.endswith("JOIN"):
        condition = _show(details.get("Conditions", ""))
        return message("plan.duckdb_join", "joins rows: {condition}", condition=condition or kind)
    return foreign(kind.replace("_", " ").capitalize())


def _show(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _write(node: PlanNode, depth: int) -> Iterator[str]:
    rows = f"  (~{node.rows} rows)" if node.rows is not None else ""
    conditions = f"  {'; '.join(node.conditions)}" if node.conditions else ""
    yield f"{'  ' * depth}{node.kind}{f' {node.table}' if node.table else ''}{conditions}{rows}"
    for child in node.children:
        yield from _write(child, depth + 1)
