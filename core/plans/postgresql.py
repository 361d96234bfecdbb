"""PostgreSQL's EXPLAIN (FORMAT JSON, VERBOSE) as a tree, with advice from the planner's own figures."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from core.messages import Message, foreign, message
from core.plans.tree import PlanNode, QueryPlan, TableFigures
from core.plans.words import finding_by_index, reading_all, reading_index, sorting

# Smaller tables are read as fast as an index is looked up.
LARGE_TABLE_ROWS = 10_000
# What the planner takes for a page that is fetched out of turn (random_page_cost), and for the way to it.
_ROW_BY_INDEX_COST, _LOOKUP_COST = 4.0, 25.0
# An index has to halve the cost of the scan at least, by the planner's own figures.
_WORTH_IT = 0.5
_LEAST_SHARE = 0.05
_CONDITIONS = (
    *("Index Cond", "Hash Cond", "Merge Cond", "Join Filter", "Recheck Cond", "TID Cond"),
    *("Filter", "One-Time Filter", "Order By"),
)
_PARALLEL = message("plan.gather", "collects the rows of parallel workers")
_IN_TURN = message("plan.append", "gives the rows of each step in turn")
_TEXTS: Mapping[str, Message] = {
    "Nested Loop": message("plan.nested_loop", "for each row of the first step, runs the second"),
    "Hash Join": message("plan.hash_join", "joins both steps by a table of hashes"),
    "Merge Join": message("plan.merge_join", "joins both steps, which are sorted alike"),
    "Hash": message("plan.hash", "makes a table of hashes of the rows"),
    "Limit": message("plan.limit", "stops when it has enough rows"),
    "Unique": message("plan.unique", "leaves out equal rows"),
    "WindowAgg": message("plan.window", "computes window functions"),
    "Gather": _PARALLEL,
    "Gather Merge": _PARALLEL,
    "Append": _IN_TURN,
    "Merge Append": _IN_TURN,
    "Subquery Scan": message("plan.subquery", "passes the rows of the subquery on"),
    "Values Scan": message("plan.values", "reads rows that the query itself lists"),
    "Materialize": message("plan.materialize", "keeps the rows, to read them again"),
    "Memoize": message("plan.memoize", "keeps answers for values that come again"),
    "Result": message("plan.result", "computes a row"),
}
# The left side of a comparison that a usual index serves, as EXPLAIN writes it: (alias.name)::type = ...
_COMPARED = re.compile(
    r'\(*(?:(?:\w+|"[^"]+")\.)?(?P<column>\w+|"[^"]+")\)*(?:::[a-z ]+(?:\[\])?)?\)*'
    r" (?P<operator>=|<|>|<=|>=) "
)
_PART = re.compile(r"\) AND \(")


def read_postgresql_plan(
    document: Any, text: str, figures: Mapping[tuple[str, str], TableFigures]
) -> QueryPlan:
    """The plan of EXPLAIN's JSON; `figures` of its tables are by schema and name."""
    root = document[0]["Plan"]
    whole = max(root["Total Cost"], 1e-9)
    reader = _NodeReader(whole, figures)
    return QueryPlan((reader.read(root, root["Total Cost"]),), text)


def find_tables(document: Any) -> list[tuple[str, str]]:
    """Schema and name of each table of EXPLAIN's JSON, once."""
    found: dict[tuple[str, str], None] = {}
    waiting = [document[0]["Plan"]]
    while waiting:
        node = waiting.pop()
        if "Relation Name" in node and "Schema" in node:
            found[node["Schema"], node["Relation Name"]] = None
        waiting += node.get("Plans", ())
    return list(found)


