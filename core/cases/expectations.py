"""What a case may expect of an answer: each kind reads itself, shows itself and judges an outcome."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import ClassVar

from core.answer_differences import ComparedAnswer, column_types, compare_answers
from core.cases.fields import CaseFields
from core.cases.outcomes import CaseOutcome
from core.cases.paths import find_at, read_path
from core.formatting import format_cell
from core.messages import Message, Value, counted, join, message
from core.shown_values import show_value
from core.toolspec import JsonValue

COMPARISONS = ("=", ">=", "<=")
ORDERS = ("asc", "desc")
COLUMN_TYPES = ("text", "number", "boolean", "array", "object", "any")
MAX_COLUMNS = 1_700
_SIGNS = {"=": "=", ">=": "≥", "<=": "≤"}
# Of column_types(): what a case calls otherwise, or cannot know.
_AS_WRITTEN = {"integer": "number", "null": "any", "mixed": "any"}


class Expectation(ABC):
    """One thing that is expected. `check` names the kind in documents, `names` are its fields there.

    `is_of_error` says that it can hold for an error, `is_of_cost` that an answer which fails it alone
    is right but too slow or too large, `is_of_text` that it is about what the agent reads.
    """

    check: ClassVar[str]
    names: ClassVar[tuple[str, ...]]
    is_of_error: ClassVar[bool] = False
    is_of_cost: ClassVar[bool] = False
    is_of_text: ClassVar[bool] = False

    @classmethod
    @abstractmethod
    def read(cls, fields: CaseFields) -> "Expectation":
        """The expectation of a document. Raises DefinitionError, naming the field."""

    @abstractmethod
    def to_document(self) -> dict[str, JsonValue]:
        """As JSON, with `check` first."""

    @abstractmethod
    def describe(self) -> Value:
        """What is expected, in a few words."""

    @abstractmethod
    def find_fault(self, outcome: CaseOutcome) -> Value | None:
        """What is there instead, in a few words; None if it is as expected."""


@dataclass(frozen=True, slots=True)
class RowCount(Expectation):
    """So many rows, at least or at most so many."""

    check = "rows"
    names = ("is", "count")
    comparison: str
    count: int

    @classmethod
    def read(cls, fields: CaseFields) -> "RowCount":
        return cls(fields.choice("is", COMPARISONS, "="), fields.whole("count"))

    def to_document(self) -> dict[str, JsonValue]:
        return {"check": self.check, "is": self.comparison, "count": self.count}

    def describe(self) -> Value:
        rows = _count_rows(self.count)
        if self.comparison == "=":
            return rows
        return join((_SIGNS[self.comparison], rows), " ")

    def find_fault(self, outcome: CaseOutcome) -> Value | None:
        if outcome.answer is None or outcome.answer.columns is None:
            return _no_rows()
        count = len(outcome.answer.rows)
        return None if _holds(count, self.comparison, self.count) else _count_rows(count)


@dataclass(frozen=True, slots=True)
class Columns(Expectation):
    """Exactly these columns in this order, each with the JSON type of its values; `any` fits every type."""

    check = "columns"
    names = ("columns",)
    columns: tuple[tuple[str, str], ...]

    @classmethod
    def read(cls, fields: CaseFields) -> "Columns":
        columns = []
        for number, entry in enumerate(fields.list("columns", MAX_COLUMNS)):
            column = CaseFields(entry, f"{fields.place}.columns[{number}]", ("name", "type"))
            kind = column.choice("type", COLUMN_TYPES, "any")
            columns.append((column.text("name", default=""), kind))
        return cls(tuple(columns))

    @classmethod
    def of_answer(cls, answer: ComparedAnswer) -> "Columns":
        """Those of the answer."""
        return cls(tuple(_typed_columns(answer)))

    def to_document(self) -> dict[str, JsonValue]:
        columns = [{"name": name, "type": kind} for name, kind in self.columns]
        return {"check": self.check, "columns": columns}

    def describe(self) -> Value:
        names = ", ".join(name for name, _kind in self.columns)
        return message("case.columns", "columns {names}", names=names)

    def find_fault(self, outcome: CaseOutcome) -> Value | None:
        if outcome.answer is None or outcome.answer.columns is None:
            return _no_rows()
        found = tuple(_typed_columns(outcome.answer))
        is_same = len(found) == len(self.columns) and all(
            name == other and (kind == there or "any" in (kind, there))
            for (name, kind), (other, there) in zip(self.columns, found, strict=True)
        )
        if is_same:
            return None
        shown = (name if kind == "any" else f"{name} {kind}" for name, kind in found)
        return ", ".join(shown)


@dataclass(frozen=True, slots=True)
class ValueAt(Expectation):
    """The value at a path is, or is at least, or is at most this one."""

    check = "value"
    names = ("path", "is", "value")
    path: str
    comparison: str
    value: JsonValue

    @classmethod
    def read(cls, fields: CaseFields) -> "ValueAt":
        path = fields.text("path")
        read_path(path)
        if not fields.has("value"):
            raise fields.fault(message("case.missing", "is missing"), "value")
        return cls(path, fields.choice("is", COMPARISONS, "="), fields.any("value"))

    def to_document(self) -> dict[str, JsonValue]:
        place = {"check": self.check, "path": self.path}
        return {**place, "is": self.comparison, "value": self.value}

    def describe(self) -> Value:
        return f"{self.path} {_SIGNS[self.comparison]} {_shorten(self.value)}"

    def find_fault(self, outcome: CaseOutcome) -> Value | None:
        is_there, found = find_at(self.path, outcome.root())
        if not is_there:
            return message("case.nothing_there", "nothing at {path}", path=self.path)
        return None if _holds(found, self.comparison, self.value) else _shorten(found)


@dataclass(frozen=True, slots=True)
class Contains(Expectation):
    """The text that the agent reads contains this one."""

    check = "contains"
    names = ("text",)
    is_of_text = True
    text: str

    @classmethod
    def read(cls, fields: CaseFields) -> "Contains":
        return cls(fields.text("text"))

    def to_document(self) -> dict[str, JsonValue]:
        return {"check": self.check, "text": self.text}

    def describe(self) -> Value:
        return message("case.contains", "contains “{text}”", text=self.text)

    def find_fault(self, outcome: CaseOutcome) -> Value | None:
        if any(self.text in text for text in outcome.texts):
            return None
        return message("case.other_text", "a text without it")


@dataclass(frozen=True, slots=True)
class RowExists(Expectation):
    """A row in which these columns have these values."""

    check = "row"
    names = ("values",)
    values: tuple[tuple[str, JsonValue], ...]

    @classmethod
    def read(cls, fields: CaseFields) -> "RowExists":
        values = fields.object("values")
        if not values:
            raise fields.fault(message("case.no_values", "must name a column"), "values")
        return cls(tuple(sorted(values.items())))

    def to_document(self) -> dict[str, JsonValue]:
        return {"check": self.check, "values": dict(self.values)}

    def describe(self) -> Value:
        values = ", ".join(f"{name} = {_shorten(value)}" for name, value in self.values)
        return message("case.row", "a row with {values}", values=values)

    def find_fault(self, outcome: CaseOutcome) -> Value | None:
        for row in outcome.records():
            if all(name in row and _holds(row[name], "=", value) for name, value in self.values):
                return None
        return message("case.no_such_row", "no such row")


@dataclass(frozen=True, slots=True)
class SortedBy(Expectation):
    """The rows are in the order of a column; nulls may be anywhere. Texts may be sorted in any case of letters."""

    check = "sorted"
    names = ("column", "order")
    column: str
    order: str

    @classmethod
    def read(cls, fields: CaseFields) -> "SortedBy":
        return cls(fields.text("column"), fields.choice("order", ORDERS, "asc"))

    def to_document(self) -> dict[str, JsonValue]:
        return {"check": self.check, "column": self.column, "order": self.order}

    def describe(self) -> Value:
        if self.order == "desc":
            return message("case.sorted_down", "sorted by {column}, down", column=self.column)
        return message("case.sorted", "sorted by {column}", column=self.column)

    def find_fault(self, outcome: CaseOutcome) -> Value | None:
        if outcome.answer is None or self.column not in (outcome.answer.columns or ()):
            return message("case.no_column", "no column {column}", column=self.column)
        records = outcome.records()
        numbered = [(at, row[self.column]) for at, row in enumerate(records, 1)]
        given = [(at, value) for at, value in numbered if value is not None]
        comparison = "<=" if self.order == "asc" else ">="
        for (_at, first), (at, second) in pairwise(given):
            if not any(
                _holds(before, comparison, after)
                for before, after in ((first, second), (_fold(first), _fold(second)))
            ):
                return message("case.out_of_order", "row {number} out of order", number=at)
        return None


@dataclass(frozen=True, slots=True)
class ErrorWith(Expectation):
    """An error whose text contains this one, in any case of letters; '' fits every error."""

    check = "error"
    names = ("text",)
    is_of_error = True
    text: str

    @classmethod
    def read(cls, fields: CaseFields) -> "ErrorWith":
        return cls(fields.text("text", default=""))

    def to_document(self) -> dict[str, JsonValue]:
        return {"check": self.check, "text": self.text}

    def describe(self) -> Value:
        if not self.text:
            return message("case.any_error", "an error")
        return message("case.error", "error with “{text}”", text=self.text)

    def find_fault(self, outcome: CaseOutcome) -> Value | None:
        if outcome.error is None:
            return message("case.an_answer", "an answer")
        is_meant = self.text.casefold() in str(outcome.error).casefold()
        return None if is_meant else outcome.error


@dataclass(frozen=True, slots=True)
class AtMost(Expectation):
    """The run costs at most so much of one of three things."""

    names = ("at_most",)
    is_of_error = True
    is_of_cost = True
    limit: int

    @classmethod
    def read(cls, fields: CaseFields) -> "AtMost":
        return cls(fields.whole("at_most"))

    def to_document(self) -> dict[str, JsonValue]:
        return {"check": self.check, "at_most": self.limit}

    def describe(self) -> Value:
        return join(("≤", self.amount(self.limit)), " ")

    def find_fault(self, outcome: CaseOutcome) -> Value | None:
        measured = self.measure(outcome)
        return None if measured <= self.limit else self.amount(measured)

    @abstractmethod
    def measure(self, outcome: CaseOutcome) -> int:
        """What the run cost."""

    @abstractmethod
    def amount(self, count: int) -> Value:
        """So many, with their unit."""


class AtMostMs(AtMost):
    """At most so many milliseconds."""

    check = "ms"

    def measure(self, outcome: CaseOutcome) -> int:
        return round(outcome.elapsed_ms)

    def amount(self, count: int) -> Value:
        return message("case.ms", "{count} ms", count=count)


class AtMostBytes(AtMost):
    """At most so many bytes of text."""

    check = "bytes"

    def measure(self, outcome: CaseOutcome) -> int:
        return outcome.size_bytes

    def amount(self, count: int) -> Value:
        return message("case.bytes", counted("{count} byte", "{count} bytes"), count=count)


class AtMostTokens(AtMost):
    """At most so many tokens, as they are estimated."""

    check = "tokens"

    def measure(self, outcome: CaseOutcome) -> int:
        return outcome.tokens

    def amount(self, count: int) -> Value:
        return message("case.tokens", counted("{count} token", "{count} tokens"), count=count)


KINDS: dict[str, type[Expectation]] = {
    kind.check: kind
    for kind in (
        RowCount, Columns, ValueAt, Contains, RowExists, SortedBy, ErrorWith, AtMostMs, AtMostBytes, AtMostTokens,
    )
}  # fmt: skip


def read_expectation(value: JsonValue, place: str) -> Expectation:
    """The expectation of a document such as {"check": "rows", "is": ">=", "count": 1}.

    Raises DefinitionError, naming the place.
    """
    check = value.get("check") if isinstance(value, dict) else None
    kind = KINDS.get(check) if isinstance(check, str) else None
    names = kind.names if kind else tuple(value) if isinstance(value, dict) else ()
    fields = CaseFields(value, place, ("check", *names))
    fields.choice("check", KINDS)
    assert kind is not None  # noqa: S101 - the choice has it
    return kind.read(fields)


def _holds(found: JsonValue, comparison: str, expected: JsonValue) -> bool:
    """Whether found = expected, or is at least or at most that: numbers by size, other texts by letters."""
    if comparison == "=":
        return not compare_answers(ComparedAnswer(value=expected), ComparedAnswer(value=found))
    numbers = _number(found), _number(expected)
    if numbers[0] is not None and numbers[1] is not None:
        return numbers[0] >= numbers[1] if comparison == ">=" else numbers[0] <= numbers[1]
    if isinstance(found, str) and isinstance(expected, str):
        return found >= expected if comparison == ">=" else found <= expected
    return False


def _fold(value: JsonValue) -> JsonValue:
    return value.casefold() if isinstance(value, str) else value


def _number(value: JsonValue) -> Decimal | None:
    """The value as a number, also that of a decimal, which is a text where it would lose digits."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(value if isinstance(value, int) else str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _typed_columns(answer: ComparedAnswer) -> Iterator[tuple[str, str]]:
    types = column_types(answer)
    for name in answer.columns or ():
        yield name, _AS_WRITTEN.get(types[name], types[name])


def _count_rows(count: int) -> Message:
    return message("case.rows", counted("{count} row", "{count} rows"), count=count)


def _no_rows() -> Message:
    return message("case.no_rows", "an answer without rows")


def _shorten(value: JsonValue) -> str:
    if isinstance(value, dict | list):
        text = format_cell(value)
        return text if len(text) <= 60 else f"{text[:59]}…"
    return str(show_value(value))
