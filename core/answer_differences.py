"""What is different between two answers of a tool: of a stored and a new run, or of two states of the tool."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import islice
from typing import Any

from core.errors import DefinitionError
from core.json_text import to_encodable
from core.messages import Message, counted, list_sentences, message
from core.results import Answer, Row
from core.toolspec import JsonValue

# Matching may be quadratic in the rows between the first and the last that differ.
_MATCHED_ROWS = 2_000
_MAX_VALUES = 200
# A sum of floats depends on the order of its terms, which a parallel query does not promise.
_SIGNIFICANT_DIGITS = 12
_TYPES = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "text",
    list: "array",
    tuple: "array",
}


@dataclass(frozen=True, slots=True)
class ComparedAnswer:
    """An answer as far as it is compared: a query's columns and rows, or the `value` of any other tool.

    `columns` is None where there are no rows. Time, limits and notes are not compared; `truncated` is.
    """

    columns: tuple[str, ...] | None = None
    rows: tuple[Row, ...] = ()
    value: JsonValue = None
    truncated: bool = False

    @classmethod
    def of_answer(cls, answer: Answer) -> "ComparedAnswer":
        """The part of a call's answer that counts."""
        if (result := answer.result) is None:
            structured: Any = to_encodable(answer.structured)
            return cls(value=structured, truncated=answer.truncated)
        rows: Any = to_encodable(result.rows)
        return cls(columns=result.columns, rows=tuple(map(tuple, rows)), truncated=result.truncated)

    def to_document(self) -> dict[str, JsonValue]:
        """As JSON, read again by `read_compared_answer`."""
        if self.columns is None:
            document: dict[str, JsonValue] = {"value": self.value}
        else:
            document = {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}
        return {**document, "truncated": True} if self.truncated else document


def read_compared_answer(document: JsonValue) -> ComparedAnswer:
    """The answer of a document. Raises DefinitionError, saying what is missing, for any other JSON."""
    if isinstance(document, dict):
        columns, rows = document.get("columns"), document.get("rows")
        truncated = document.get("truncated") is True
        if columns is None and rows is None and "value" in document:
            return ComparedAnswer(value=document["value"], truncated=truncated)
        if (
            isinstance(columns, list)
            and isinstance(rows, list)
            and all(isinstance(name, str) for name in columns)
            and all(isinstance(row, list) and len(row) == len(columns) for row in rows)
        ):
            names: Any = columns
            return ComparedAnswer(tuple(names), tuple(map(tuple, rows)), truncated=truncated)
    raise DefinitionError(
        message(
            "answer.no_answer",
            "an answer is columns and rows, each row as long as the columns, or a value",
        )
    )


class RowKind(StrEnum):
    """What became of a row."""

    CHANGED = "changed"
    REMOVED = "removed"
    ADDED = "added"


@dataclass(frozen=True, slots=True)
class RowDifference:
    """A row that is not as it was; `old` is None for an added one and `new` for a removed one.

    `number` counts from 1, in the new answer, or in the old one for a removed row. `cells` are the
    indexes of the values that changed. Rows hold the values of the columns that both answers have.
    """

    kind: RowKind
    number: int
    old: Row | None = None
    new: Row | None = None
    cells: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class ValueDifference:
    """A value at a path such as `$.result[0].name`; None on the side where it is not there."""

    path: str
    old: JsonValue
    new: JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDifference:
    """How the new answer differs; false if it does not.

    `columns` are those that both have, in the new order. `is_reordered` says that all rows, or all
    columns, are the same but stand in another order. `is_other_kind` says that one has rows and the
    other a value.
    """

    columns: tuple[str, ...] = ()
    added_columns: tuple[str, ...] = ()
    removed_columns: tuple[str, ...] = ()
    rows: tuple[RowDifference, ...] = ()
    same_rows: int = 0
    old_rows: int = 0
    new_rows: int = 0
    values: tuple[ValueDifference, ...] = ()
    is_reordered: bool = False
    is_other_kind: bool = False
    is_other_truncation: bool = False

    def __bool__(self) -> bool:
        found = self.added_columns or self.removed_columns or self.rows or self.values
        return bool(found) or self.is_reordered or self.is_other_kind or self.is_other_truncation

    def explain(self) -> Message:
        """The difference in a sentence or several, without values."""
        return list_sentences(self._sentences())

    def _sentences(self) -> Iterator[Message]:
        if self.is_other_kind:
            yield message("answer.kind", "One answer has rows and the other a value.")
        if self.removed_columns:
            names = ", ".join(self.removed_columns)
            yield message("answer.columns_gone", "Columns are gone: {names}.", names=names)
        if self.added_columns:
            names = ", ".join(self.added_columns)
            yield message("answer.columns_new", "Columns are new: {names}.", names=names)
        kinds = Counter(row.kind for row in self.rows)
        if changed := kinds[RowKind.CHANGED]:
            yield message(
                "answer.rows_changed",
                counted("{count} of {rows} rows differs.", "{count} of {rows} rows differ."),
                count=changed,
                rows=self.old_rows,
            )
        if gone := kinds[RowKind.REMOVED]:
            yield message(
                "answer.rows_gone",
                counted("One row is gone.", "{count} rows are gone."),
                count=gone,
            )
        if new := kinds[RowKind.ADDED]:
            yield message(
                "answer.rows_new", counted("One row is new.", "{count} rows are new."), count=new
            )
        if self.is_reordered:
            yield message("answer.order", "The same is there in another order.")
        if self.values:
            yield message(
                "answer.values",
                counted("One value differs.", "{count} values differ."),
                count=len(self.values),
            )
        if self.is_other_truncation:
            yield message("answer.truncation", "Only one of the answers was cut at a limit.")


