"""SQLite's EXPLAIN QUERY PLAN as a tree."""

import re
from collections.abc import Sequence

from core.messages import Message, foreign, message
from core.plans.tree import PlanNode, QueryPlan

_STEP = re.compile(
    r"(?P<kind>SCAN|SEARCH) (?:TABLE )?(?P<table>\S+)(?: AS \S+)?"
    r"(?: USING (?P<how>AUTOMATIC(?: PARTIAL)? COVERING INDEX|COVERING INDEX|INDEX"
    r"|INTEGER PRIMARY KEY|PRIMARY KEY|ROWID SEARCH)"
    r"(?: (?P<index>[^\s(]+))?)?(?: \((?P<condition>.*)\))?"
)
_SORT = re.compile(r"USE TEMP B-TREE FOR (?P<keys>.+)")
_COLUMN = re.compile(r"(\w+)(?==|>|<)")
_TEXTS = {
    "": message("plan.seq_scan", "reads every row of {table}"),
    "COVERING INDEX": message(
        "plan.index_only_scan", "reads the index {index} of {table}, without the table"
    ),
    "INDEX": message("plan.index_scan", "finds rows of {table} by the index {index}"),
    "KEY": message("plan.key_search", "finds rows of {table} by its key"),
    "AUTOMATIC": message(
        "plan.automatic_index", "makes an index of {table} for this run, and finds rows by it"
    ),
}
_SORTS = message("plan.sort", "sorts by {keys}")
_PASSING_INDEX = message(
    "plan.passing_index",
    "an index on {table} ({columns}) would help: SQLite makes one for each run",
)


def read_sqlite_plan(steps: Sequence[tuple[int, int, int, str]], text: str) -> QueryPlan:
    """The plan of the rows (id, parent's id, unused, detail) that SQLite gives."""
    return QueryPlan(_read_below(0, steps), text)


def _read_below(number: int, steps: Sequence[tuple[int, int, int, str]]) -> tuple[PlanNode, ...]:
    return tuple(
        _read_step(detail, _read_below(own, steps))
        for own, parent, _unused, detail in steps
        if parent == number and own != number
    )


def _read_step(detail: str, children: tuple[PlanNode, ...]) -> PlanNode:
    if sort := _SORT.match(detail):
        text = Message(_SORTS.code, _SORTS.template, {"keys": sort["keys"]})
        return PlanNode(kind=detail, text=text, children=children)
    match = _STEP.match(detail)
    if match is None:
        return PlanNode(kind=detail, text=foreign(detail), children=children)
    how, table, condition = match["how"] or "", match["table"], match["condition"] or ""
    is_automatic = how.startswith("AUTOMATIC")
    text = _TEXTS["AUTOMATIC" if is_automatic else "KEY" if "KEY" in how or "ROW" in how else how]
    values = {"table": table, "index": match["index"] or ""}
    advice = None
    if is_automatic and (columns := _COLUMN.findall(condition)):
        advice = Message(
            _PASSING_INDEX.code,
            _PASSING_INDEX.template,
            {"table": table, "columns": ", ".join(columns)},
        )
    return PlanNode(
        kind=match["kind"],
        text=Message(
            text.code,
            text.template,
            {k: v for k, v in values.items() if f"{{{k}}}" in text.template},
        ),
        table=table,
        index=match["index"] or "",
        conditions=(condition,) if condition else (),
        advice=advice,
        children=children,
    )
