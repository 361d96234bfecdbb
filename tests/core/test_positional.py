"""Numbered parameters become names and back, and nothing else of a statement changes."""

import pytest

from core.errors import StatementError
from core.statement import make_lexer
from core.statements.positional import name_placeholders, number_placeholders
from core.toolspec import Dialect

PG, LITE = Dialect.POSTGRESQL, Dialect.SQLITE


@pytest.mark.parametrize(
    ("dialect", "given", "expected"),
    [
        pytest.param(PG, "SELECT $2::int + $1 + $2", "SELECT :b::int + :a + :b", id="in any order"),
        pytest.param(PG, "SELECT '$1', $$ $1 $$ -- $1", None, id="in texts and comments"),
        pytest.param(PG, "SELECT x[1:$1]", "SELECT x[1:{{a}}]", id="in a slice"),
        pytest.param(PG, "SELECT x[:n], $1", "SELECT x[: n], :a", id="beside a column in a slice"),
        pytest.param(PG, "SELECT $1AND", "SELECT :a AND", id="glued to a word"),
        pytest.param(LITE, "SELECT ?, ?", "SELECT :a, :b", id="marks in their order"),
        pytest.param(LITE, "SELECT ?2, ?1, ?2", "SELECT :b, :a, :b", id="marks with numbers"),
    ],
)
def test_numbers_become_names(dialect: Dialect, given: str, expected: str | None) -> None:
    assert name_placeholders(given, ["a", "b"], dialect) == (expected or given)


@pytest.mark.parametrize(("dialect", "given"), [(PG, "SELECT $3"), (LITE, "SELECT ?, ?, ?")])
def test_number_without_a_parameter_is_refused(dialect: Dialect, given: str) -> None:
    with pytest.raises(StatementError, match="has parameter 3, and 2 are declared"):
        name_placeholders(given, ["a", "b"], dialect)


@pytest.mark.parametrize(
    ("dialect", "given", "expected"),
    [
        (PG, "SELECT :b, {{a}}, ':a'", "SELECT $2, $1, ':a'"),
        (PG, "SELECT 1 WHERE 1 IN (:a)", "SELECT 1 WHERE 1 = ANY ($1)"),
        (LITE, "SELECT :b, :a, :b", "SELECT ?2, ?1, ?2"),
    ],
)
def test_names_become_numbers(dialect: Dialect, given: str, expected: str) -> None:
    lexer = make_lexer(given, dialect)
    lexer.run()

    assert number_placeholders(lexer, ["a", "b"], {"a"} if dialect is PG else ()) == expected