class _NodeReader:
    """Reads the steps of one plan, which costs `whole`."""

    def __init__(self, whole: float, figures: Mapping[tuple[str, str], TableFigures]) -> None:
        self._whole, self._figures = whole, figures

    def read(self, node: Mapping[str, Any], spent: float, workers: int = 1) -> PlanNode:
        """The step, of whose cost the query spends `spent`: a LIMIT above stops it early, a loop repeats it."""
        workers *= 1 + node.get("Workers Planned", 0)
        below = node.get("Plans", ())
        costs = [child["Total Cost"] for child in below]
        if node["Node Type"] == "Nested Loop" and len(costs) == 2:
            # The inner step's cost is that of one turn.
            costs[1] *= max(below[0]["Plan Rows"], 1)
            costs[1] = min(costs[1], max(node["Total Cost"] - costs[0], 0))
        total = max(node["Total Cost"], sum(costs), 1e-9)
        scale = spent / total
        share = max(total - sum(costs), 0.0) * scale / self._whole
        return PlanNode(
            kind=node["Node Type"],
            text=_describe(node),
            table=node.get("Relation Name", ""),
            index=node.get("Index Name", ""),
            conditions=tuple(str(node[name]) for name in _CONDITIONS if node.get(name)),
            rows=node["Plan Rows"],
            cost=node["Total Cost"],
            share=min(share, 1.0),
            advice=_advise(node, self._figures, workers) if share >= _LEAST_SHARE else None,
            children=tuple(
                self.read(child, cost * scale, workers)
                for child, cost in zip(below, costs, strict=True)
            ),
        )


def _describe(node: Mapping[str, Any]) -> Message:
    """What the step does; the server's own word where there is no better one."""
    kind = node["Node Type"]
    if kind in _NAMING:
        return _NAMING[kind](node)
    return _TEXTS.get(kind) or foreign(kind)


def _keys_of(node: Mapping[str, Any]) -> str:
    return ", ".join(node.get("Sort Key") or node.get("Group Key") or ())


def _aggregate(node: Mapping[str, Any]) -> Message:
    if keys := _keys_of(node):
        return message("plan.aggregate_by", "groups by {keys}, and counts or sums", keys=keys)
    return message("plan.aggregate", "counts or sums all rows")


# Words for steps that name a table, an index or something else.
_NAMING: Mapping[str, Callable[[Mapping[str, Any]], Message]] = {
    "Seq Scan": lambda node: reading_all(node["Relation Name"]),
    "Index Scan": lambda node: finding_by_index(node["Relation Name"], node["Index Name"]),
    "Index Only Scan": lambda node: reading_index(node["Relation Name"], node["Index Name"]),
    "Bitmap Index Scan": lambda node: message(
        "plan.bitmap_index_scan",
        "collects places of rows from the index {index}",
        index=node["Index Name"],
    ),
    "Bitmap Heap Scan": lambda node: message(
        "plan.bitmap_heap_scan", "fetches those rows of {table}", table=node["Relation Name"]
    ),
    "Sort": lambda node: sorting(_keys_of(node)),
    "Incremental Sort": lambda node: sorting(_keys_of(node)),
    "Aggregate": _aggregate,
    "CTE Scan": lambda node: message(
        "plan.cte_scan", "reads the rows of WITH {name}", name=node["CTE Name"]
    ),
    "Function Scan": lambda node: message(
        "plan.function_scan",
        "reads the rows that {name} gives",
        name=node.get("Function Name") or node.get("Alias", ""),
    ),
}


def _advise(
    node: Mapping[str, Any], figures: Mapping[tuple[str, str], TableFigures], workers: int
) -> Message | None:
    """What an index would do to a scan of a whole table, if the planner's figures are for it."""
    known = figures.get((node.get("Schema", ""), node.get("Relation Name", "")))
    condition = node.get("Filter", "")
    if node["Node Type"] != "Seq Scan" or known is None or known.rows < LARGE_TABLE_ROWS:
        return None
    kept = node["Plan Rows"] * workers
    if kept * _ROW_BY_INDEX_COST + _LOOKUP_COST > node["Total Cost"] * _WORTH_IT:
        return None
    columns = _find_compared(condition, known.columns)
    # Where an index begins with it already, the planner has weighed it and did not take it.
    if not columns or columns[0] in known.indexed:
        return None
    return message(
        "plan.index_helps",
        "an index on {table} ({columns}) would help: the step reads {all} rows to keep {kept}",
        table=node["Relation Name"],
        columns=", ".join(columns),
        all=round(known.rows),
        kept=round(kept),
    )


def _find_compared(condition: str, columns: frozenset[str]) -> list[str]:
    """Columns that an index could find the rows by: those compared for equality, then one other."""
    if " OR " in condition:
        return []
    equal: list[str] = []
    other: list[str] = []
    for part in _PART.split(condition):
        if not (match := _COMPARED.match(part)):
            continue
        column = match["column"].strip('"')
        if column in columns:
            (equal if match["operator"] == "=" else other).append(column)
    return list(dict.fromkeys([*equal, *other[:1]]))
