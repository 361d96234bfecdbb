"""Literals of a pasted query stay where they are asked to."""

import pytest

from core.statements.literals import propose_parameters
from core.toolspec import Dialect

TEXT = "SELECT a FROM t WHERE b = 1 AND c IN ('x', 'y') AND b = 2 ORDER BY a LIMIT 20"


@pytest.mark.parametrize(
    ("keep", "expected"),
    [
        pytest.param((), "b = :b AND c IN (:cs) AND b = :b_2 ORDER BY a LIMIT :max_rows", id="none"),
        pytest.param(("b",), "b = 1 AND c IN (:cs) AND b = :b_2 ORDER BY a LIMIT :max_rows", id="first"),
        pytest.param(("cs",), "b = :b AND c IN ('x', 'y') AND b = :b_2 ORDER BY a LIMIT :max_rows", id="list"),
        pytest.param(("max_rows",), "b = :b AND c IN (:cs) AND b = :b_2 ORDER BY a LIMIT 20", id="limit"),
        pytest.param(("b", "b_2", "cs", "max_rows"), TEXT.partition("WHERE ")[2], id="all"),
        pytest.param(("nothing",), "b = :b AND c IN (:cs) AND b = :b_2 ORDER BY a LIMIT :max_rows", id="unknown"),
    ],
)  # fmt: skip
def test_kept_literals_stay_and_the_others_keep_their_names(
    keep: tuple[str, ...], expected: str
) -> None:
    proposal = propose_parameters(TEXT, keep=keep)

    assert proposal.statement.partition("WHERE ")[2] == expected
    assert {one.name for one in proposal.parameters} == {"b", "cs", "b_2", "max_rows"} - set(keep)


def test_literal_that_stands_twice_is_kept_in_both_places() -> None:
    text = "SELECT 1 FROM t WHERE a = 'x' OR lower(a) = 'x'"

    assert propose_parameters(text, keep=("a",)).statement == text
    assert propose_parameters(text).statement.count(":a") == 2


def propose(condition: str, dialect: Dialect = Dialect.POSTGRESQL) -> tuple[str, dict[str, object]]:
    """The condition with its parameters, and their examples."""
    proposal = propose_parameters(f"SELECT 1 FROM t WHERE {condition}", dialect)  # noqa: S608
    examples = {one.name: one.example for one in proposal.parameters}
    return proposal.statement.partition("WHERE ")[2], examples


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param("lower(a) IN (lower('A'), lower('B'))", id="functions in a list"),
        pytest.param("a IN (lower('A'))", id="one function in a list"),
        pytest.param("a IN (CAST('1' AS int), CAST('2' AS int))", id="casts in a list"),
        pytest.param(r"a LIKE '%50\%%'", id="escaped wildcard"),
        pytest.param("a LIKE '%50!%%' ESCAPE '!'", id="escape character"),
        pytest.param(r"a = E'it\'s\n'", id="escapes"),
        pytest.param("a = B'101' AND b = X'ff'", id="bits and bytes"),
        pytest.param("a = 99999999999999999999", id="beyond 64 bits"),
        pytest.param("a = 12345678901234567890.123456789", id="more digits than a number has"),
        pytest.param("a = 1e400", id="infinite"),
        pytest.param("a < date '2026-01-01' + 7", id="typed part of a sum"),
        pytest.param("a = ANY ('{{1,2},{3,4}}')", id="array of arrays"),
    ],
)
def test_literal_whose_parameter_would_mean_something_else_stays(condition: str) -> None:
    assert propose(condition) == (condition, {})


@pytest.mark.parametrize(
    ("condition", "expected", "examples"),
    [
        pytest.param("a='x'AND b=1", "a=:a AND b=:b", {"a": "x", "b": 1}, id="no space behind"),
        pytest.param(
            "a BETWEEN'x'AND'y'", "a BETWEEN :start_a AND :end_a", {"start_a": "x", "end_a": "y"},
            id="no spaces",
        ),
        pytest.param(
            "a IN ('x'::text, 'y'::varchar(3))", "a IN (:as)", {"as": ["x", "y"]}, id="casts"
        ),
        pytest.param(
            "a = ANY ('{0,1}'::integer[])", "a = ANY (:as::integer[])", {"as": [0, 1]}, id="array"
        ),
        pytest.param("a = ANY ('{x,y}')", "a = ANY (:as)", {"as": ["x", "y"]}, id="text array"),
        pytest.param("a = $$it's$$", "a = :a", {"a": "it's"}, id="dollars"),
        pytest.param("a = $q$x$q$", "a = :a", {"a": "x"}, id="dollars with a word"),
        pytest.param("a = - 5", "a = :a", {"a": -5}, id="sign apart"),
        pytest.param(
            "a IS NOT DISTINCT FROM b AND c = 1", "a IS NOT DISTINCT FROM b AND c = :c", {"c": 1},
            id="distinct from",
        ),
        pytest.param("city IN ('x')", "city IN (:cities)", {"cities": ["x"]}, id="cities"),
        pytest.param("day IN ('x')", "day IN (:days)", {"days": ["x"]}, id="days"),
        pytest.param("지역 IN ('x')", "지역 IN (:values)", {"values": ["x"]}, id="Korean"),
    ],
)  # fmt: skip
def test_literal_becomes_a_parameter_of_the_same_sense(
    condition: str, expected: str, examples: dict[str, object]
) -> None:
    assert propose(condition) == (expected, examples)


def test_condition_of_an_aggregate_stays() -> None:
    text = "SELECT count(*) FILTER (WHERE status = 'paid') AS paid FROM t WHERE a = 1"

    assert propose_parameters(text).statement == text.replace("a = 1", "a = :a")


@pytest.mark.parametrize("dialect", [Dialect.MYSQL, Dialect.SQLITE])
def test_number_of_rows_stands_behind_the_comma(dialect: Dialect) -> None:
    proposal = propose_parameters("SELECT a FROM t ORDER BY a LIMIT 20, 10", dialect)

    assert proposal.statement == "SELECT a FROM t ORDER BY a LIMIT 20, :max_rows"
    assert [one.example for one in proposal.parameters] == [10]


def test_backslash_in_a_text_of_mysql_stays() -> None:
    condition = r"a = 'it\'s' AND b = x'41'"

    assert propose(condition, Dialect.MYSQL) == (condition, {})


def test_columns_with_names_of_other_letters_get_names_that_every_model_takes() -> None:
    shown, examples = propose(
        "고객명 = 'x' AND 지역 = 'x' AND 지역 <> 'x' AND 금액 BETWEEN 1 AND 2 AND 日付 > '2026-01-01'"
    )

    assert shown == (
        "고객명 = :value AND 지역 = :value_2 AND 지역 <> :value_2"
        " AND 금액 BETWEEN :start_value AND :end_value AND 日付 > :min_value"
    )
    assert list(examples) == ["value", "value_2", "start_value", "end_value", "min_value"]
