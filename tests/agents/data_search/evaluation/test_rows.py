"""Two answers say the same if their rows do."""

import pytest

from agents.data_search.evaluation.rows import say_the_same


@pytest.mark.parametrize(
    ("expected", "actual", "is_same"),
    [
        ([], [], True),
        ([("KR", 3)], [("KR", 3)], True),
        ([("KR", 3), ("JP", 2)], [(2.0, "JP"), ("3.00", "KR")], True),
        ([("KR", 3)], [("KR", "Korea", 3)], True),
        ([("2025-01-01", 1)], [("2025-01-01T00:00:00+00:00", 1)], True),
        ([("2025-01-01", 1)], [("2025-01-01T00:00:00", 1)], True),
        ([("a", 1), ("b", 2)], [("a", 2), ("b", 1)], False),
        ([("a", 1)], [("a", 1), ("a", 1)], False),
        ([("a", "a")], [("a", "b")], False),
        ([("a", None)], [("a", 0)], False),
    ],
)
def test_rows_say_the_same(
    expected: list[tuple[object, ...]], actual: list[tuple[object, ...]], *, is_same: bool
) -> None:
    assert say_the_same(expected, actual) is is_same
