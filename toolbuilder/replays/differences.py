"""What is kept of a difference of two answers: few rows, short texts, nothing of masked columns."""

from collections.abc import Collection, Sequence
from typing import Any

import orjson

from catalog.models import CatalogColumn
from core.answer_differences import AnswerDifference, RowKind
from core.catalogue.masking import MASK, is_sensitive
from core.formatting import format_cell
from core.results import Row
from core.toolspec import JsonValue

ROWS_KEPT = 20
VALUES_KEPT = 50
CELL_CHARACTERS = 160


def find_masked(columns: Collection[str]) -> frozenset[str]:
    """Those of the columns whose values are not shown, by what people decided and else by name; one query."""
    decided: dict[str, bool] = {}
    rows = CatalogColumn.objects.exclude(is_masked=None).order_by()
    for name, is_masked in rows.values_list("name", "is_masked").distinct():
        decided[name.lower()] = bool(is_masked) or decided.get(name.lower(), False)
    return frozenset(
        name for name in columns if decided.get(name.lower(), is_sensitive(name, "", ""))
    )


def keep_difference(difference: AnswerDifference) -> dict[str, Any]:
    """The difference as JSON for a page: `before` and `after` are rows of cells beside each other.

    A cell is {"text", "is_changed"}; its text is None for null. The rows of one side are those that
    changed or are only there. `values` are [path, old, new].
    """
    masked = find_masked(difference.columns)
    hidden = {place for place, name in enumerate(difference.columns) if name in masked}
    kept = difference.rows[:ROWS_KEPT]
    before = [
        _cells(row.old, row.cells, hidden, is_whole=row.kind is RowKind.REMOVED)
        for row in kept
        if row.old is not None
    ]
    after = [
        _cells(row.new, row.cells, hidden, is_whole=row.kind is RowKind.ADDED)
        for row in kept
        if row.new is not None
    ]
    document = {
        "columns": list(difference.columns),
        "before": before,
        "after": after,
        "same_rows": difference.same_rows,
        "left_out": len(difference.rows) - len(kept),
        "old_rows": difference.old_rows,
        "new_rows": difference.new_rows,
        "values": [
            [value.path, _text(value.old), _text(value.new)]
            for value in difference.values[:VALUES_KEPT]
        ],
    }
    cleaned: dict[str, Any] = without_nul(document)
    return cleaned


def without_nul(document: Any) -> Any:
    """The JSON without the one character that the database does not keep."""
    return orjson.loads(orjson.dumps(document).replace(b"\\u0000", b""))


def _cells(
    row: Row, changed: Collection[int], hidden: Collection[int], *, is_whole: bool
) -> list[dict[str, Any]]:
    return [
        {
            "text": MASK if place in hidden else _text(value),
            "is_changed": is_whole or place in changed,
        }
        for place, value in enumerate(row)
    ]


def _text(value: JsonValue) -> str | None:
    if value is None:
        return None
    text = format_cell(value)
    return text if len(text) <= CELL_CHARACTERS else f"{text[:CELL_CHARACTERS]}…"


def percentile_95(values: Sequence[float]) -> float | None:
    """The value that 95 % of the values do not exceed; None of none."""
    ordered = sorted(values)
    return ordered[max(0, -(-95 * len(ordered) // 100) - 1)] if ordered else None
