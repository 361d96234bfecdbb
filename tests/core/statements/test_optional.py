"""Which parameters a statement itself takes for ones that may be left out."""

import pytest

from core.statements.optional import find_optional_names
from core.toolspec import Dialect


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("SELECT 1 WHERE (:a IS NULL OR x = :a) AND y = :b", {"a"}, id="is null"),
        pytest.param("SELECT 1 WHERE (:a::date IS NULL OR x = :a)", {"a"}, id="cast"),
        pytest.param("SELECT 1 WHERE :a IS NOT NULL", set(), id="is not null"),
        pytest.param("SELECT 1 WHERE x = coalesce(:a, x)", {"a"}, id="coalesce"),
        pytest.param("SELECT 1 WHERE x = coalesce(x, :a)", set(), id="fallback itself"),
        pytest.param("SELECT 1 LIMIT :a OFFSET {{b}}", {"a", "b"}, id="limit"),
        pytest.param("SELECT 1 WHERE true [[ AND x = :a ]] [[ AND y = :b ]] AND z = :b", {"a"}, id="clause"),
        pytest.param("SELECT ':a IS NULL' -- :b IS NULL", set(), id="texts and comments"),
        pytest.param("SELECT (:a IS NULL", {"a"}, id="half a text"),
        pytest.param("", set(), id="nothing"),
    ],
)  # fmt: skip
def test_parameters_that_may_be_left_out_are_found(text: str, expected: set[str]) -> None:
    assert find_optional_names(text) == expected


def test_limit_of_sqlite_is_not_left_out() -> None:
    assert find_optional_names("SELECT 1 LIMIT :a", Dialect.SQLITE) == frozenset()
