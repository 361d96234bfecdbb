"""Which values are compared with which columns, and which literals become parameters."""

import pytest

from core.statements.comparisons import find_comparisons
from core.statements.literals import propose_parameters
from core.toolspec import Dialect, ParameterType


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a = 1", [("a", "=", ["1"])]),
        ("t.a >= :x", [("a", ">=", [":x"])]),
        ("t.a<>:x AND b != 'z'", [("a", "<>", [":x"]), ("b", "!=", ["'z'"])]),
        ("5 < a", [("a", ">", ["5"])]),
        ("lower(name) = lower(:x)", [("name", "=", [":x"])]),
        ("a = CAST(:x AS date)", [("a", "=", [":x"])]),
        ("a = :x::date[] AND b = 2", [("a", "=", [":x"]), ("b", "=", ["2"])]),
        ("a BETWEEN :x AND DATE '2026-01-01'", [("a", "between", [":x", "DATE '2026-01-01'"])]),
        ("a NOT IN (1, 2)", [("a", "not in", ["1", "2"])]),
        ("a IN (SELECT b FROM c)", []),
        ("a = ANY(:x)", [("a", "= any", [":x"])]),
        ("name NOT ILIKE {{ x }}", [("name", "not ilike", ["{{ x }}"])]),
        ("a = -5", [("a", "=", ["-5"])]),
        ("a = b", []),
        ("tags && :x", []),
        ("attributes ->> 'color' = :x", []),
        ("-- a = 1\n b = 2 /* c = 3 */", [("b", "=", ["2"])]),
        ("'x' = a", [("a", "=", ["'x'"])]),
        ("a::text = :x", [("a", "=", [":x"])]),
        ("(a)::numeric(9,2)[] = :x", [("a", "=", [":x"])]),
        ("lower((t.a)::text) = :x", [("a", "=", [":x"])]),
        ("f(a::int, b) = :x", []),
        ("a IN ('x'::character varying(3), 'y')", [("a", "in", ["'x'", "'y'"])]),
    ],
)
def test_comparison_is_found(condition: str, expected: list[object]) -> None:
    text = f"SELECT 1 FROM t WHERE {condition}"  # noqa: S608 - a text of a test

    found = [
        (one.column[-1], one.operator, [text[value.start : value.end] for value in one.values])
        for one in find_comparisons(text)
    ]

    assert found == expected


def test_comparison_knows_its_clause() -> None:
    text = "SELECT CASE WHEN a = 1 THEN 2 END FROM t JOIN u ON u.b = 2 WHERE c = 3 HAVING d > 4"

    assert [one.clause for one in find_comparisons(text)] == ["case", "on", "where", "having"]


def test_long_text_is_read_in_linear_time() -> None:
    text = "SELECT 1 FROM t WHERE " + " AND ".join(["aaaa = 1"] * 8_000)  # noqa: S608

    assert len(find_comparisons(text)) == 8_000


@pytest.mark.parametrize(
    ("condition", "expected", "names"),
    [
        ("region = 'KR'", "region = :region", {"region": "KR"}),
        (
            "day BETWEEN '2026-01-01' AND '2026-03-31'",
            "day BETWEEN :start_day AND :end_day",
            {"start_day": "2026-01-01", "end_day": "2026-03-31"},
        ),
        (
            "price >= 5 AND price <= 9.5",
            "price >= :min_price AND price <= :max_price",
            {"min_price": 5, "max_price": 9.5},
        ),
        ("id IN (1, 2)", "id IN (:ids)", {"ids": [1, 2]}),
        ("name LIKE '%tea%'", "name LIKE '%' || :name || '%'", {"name": "tea"}),
        ("a = 1 OR b = 2 OR a = 3", "a = :a OR b = :b OR a = :a_2", {"a": 1, "b": 2, "a_2": 3}),
        ("a = 1 OR (a = 1)", "a = :a OR (a = :a)", {"a": 1}),
        ("a = :a AND a <> 'it''s'", "a = :a AND a <> :a_2", {"a_2": "it's"}),
        ("at > now() - interval '1 day'", "at > now() - interval '1 day'", {}),
        ("CASE WHEN a = 1 THEN 2 END > 0", "CASE WHEN a = 1 THEN 2 END > 0", {}),
    ],
)
def test_literals_become_parameters(
    condition: str, expected: str, names: dict[str, object]
) -> None:
    proposal = propose_parameters(f"SELECT x = 3 FROM t WHERE {condition}")  # noqa: S608

    assert proposal.statement == f"SELECT x = 3 FROM t WHERE {expected}"  # noqa: S608
    assert {one.name: one.example for one in proposal.parameters} == names


def test_number_of_rows_becomes_a_parameter() -> None:
    proposal = propose_parameters("SELECT a FROM t ORDER BY a LIMIT 20;")

    assert proposal.statement == "SELECT a FROM t ORDER BY a LIMIT :max_rows;"


def test_types_are_guessed_from_the_literals() -> None:
    text = "SELECT 1 FROM t WHERE a = 1 AND b = 1.5 AND c = '2026-01-01' AND d IN ('x')"

    kinds = [one.type for one in propose_parameters(text, Dialect.SQLITE).parameters]

    assert kinds == [
        ParameterType.INTEGER,
        ParameterType.NUMBER,
        ParameterType.DATE,
        ParameterType.STRING_LIST,
    ]
