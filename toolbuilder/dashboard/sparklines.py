"""Small drawings of a figure over time, as the points of an SVG line."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 120
HEIGHT = 28
_EDGE = 2


@dataclass(frozen=True, slots=True)
class Sparkline:
    """`line` and `area` are `points` of a polyline and a polygon in a box of 120 by 28."""

    line: str
    area: str
    width: int = WIDTH
    height: int = HEIGHT


def draw_sparkline(values: Sequence[float]) -> Sparkline:
    """The values from left to right over zero; the largest reaches the top."""
    top = max(values, default=0) or 1
    step = (WIDTH - 2 * _EDGE) / max(len(values) - 1, 1)
    ground = HEIGHT - _EDGE
    points = [
        f"{_EDGE + number * step:.1f},{ground - (ground - _EDGE) * value / top:.1f}"
        for number, value in enumerate(values)
    ]
    line = " ".join(points)
    return Sparkline(line, f"{_EDGE},{ground} {line} {WIDTH - _EDGE},{ground}")
