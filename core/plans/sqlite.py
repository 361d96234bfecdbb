"""SQLite's EXPLAIN QUERY PLAN as a tree."""

import re
from collections.abc import Sequence

from core.messages import Message, foreign, message
from core.plans.tree import PlanNode, QueryPlan
from core.plans.words import finding_by_index, reading_all, reading_index, sorting

_STEP = re.compile(
    r"(?P<kind>SCAN|SEARCH) (?:TABLE )?(?P<table>\S+)(?: AS \S+)?"
    r"(?: USING (?P<how>AUTOMATIC(?: PARTIAL)? COVERING INDEX|COVERING INDEX|INDEX"
    r"|INTEGER PRIMARY KEY|PRIMARY KEY|ROWID SEARCH)"
    r"(?: (?P<index>[^\s(]+))?)?(?: \((?P<condition>.*)\))?"
)
_SORT = re.compile(r"USE TEMP B-TREE FOR (?P<keys>.+)")
_COLUMN = re.compile(r"(\w+)(?==|>|<)")


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
        return PlanNode(kind=detail, text=sorting(sort["keys"]), children=children)
    match = _STEP.match(detail)
    if match is None:
        return PlanNode(kind=detail, text=foreign(detail), children=children)
    how, table, condition = match["how"] or "", match["table"], match["condition"] or ""
    advice = None
    if how.startswith("AUTOMATIC") and (columns := _COLUMN.findall(condition)):
        advice = message(
            "plan.passing_index",
            "an index on {table} ({columns}) would help: SQLite makes one for each run",
            table=table,
            columns=", ".join(columns),
        )
    return PlanNode(
        kind=match["kind"],
        text=_describe(how, table, match["index"] or ""),
        table=table,
        index=match["index"] or "",
        conditions=(condition,) if condition else (),
        advice=advice,
        children=children,
    )


def _describe(how: str, table: str, index: str) -> Message:
    match how:
        case "":
            return reading_all(table)
        case "INDEX":
            return finding_by_index(table, index)
        case "COVERING INDEX":
            return reading_index(table, index)
        case _ if how.startswith("AUTOMATIC"):
            return message(
                "plan.automatic_index",
                "makes an index of {table} for this run, and finds rows by it",
                table=table,
            )
    return message("plan.key_search", "finds rows of {table} by its key", table=table)
