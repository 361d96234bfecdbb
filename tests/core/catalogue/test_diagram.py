"""Drawings of a table between those that it is related to."""

from itertools import pairwise

import pytest

from core.catalogue.diagram import (
    BOX_HEIGHT,
    BOX_WIDTH,
    SIDE_LIMIT,
    Neighbour,
    draw_relations,
    measure_width,
    shorten_to_width,
)
from core.catalogue.entries import RelationType


def neighbour(name: str, *, is_incoming: bool = False, join: str = "a → b") -> Neighbour:
    return Neighbour(
        name=name,
        join=join,
        relation_type=RelationType.FOREIGN_KEY,
        is_incoming=is_incoming,
        address=f"/{name}",
    )


def test_tables_that_refer_are_left_and_those_referred_to_right() -> None:
    diagram = draw_relations("sales", [neighbour("stores"), neighbour("returns", is_incoming=True)])

    x_of = {box.name: box.x for box in diagram.boxes}
    assert x_of["returns"] < diagram.center.x < x_of["stores"]
    assert len(diagram.lines) == 2


def test_boxes_stay_inside_and_apart() -> None:
    diagram = draw_relations(
        "t", [neighbour(f"n{number}", is_incoming=number % 3 == 0) for number in range(20)]
    )

    places = sorted((box.x, box.y) for box in diagram.boxes)
    assert all(0 <= x <= diagram.width - BOX_WIDTH for x, _ in places)
    assert all(0 <= y <= diagram.height - BOX_HEIGHT for _, y in places)
    assert all(one[0] != two[0] or two[1] - one[1] > BOX_HEIGHT for one, two in pairwise(places))


def test_table_related_twice_is_one_box_with_both_joins() -> None:
    twice = [neighbour("users", join="buyer → id"), neighbour("users", join="seller → id")]

    (box,) = draw_relations("orders", twice).boxes

    assert box.short_join == "buyer → id, seller → id"


def test_tables_beyond_the_limit_are_counted() -> None:
    diagram = draw_relations("t", [neighbour(f"n{number}") for number in range(SIDE_LIMIT + 5)])

    assert len(diagram.boxes) == SIDE_LIMIT
    assert diagram.left_out == 5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short", "short"),
        ("exactly 10", "exactly 10"),
        ("more than ten", "more than…"),
        ("売上トランザクション", "売上トラ…"),
        ("two\nlines", "two lines"),
        ("x" * 100_000, "xxxxxxxxx…"),
        ("", ""),
    ],
    ids=["short", "exact", "long", "wide", "line break", "huge", "empty"],
)
def test_text_is_cut_to_a_width(text: str, expected: str) -> None:
    shortened = shorten_to_width(text, 10)

    assert shortened == expected
    assert measure_width(shortened) <= 10