SAME = AnswerDifference()


def compare_answers(old: ComparedAnswer, new: ComparedAnswer) -> AnswerDifference:
    """What the new answer says otherwise. Floats are equal when twelve significant digits are."""
    cut = old.truncated != new.truncated
    if old.columns is None and new.columns is None:
        values = _compare_values("$", old.value, new.value)
        return AnswerDifference(values=tuple(islice(values, _MAX_VALUES)), is_other_truncation=cut)
    if old.columns is None or new.columns is None:
        return AnswerDifference(is_other_kind=True, is_other_truncation=cut)
    old_places, new_places = _numbered(old.columns), _numbered(new.columns)
    shared = [name for name in new_places if name in old_places]
    old_rows = [tuple(row[old_places[name]] for name in shared) for row in old.rows]
    new_rows = [tuple(row[new_places[name]] for name in shared) for row in new.rows]
    old_keys, new_keys = list(map(_key, old_rows)), list(map(_key, new_rows))
    is_reordered = old_keys != new_keys and Counter(old_keys) == Counter(new_keys)
    rows: tuple[RowDifference, ...] = ()
    if not is_reordered and old_keys != new_keys:
        rows = tuple(_compare_rows(old_rows, new_rows, old_keys, new_keys))
    changed = sum(row.kind is not RowKind.ADDED for row in rows)
    moved_columns = [name for name in old_places if name in new_places] != shared
    return AnswerDifference(
        columns=tuple(new.columns[new_places[name]] for name in shared),
        added_columns=_only_in(new_places, old_places),
        removed_columns=_only_in(old_places, new_places),
        rows=rows,
        same_rows=len(old_rows) - changed,
        old_rows=len(old_rows),
        new_rows=len(new_rows),
        is_reordered=is_reordered or moved_columns,
        is_other_truncation=cut,
    )


def column_types(answer: ComparedAnswer) -> dict[str, str]:
    """The JSON type of each column's values, nulls apart: `integer` and `number` are `number` together.

    `null` is a column without any value, `mixed` one of several types; of columns with one name the first.
    """
    types: dict[str, str] = {}
    for place, name in enumerate(answer.columns or ()):
        values = (row[place] for row in answer.rows if row[place] is not None)
        found = {_TYPES.get(type(value), "object") for value in values}
        if found == {"integer", "number"}:
            found = {"number"}
        types.setdefault(name, found.pop() if len(found) == 1 else "mixed" if found else "null")
    return types


def _numbered(columns: Sequence[str]) -> dict[tuple[str, int], int]:
    """The place of each column by its name and how many of that name come before it."""
    seen: Counter[str] = Counter()
    places: dict[tuple[str, int], int] = {}
    for place, name in enumerate(columns):
        places[name, seen[name]] = place
        seen[name] += 1
    return places


def _only_in(
    places: dict[tuple[str, int], int], others: dict[tuple[str, int], int]
) -> tuple[str, ...]:
    return tuple(name for name, number in places if (name, number) not in others)


def _compare_rows(
    old: Sequence[Row], new: Sequence[Row], old_keys: list[str], new_keys: list[str]
) -> Iterator[RowDifference]:
    """Rows side by side where as many were replaced as came instead, in the order of the new answer."""
    for tag, old_start, old_end, new_start, new_end in _match(old_keys, new_keys):
        if tag == "equal":
            continue
        paired = min(old_end - old_start, new_end - new_start)
        for offset in range(paired):
            before, after = old[old_start + offset], new[new_start + offset]
            cells = frozenset(
                place
                for place, (left, right) in enumerate(zip(before, after, strict=True))
                if _key(left) != _key(right)
            )
            number = new_start + offset + 1
            yield RowDifference(RowKind.CHANGED, number, before, after, cells)
        for place in range(old_start + paired, old_end):
            yield RowDifference(RowKind.REMOVED, place + 1, old=old[place])
        for place in range(new_start + paired, new_end):
            yield RowDifference(RowKind.ADDED, place + 1, new=new[place])


def _match(old: list[str], new: list[str]) -> Sequence[tuple[str, int, int, int, int]]:
    """The blocks of difflib; of very long answers only rows at the same place are matched."""
    if max(len(old), len(new)) <= _MATCHED_ROWS:
        return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    shared = min(len(old), len(new))
    blocks = [
        ("equal" if old[place] == new[place] else "replace", place, place + 1, place, place + 1)
        for place in range(shared)
    ]
    return [*blocks, ("replace", shared, len(old), shared, len(new))]


def _compare_values(path: str, old: Any, new: Any) -> Iterator[ValueDifference]:
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted({*old, *new}):
            yield from _compare_values(f"{path}.{name}", old.get(name), new.get(name))
    elif isinstance(old, list) and isinstance(new, list):
        for place in range(max(len(old), len(new))):
            before = old[place] if place < len(old) else None
            after = new[place] if place < len(new) else None
            yield from _compare_values(f"{path}[{place}]", before, after)
    elif _key(old) != _key(new):
        yield ValueDifference(path, old, new)


def _key(value: Any) -> str:
    return json.dumps(_rounded(value), ensure_ascii=False, sort_keys=True)


def _rounded(value: Any) -> Any:
    """The value with floats of twelve significant digits, whole ones as integers."""
    if isinstance(value, float):
        rounded = float(f"{value:.{_SIGNIFICANT_DIGITS}g}")
        return int(rounded) if rounded.is_integer() else rounded
    if isinstance(value, list | tuple):
        return [_rounded(part) for part in value]
    if isinstance(value, dict):
        return {name: _rounded(part) for name, part in value.items()}
    return value
