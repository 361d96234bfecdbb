"""Names that no known table has are suspected; where a name may come from something unknown, it is not."""

import pytest

from core.statements.names import find_used_names
from core.statements.suspects import find_suspects

COLUMNS = {"o": ["id", "total"], "orders": ["id", "total"], "u": ["id", "name"]}


def suspected(text: str) -> list[str]:
    found = find_suspects(text, find_used_names(text), COLUMNS)
    assert all(text[one.start : one.end] == one.name for one in found)
    return [one.name for one in found]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param(
            "SELECT o.totl, x.id, u.nme FROM orders o JOIN users u ON u.id = o.id",
            ["o.totl", "x.id", "u.nme"],
            id="columns and an alias",
        ),
        pytest.param("SELECT totl, id FROM orders o", ["totl"], id="column without its table"),
        pytest.param("SELECT a.b FROM odrers a, ussers", ["odrers", "ussers"], id="tables"),
        pytest.param(
            "SELECT 1 FROM orders o WHERE EXISTS (SELECT 1 FROM users u WHERE u.idd = o.ido)",
            ["u.idd", "o.ido"],
            id="query around",
        ),
    ],
)
def test_names_that_no_table_has_are_suspected(text: str, names: list[str]) -> None:
    assert suspected(text) == names


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("SELECT sum(total) AS t FROM orders o GROUP BY id ORDER BY t", id="label"),
        pytest.param("SELECT sum(total) t FROM orders o ORDER BY t", id="label without AS"),
        pytest.param("SELECT s.x, y FROM (SELECT 1 AS x, 2 AS y) AS s", id="subquery"),
        pytest.param("WITH c AS (SELECT 1 AS x) SELECT c.x FROM c", id="common table"),
        pytest.param("SELECT g, n.v FROM generate_series(1, 3) AS g, f(1) n", id="function"),
        pytest.param("SELECT u.a FROM users AS u(a, b)", id="renamed columns"),
        pytest.param(
            "SELECT sum(total) OVER w FROM orders o WINDOW w AS (ORDER BY id ROWS BETWEEN UNBOUNDED"
            " PRECEDING AND CURRENT ROW)",
            id="window",
        ),
        pytest.param("SELECT id FROM orders o FETCH FIRST 5 ROWS ONLY", id="words of a clause"),
        pytest.param("SELECT CURRENT_DATE, id::text, ID FROM orders o", id="keyword, type, case"),
        pytest.param("SELECT extract(year FROM now()) FROM orders o", id="field of a time"),
    ],
)
def test_nothing_is_suspected_that_may_be_known(text: str) -> None:
    assert suspected(text) == []
