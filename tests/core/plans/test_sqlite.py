"""SQLite's plan as a tree."""

import pytest

from core.plans.sqlite import read_sqlite_plan


@pytest.mark.parametrize(
    ("detail", "text"),
    [
        ("SCAN city", "reads every row of city"),
        ("SEARCH city USING INDEX by_size (size>?)", "finds rows of city by the index by_size"),
        (
            "SCAN city USING COVERING INDEX by_size",
            "reads the index by_size of city, without the table",
        ),
        ("SEARCH c USING INTEGER PRIMARY KEY (rowid=?)", "finds rows of c by its key"),
        ("USE TEMP B-TREE FOR ORDER BY", "sorts by ORDER BY"),
        ("COMPOUND QUERY", "COMPOUND QUERY"),
    ],
)
def test_step_is_told_in_words(detail: str, text: str) -> None:
    [node] = read_sqlite_plan([(2, 0, 0, detail)], detail).nodes

    assert str(node.text) == text
    assert (node.cost, node.rows) == (None, None)


def test_steps_lie_below_the_ones_around_them() -> None:
    steps = [(2, 0, 0, "CO-ROUTINE t"), (4, 2, 0, "SCAN a"), (9, 0, 0, "SCAN t")]

    first, second = read_sqlite_plan(steps, "").nodes

    assert [child.table for child in first.children] == ["a"]
    assert second.table == "t"


def test_index_that_sqlite_makes_each_time_is_advised() -> None:
    detail = "SEARCH b USING AUTOMATIC COVERING INDEX (city_id=?)"

    [advice] = read_sqlite_plan([(2, 0, 0, detail)], detail).advice

    assert str(advice) == ("an index on b (city_id) would help: SQLite makes one for each run")
