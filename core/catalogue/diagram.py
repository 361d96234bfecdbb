"""A drawing of a table between the tables that it is related to: boxes and lines, in SVG units."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from core.catalogue.entries import RelationType

BOX_WIDTH, BOX_HEIGHT = 236, 48
SIDE_LIMIT = 12
_GAP, _PITCH, _MARGIN = 72, 60, 2
# Half-width characters that fit a box.
_NAME_WIDTH, _JOIN_WIDTH = 27, 36


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A related table; `is_incoming` if it is the one that refers, `join` says by which columns."""

    name: str
    join: str
    relation_type: RelationType
    is_incoming: bool
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A table at (x, y), its upper left corner; `address` is '' if it is not a link."""

    x: int
    y: int
    name: str
    short_name: str
    short_join: str = ""
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """An SVG path from the table that refers to the one that is referred to."""

    path: str
    relation_type: RelationType


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagram:
    """The table in the middle, those that refer to it on its left, those it refers to on its right.

    `left_out` counts the tables beyond SIDE_LIMIT on each side.
    """

    width: int
    height: int
    center: Box
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]
    left_out: int


def draw_relations(name: str, neighbours: Iterable[Neighbour]) -> Diagram:
    """The drawing; a table that is related twice on one side is one box with both joins."""
    sides: tuple[dict[str, Neighbour], dict[str, Neighbour]] = ({}, {})
    for neighbour in neighbours:
        side = sides[0] if neighbour.is_incoming else sides[1]
        known = side.get(neighbour.name)
        side[neighbour.name] = (
            replace(known, join=f"{known.join}, {neighbour.join}") if known else neighbour
        )
    left, right = (list(side.values())[:SIDE_LIMIT] for side in sides)
    height = _height(max(len(left), len(right), 1))
    center_x = _MARGIN + (BOX_WIDTH + _GAP if left else 0)
    right_x = center_x + BOX_WIDTH + _GAP
    center = _box(name, center_x, (height - BOX_HEIGHT) // 2)
    boxes = [*_stack(left, _MARGIN, height), *_stack(right, right_x, height)]
    lines = []
    for box, neighbour in zip(boxes, [*left, *right], strict=True):
        start, end = (box, center) if neighbour.is_incoming else (center, box)
        x1, y1 = start.x + BOX_WIDTH, start.y + BOX_HEIGHT // 2
        x2, y2 = end.x, end.y + BOX_HEIGHT // 2
        bend = (x2 - x1) // 2
        path = f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
        lines.append(Line(path=path, relation_type=neighbour.relation_type))
    return Diagram(
        width=(right_x if right else center_x) + BOX_WIDTH + _MARGIN,
        height=height,
        center=center,
        boxes=tuple(boxes),
        lines=tuple(lines),
        left_out=len(sides[0]) + len(sides[1]) - len(boxes),
    )


def shorten_to_width(text: str, limit: int) -> str:
    """The text in one line, cut to `limit` half-width characters; those of CJK count twice."""
    plain = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * limit]).split())
    if len(text) <= 4 * limit and measure_width(plain) <= limit:
        return plain
    while plain and measure_width(plain) > limit - 1:
        plain = plain[:-1]
    return f"{plain}…"


def measure_width(text: str) -> int:
    """The width of the text in half-width characters."""
    return sum(2 if unicodedata.east_asian_width(c) in {"W", "F"} else 1 for c in text)


def _height(rows: int) -> int:
    return (rows - 1) * _PITCH + BOX_HEIGHT + 2 * _MARGIN


def _stack(side: Sequence[Neighbour], x: int, height: int) -> list[Box]:
    top = (height - _height(len(side))) // 2 + _MARGIN
    return [
        replace(
            _box(neighbour.name, x, top + place * _PITCH),
            short_join=shorten_to_width(neighbour.join, _JOIN_WIDTH),
            address=neighbour.address,
        )
        for place, neighbour in enumerate(side)
    ]


def _box(name: str, x: int, y: int) -> Box:
    return Box(x=x, y=y, name=name, short_name=shorten_to_width(name, _NAME_WIDTH))
