"""A query's plan as plain data, whatever database made it."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from core.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanNode:
    """One step. `kind` is the database's own word for it, `text` says what it does.

    `rows` is the estimate of what it gives, `cost` that of it and all below, in the planner's unit;
    None where the database estimates none. `share` is the step's own part of the whole cost, 0 to 1.
    `conditions` are in the database's words.
    """

    kind: str
    text: Message
    table: str = ""
    index: str = ""
    conditions: tuple[str, ...] = ()
    rows: int | None = None
    cost: float | None = None
    share: float = 0.0
    advice: Message | None = None
    children: tuple["PlanNode", ...] = ()

    def walk(self) -> Iterator["PlanNode"]:
        """The step and all below it, from top to bottom."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class QueryPlan:
    """The plan of one query: its outermost steps, and the database's own text of it."""

    nodes: tuple[PlanNode, ...]
    text: str

    @property
    def cost(self) -> float | None:
        """The estimated cost of the whole; None where the database estimates none."""
        return self.nodes[0].cost if self.nodes else None

    @property
    def rows(self) -> int | None:
        return self.nodes[0].rows if self.nodes else None

    @property
    def advice(self) -> tuple[Message, ...]:
        """What would make it cheaper, each once."""
        steps = (step for node in self.nodes for step in node.walk())
        return tuple({str(step.advice): step.advice for step in steps if step.advice}.values())


@dataclass(frozen=True, slots=True)
class TableFigures:
    """What the planner knows of a table: about how many rows, its columns, and those an index begins with."""

    rows: float
    columns: frozenset[str] = field(default_factory=frozenset)
    indexed: frozenset[str] = field(default_factory=frozenset)
