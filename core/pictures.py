"""What a chart shows of a result's rows, before it is drawn: points, groups and labels, as the browser has them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil, isfinite

from core.column_kinds import ColumnKind, kind_of
from core.formatting import format_cell
from core.results import Answer, Row
from core.toolspec import JsonValue

BARS_SHOWN = 50
POINTS_SHOWN = 5_000
# Of one colour each; the last one is of all others.
GROUPS_SHOWN = 4
PICTURE_WIDTH, PICTURE_HEIGHT = 640, 360
# Pixels to a token, as Anthropic states it for its models; others take up to twice as many tokens.
_PIXELS_PER_TOKEN = 750
_TIMES = frozenset({ColumnKind.DATE, ColumnKind.MOMENT})


@dataclass(frozen=True, slots=True)
class Point:
    """One row: its place across, its height, the text below it, and the place of its group's colour."""

    x: float
    y: float
    label: str
    group: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A chart to be drawn. `kind` is bar, line or scatter; `total` counts the rows that have a height.

    `has_labels`: places across have the points' labels, in place of a scale; `is_time`: they are seconds.
    """

    kind: str
    across: str
    height: str
    points: tuple[Point, ...]
    groups: tuple[str, ...]
    total: int
    has_labels: bool
    is_time: bool


def picture_tokens() -> int:
    """About how many tokens a model reads of a picture."""
    return ceil(PICTURE_WIDTH * PICTURE_HEIGHT / _PIXELS_PER_TOKEN)


def plan_picture(chart: Mapping[str, JsonValue], answer: Answer) -> Picture | None:
    """The chart of the answer's rows; None where they lack its columns, or have no number to draw."""
    columns, rows = _read_rows(answer)
    across, height, colour = (str(chart.get(name, "")) for name in ("across", "height", "colour"))
    if across not in columns or height not in columns:
        return None
    at_x, at_y = columns.index(across), columns.index(height)
    at_colour = columns.index(colour) if colour in columns else None
    kind_y = kind_of((row[at_y] for row in rows), "numeric")
    kind_x = kind_of(row[at_x] for row in rows)
    drawn = [row for row in rows if row[at_y] is not None]
    if kind_y is not ColumnKind.NUMBER or not drawn:
        return None
    kind, total = str(chart.get("kind", "bar")), len(drawn)
    if kind == "bar":
        if chart.get("largest_first"):
            drawn.sort(key=lambda row: -float(row[at_y]))
        drawn = drawn[:BARS_SHOWN]
    places = [_place_of(row[at_x], kind_x) for row in drawn[:POINTS_SHOWN]]
    has_labels = kind == "bar" or not all(map(isfinite, places))
    names = [
        "" if at_colour is None else format_cell(row[at_colour]) or "–"
        for row in drawn[: len(places)]
    ]
    groups = tuple(name for name, _count in Counter(names).most_common(GROUPS_SHOWN))
    points = [
        Point(
            x=float(number) if has_labels else place,
            y=float(row[at_y]),
            label="null" if row[at_x] is None else format_cell(row[at_x]),
            group=groups.index(name) if name in groups else GROUPS_SHOWN - 1,
        )
        for number, (row, place, name) in enumerate(zip(drawn, places, names, strict=False))
    ]
    return Picture(
        kind=kind,
        across=across,
        height=height,
        points=tuple(sorted(points, key=lambda point: point.x)),
        groups=groups,
        total=total,
        has_labels=has_labels,
        is_time=not has_labels and kind_x in _TIMES,
    )


def _read_rows(answer: Answer) -> tuple[Sequence[str], Sequence[Row]]:
    """Columns and rows of a query, or of a list of objects that another tool gives."""
    if answer.result is not None:
        return answer.result.columns, answer.result.rows
    items = answer.structured.get("result")
    objects = items if isinstance(items, list) else []
    if not all(isinstance(item, dict) for item in objects):
        return (), ()
    columns = list(dict.fromkeys(str(name) for item in objects for name in item))
    return columns, [tuple(item.get(name) for name in columns) for item in objects]


def _place_of(value: JsonValue, kind: ColumnKind) -> float:
    """Where a value stands on a scale: seconds of a time, a number itself, NaN of any other."""
    if value is None or kind not in {ColumnKind.NUMBER, *_TIMES}:
        return float("nan")
    if kind is ColumnKind.NUMBER:
        return float(str(value))
    moment = datetime.fromisoformat(str(value))
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
