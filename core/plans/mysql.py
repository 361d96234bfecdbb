"""MariaDB's and MySQL's EXPLAIN FORMAT=JSON as a tree."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from core.messages import Message, foreign, message
from core.plans.tree import PlanNode, QueryPlan
from core.plans.words import finding_by_index, reading_all, reading_index, sorting

_MOST_LEVELS = 40
# What a step is, by the key that holds it.
_TEXTS: Mapping[str, Message] = {
    "query_block": message("plan.result", "computes a row"),
    "grouping_operation": message("plan.group", "groups the rows"),
    "temporary_table": message("plan.temporary_table", "keeps rows in a table for this run"),
    "duplicates_removal": message("plan.unique", "leaves out equal rows"),
    "union_result": message("plan.append", "gives the rows of each step in turn"),
    "recursive_union": message("plan.append", "gives the rows of each step in turn"),
    "materialized": message("plan.materialize", "keeps the rows, to read them again"),
    "subqueries": message("plan.subquery", "passes the rows of the subquery on"),
    "window_functions_computation": message("plan.window", "computes window functions"),
}
_SORTS = frozenset({"filesort", "ordering_operation", "read_sorted_file"})
_CONDITIONS = ("attached_condition", "index_condition", "having_condition")


def read_mysql_plan(text: str) -> QueryPlan:
    """The plan of the text of EXPLAIN FORMAT=JSON; a text that is none gives no steps."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return QueryPlan((), text)
    return QueryPlan(tuple(_read_steps(document, 0)), text)


def _read_steps(value: Any, level: int) -> Iterator[PlanNode]:
    if level > _MOST_LEVELS:
        return
    if isinstance(value, list):
        for item in value:
            yield from _read_steps(item, level + 1)
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        if not isinstance(inner, dict | list):
            continue
        if key == "table" and isinstance(inner, dict):
            yield _read_table(inner, level)
        elif key in _TEXTS or key in _SORTS:
            children = tuple(_read_steps(inner, level + 1))
            found = inner if isinstance(inner, dict) else {}
            text = sorting(str(found.get("sort_key", ""))) if key in _SORTS else _TEXTS[key]
            # The outermost block is the query itself.
            if key == "query_block" and children and not _conditions(found):
                yield from children
            else:
                yield PlanNode(
                    kind=key, text=text, conditions=_conditions(found), children=children
                )
        else:
            yield from _read_steps(inner, level + 1)


def _read_table(table: Mapping[str, Any], level: int) -> PlanNode:
    name, index = str(table.get("table_name", "")), str(table.get("key", ""))
    access = str(table.get("access_type", ""))
    rows = table.get("rows", table.get("rows_examined_per_scan"))
    if not name:
        text = foreign(str(table.get("message", access)))
    elif access == "ALL" or not index:
        text = reading_all(name)
    elif table.get("using_index"):
        text = reading_index(name, index)
    else:
        text = finding_by_index(name, index)
    return PlanNode(
        kind=access or "table",
        text=text,
        table=name,
        index=index,
        conditions=_conditions(table),
        rows=int(rows) if isinstance(rows, int | float) else None,
        children=tuple(_read_steps(table, level + 1)),
    )


def _conditions(found: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(found[name]) for name in _CONDITIONS if found.get(name))
