"""Literals of a pasted query stay where they are asked to."""

import pytest

from core.statements.literals import propose_parameters

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
