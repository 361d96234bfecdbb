"""What a chart shows of the rows of an answer."""

from typing import Any

import pytest

from core.pictures import BARS_SHOWN, Picture, picture_tokens, plan_picture
from core.results import Answer, QueryResult, query_answer, value_answer
from core.toolspec import ResultFormat

CHART = {"kind": "bar", "across": "city", "height": "n", "colour": "", "largest_first": True}


def answer_of(columns: tuple[str, ...], *rows: tuple[Any, ...]) -> Answer:
    return query_answer(QueryResult(columns=columns, rows=list(rows)), ResultFormat.CSV)


def plan(answer: Answer, **chart: Any) -> Picture:
    picture = plan_picture(CHART | chart, answer)
    assert picture is not None
    return picture


def test_bars_are_the_largest_ones_with_their_labels() -> None:
    rows = [(f"c{number}", str(number)) for number in range(60)]

    picture = plan(answer_of(("city", "n"), *rows, (None, None)))

    assert (len(picture.points), picture.total) == (BARS_SHOWN, 60)
    assert [(point.label, point.y) for point in picture.points[:2]] == [("c59", 59), ("c58", 58)]


def test_dates_stand_on_a_scale_in_their_order() -> None:
    answer = answer_of(("city", "n"), ("2026-01-03", 1), ("2026-01-01", 2))

    picture = plan(answer, kind="line")

    assert picture.is_time
    assert [point.label for point in picture.points] == ["2026-01-01", "2026-01-03"]


def test_colours_are_of_the_groups_with_most_points() -> None:
    rows = [(city, 1, group) for city, group in zip("abcdefg", "xxyyzwv", strict=True)]

    picture = plan(answer_of(("city", "n", "kind"), *rows), colour="kind", largest_first=False)

    assert picture.groups == ("x", "y", "z", "w")
    assert [point.group for point in picture.points] == [0, 0, 1, 1, 2, 3, 3]


def test_list_of_objects_is_drawn_as_rows_are() -> None:
    answer = value_answer([{"city": "Seoul", "n": 3}, {"city": "Busan", "n": 2}])

    assert len(plan(answer).points) == 2


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(answer_of(("city", "m"), ("a", 1)), id="other columns"),
        pytest.param(answer_of(("city", "n"), ("a", "b")), id="no numbers"),
        pytest.param(answer_of(("city", "n")), id="no rows"),
        pytest.param(value_answer(7), id="a value"),
    ],
)
def test_what_has_nothing_to_draw_has_no_picture(answer: Answer) -> None:
    assert plan_picture(CHART, answer) is None


def test_picture_costs_some_hundred_tokens() -> None:
    assert picture_tokens() == 308
