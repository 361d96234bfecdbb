"""What is kept of a difference of two answers: few rows, short texts, nothing of masked columns."""

from collections.abc import Collection, Sequence
from typing import Any

from catalog.mask_decisions import read_mask_decisions
from core.answer_differences import AnswerDifference, RowDifference, RowKind
from core.catalogue.masking import MASK, is_sensitive
from core.formatting import format_cell
from core.json_text import to_storable
from core.toolspec import JsonValue

ROWS_KEPT = 20
VALUES_KEPT = 50
# Of wider answers the first column is kept, and those that changed.
COLUMNS_KEPT = 6
CELL_CHARACTERS = 160


def find_masked(columns: Collection[str]) -> frozenset[str]:
    """Those of the columns whose values are not shown, by what people decided and else by name; one query."""
    decided = read_mask_decisions()
    return frozenset(
        name for name in columns if decided.get(name.lower(), is_sensitive(name, "", ""))
    )


def keep_difference(difference: AnswerDifference) -> dict[str, Any]:
    """The difference as JSON for a page: `before` and `after` are rows of cells beside each other.

    A cell is {"text", "is_changed"}; its text is None for null. The rows of one side are those that
    changed or are only there. `values` are [path, old, new].
    """
    kept = difference.rows[:ROWS_KEPT]
    places = _find_places(difference, kept)
    names = [difference.columns[place] for place in places]
    masked = find_masked(names)
    hidden = {place for place in places if difference.columns[place] in masked}
    sides: dict[str, list[list[dict[str, Any]]]] = {"before": [], "after": []}
    for row in kept:
        for side, values in (("before", row.old), ("after", row.new)):
            if values is not None:
                is_whole = row.kind is not RowKind.CHANGED
                cells = [
                    {
                        "text": MASK if place in hidden else _text(values[place]),
                        "is_changed": is_whole or place in row.cells,
                    }
                    for place in places
                ]
                sides[side].append(cells)
    document = {
        "columns": names,
        **sides,
        "same_rows": difference.same_rows,
        "left_out": len(difference.rows) - len(kept),
        "old_rows": difference.old_rows,
        "new_rows": difference.new_rows,
        "values": [
            [value.path, _text(value.old), _text(value.new)]
            for value in difference.values[:VALUES_KEPT]
        ],
    }
    cleaned: dict[str, Any] = to_storable(document)
    return cleaned


def _find_places(difference: AnswerDifference, rows: Sequence[RowDifference]) -> list[int]:
    """The columns that are kept, by their places in a row."""
    places = range(len(difference.columns))
    changed = {place for row in rows for place in row.cells}
    if len(places) <= COLUMNS_KEPT or not changed:
        return list(places[:COLUMNS_KEPT])
    return [place for place in places if place == 0 or place in changed]


def _text(value: JsonValue) -> str | None:
    if value is None:
        return None
    text = format_cell(value)
    return text if len(text) <= CELL_CHARACTERS else f"{text[:CELL_CHARACTERS]}…"


def percentile_95(values: Sequence[float]) -> float | None:
    """The value that 95 % of the values do not exceed; None of none."""
    ordered = sorted(values)
    return ordered[max(0, -(-95 * len(ordered) // 100) - 1)] if ordered else None
