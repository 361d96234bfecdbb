"""Behaviour of expressions: what is computed, what is refused, what cannot hang the process."""

import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from core.errors import EvaluationError, ExpressionError
from core.expression import CONSTANTS, FUNCTIONS, METHODS, compile_expression, find_names
from core.toolspec import JsonValue
from tests.core.work import count_calls

# The budget of 50,000 steps ends each of these long before.
MOST_CALLS = 500_000

ARGUMENTS: Mapping[str, object] = {
    "a": 7,
    "b": 2,
    "price": Decimal("19.90"),
    "rate": 0.5,
    "name": "Hong Gildong",
    "nothing": None,
    "is_member": True,
    "values": [3, 1, 2],
    "texts": ["b", "a"],
    "day": date(2024, 2, 28),
    "moment": datetime(2024, 2, 28, 23, 30, tzinfo=UTC),
    "year": 2024,
    "big": 2**4000,
    "이름": "홍길동",
}


def evaluate(text: str) -> JsonValue:
    return compile_expression(text, list(ARGUMENTS)).evaluate(ARGUMENTS)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a * b", 14),
        ("result = a * b", 14),
        ("\n  # a comment\nresult = (a\n  * b)\n# the end\n", 14),
        ("  a * b", 14),
        ("a / b", 3.5),
        ("a // b + a % b - -b", 6),
        ("a ** b ** 2 << 1", 4802),
        ("(a & 3) | 8 ^ ~b", -9),
        ("2 ** 100", 2**100),
        ("price * 1.1", 21.89),
        ("price == 19.9 and 0.5 < price", True),
        ("price / 3", "6.633333333333333333333333333"),
        ("price * 100", 1990),
        ("0 < b < a <= 7", True),
        ("0 > b > 1 / 0", False),
        ("a if is_member else b", 7),
        ("is_member and not nothing or a", True),
        ("nothing is None and a is not None", True),
        ("coalesce(nothing, a)", 7),
        ("2 in values and 5 not in values", True),
        ("'Gil' in name", True),
        ("values[0] + values[-1]", 5),
        ("values[1:] + values[::-1]", [1, 2, 2, 1, 3]),
        ("[x * 2 for x in values if x > 1]", [6, 4]),
        ("sum(x * y for x, y in zip(values, [1, 10, 100]))", 213),
        ("any(x > 2 for x in values)", True),
        ("all([x > 2 for x in values])", False),
        ("{x % 2 for x in values}", [0, 1]),
        ("{t: len(t) for t in texts}", {"b": 1, "a": 1}),
        ("{'day': day, 'at': moment}", {"day": "2024-02-28", "at": "2024-02-28T23:30:00+00:00"}),
        ("{'k': 1}['k'] + {'k': 1}.get('x', 5)", 6),
        ("[k + str(v) for k, v in {'k': 1}.items()]", ["k1"]),
        ("[i * a for i in range(3) for _ in range(1)]", [0, 7, 14]),
        ("(a, b)", [7, 2]),
        ("name.upper() + '!'", "HONG GILDONG!"),
        ("' '.join([part.capitalize() for part in name.lower().split(' ')])", "Hong Gildong"),
        ("name.replace('Hong', 'Kim').startswith('Kim')", True),
        ("' x '.strip() * 3", "xxx"),
        ("'7'.zfill(3)", "007"),
        ("f'{name}: {rate:.1%} {price:>8.2f} {a!s}'", "Hong Gildong: 50.0%    19.90 7"),
        ("f'{day:%Y년 %m월}'", "2024년 02월"),
        ("이름 + '님'", "홍길동님"),
        ("min(a, b) + max(values) + sum(values)", 11),
        ("sum([0.1] * 10)", 1.0),
        ("sum([price, 0.1])", 20),
        ("mean(values)", 2.0),
        ("median([4, 1, 3, 2])", 2.5),
        ("median(values)", 2),
        ("sorted(texts) + sorted(values, reverse=True)", ["a", "b", 3, 2, 1]),
        ("round(a / 3, 2)", 2.33),
        ("round(price)", 20),
        ("floor(2.7) + ceil(2.1)", 5),
        ("sqrt(16) + pow(2, 3) + log10(100)", 14.0),
        ("round(exp(log(a)), 6)", 7.0),
        ("log(8, 2)", 3.0),
        ("int('42') + int(2.9) + float('0.5')", 44.5),
        ("abs(-a) + len(name)", 19),
        ("clamp(a, 0, 5)", 5),
        ("bool(values)", True),
        ("to_date('2024-12-31')", "2024-12-31"),
        ("to_date('2024-12-31T10:00:00')", "2024-12-31"),
        ("days_between(day, '2024-03-01')", 2),
        ("days_between(moment, day)", 0),
        ("add_days(day, 2)", "2024-03-01"),
        ("[year(day), month(day), day(day), weekday(day)]", [2024, 2, 28, 2]),
        ("year + 1", 2025),
        ("[i for i, t in enumerate(texts)]", [0, 1]),
        ("len(set(texts + texts))", 2),
        ("len(list('abc'))", 3),
        ("values.count(1) + values.index(2)", 3),
        ("day < to_date('2024-03-01')", True),
    ],
)
def test_expression_is_computed(text: str, value: JsonValue) -> None:
    result = evaluate(text)

    assert result == value
    assert type(result) is type(value)


NESTED_PAIRS = " ".join(["for x in [[1, 1]]"] + ["for x in [[x, x]]"] * 32)
FAILURES = [
    ("a / 0", "division by zero"),
    ("a % 0", "division by zero"),
    ("price / 0", "division by zero"),
    ("0 ** -1", "division by zero"),
    ("nothing * 2", "cannot apply * to null and a whole number"),
    ("name + 1", "cannot apply + to a text and a whole number"),
    ("-name", "cannot apply - to a text"),
    ("1.5 & 1", "cannot apply & to a number and a whole number"),
    ("name < 1", "cannot compare a text and a whole number"),
    ("1 in name", "only a text can be in a text"),
    ("abs(name)", "abs() does not accept a text"),
    ("len(a)", "len() does not accept a whole number"),
    ("year(a)", "year() does not accept a whole number"),
    ("a.upper()", "a whole number has no method upper()"),
    ("values[9]", "position 9 is outside a list of 3"),
    ("values['x']", "a position must be a whole number"),
    ("{'a': 1}['b']", "no key 'b'"),
    ("a[0]", "a whole number has no [ ]"),
    ("name[::0]", "slice step cannot be zero"),
    ("max([])", "max() of an empty list"),
    ("mean([])", "mean() of an empty list"),
    ("sum(texts)", "only numbers have a sum or a mean, not a text"),
    ("sqrt(-1)", "negative"),
    ("log(0)", "positive"),
    ("int('seven')", "'seven' is not a whole number; write it as 12"),
    ("to_date('tomorrow')", "write it as YYYY-MM-DD"),
    ("', '.join(values)", "write str(x)"),
    ("str(values)", "', '.join"),
    ("f'{values}'", "', '.join"),
    ("f'{name:.2f}'", "does not fit a text"),
    ("'%s' % a", "write f'{value:.2f}'"),
    ("[x for x in a]", "a list is needed here, not a whole number"),
    ("{(1, 2)}", "a key must be a text"),
    ("{None: 1}", "use a text"),
    ("day - day", "use days_between"),
    ("(-8) ** 0.5", "not a real number"),
    ("1e308 * 10", "infinite"),
    ("1e308 * 10 - 1e308 * 10", "NaN"),
    ("price * float('nan')", "NaN"),
    ("[float('inf')]", "infinite"),
    (r"'\ud800'", "half a character"),
    ("(10 ** 9999) ** 9999", "too many digits"),
    ("9 ** 9 ** 9", "too many digits"),
    ("pow(9, 9 ** 9)", "too many digits"),
    ("1 << 10 ** 9", "too many digits"),
    ("big * big", "too many digits"),
    ("10.0 ** 400", "too large"),
    ("price ** 10 ** 300", "too large"),
    ("price ** 2000", "too many digits"),
    ("round(a, -10 ** 9)", "round()"),
    ("int('9' * 5000)", "too long for a number"),
    ("int('9' * 1290)", "too many digits"),
    ("'x' * 10 ** 9", "longer than 20,000"),
    ("10 ** 9 * [0]", "longer than 20,000"),
    ("('x' * 15000) + ('x' * 15000)", "longer than 20,000"),
    ("('a' * 20000).replace('a', 'b' * 20000)", "longer than 20,000"),
    ("'a'.replace('', 'b' * 20000)", "longer than 20,000"),
    ("','.join(['x' * 19000, 'x' * 19000])", "longer than 20,000"),
    ("'7'.zfill(10 ** 9)", "longer than 20,000"),
    ("('ß' * 15000).upper()", "longer than 20,000"),
    ("'a'.strip('b' * 30000)", "longer than 20,000"),
    ("sum(range(10 ** 11))", "at most 20,000"),
    ("'x' in range(10 ** 12)", "at most 20,000"),
    ("range(10 ** 40)", "at most 20,000"),
    ("range(0, -10 ** 40, -1)", "at most 20,000"),
    ("add_days(day, 10 ** 9)", "too large"),
    ("[x for i in range(300) for j in range(300) for x in values]", "too many steps"),
    ("[[0] * 20000 for i in range(1000)]", "too many steps"),
    ("['x' * 20000 for i in range(20000)]", "too many steps"),
    ("[2 ** 4000] * 20000", "too many steps"),
    ("['x' * 20000] * 1000", "too many steps"),
    ("[str(big) for i in range(10000)]", "too many steps"),
    ("[price ** 1.37 for i in range(10000)]", "too many steps"),
    ("{i * (2 ** 61 - 1): 1 for i in range(2000)}", "too large for a key"),
    ("{'k' * i: i for i in range(20000)}", "too many steps"),
    (f"[x {NESTED_PAIRS}]", "too many steps"),
    (f"[x == [x] + x {NESTED_PAIRS}]", "too many steps"),
    (f"[sorted([x, x, x]) {NESTED_PAIRS}]", "too many steps"),
    ("[('a' * 20000).count('a' * 50 + 'b') for i in range(20000)]", "too many steps"),
    ("[sorted(range(2000)) for i in range(2000)]", "too many steps"),
]


@pytest.mark.parametrize(("text", "message"), FAILURES, ids=[text[:40] for text, _ in FAILURES])
def test_failure_is_explained_and_never_hangs(text: str, message: str) -> None:
    compiled = compile_expression(text, list(ARGUMENTS))
    raised: list[EvaluationError] = []

    def evaluate() -> None:
        with pytest.raises(EvaluationError) as caught:
            compiled.evaluate(ARGUMENTS)
        raised.append(caught.value)

    assert count_calls(evaluate) < MOST_CALLS
    assert message in str(raised[0])


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("a +\n", 3),
        ("  # 이름\n(이름 +\n c)", 14),
        ("\r\n a + open(b)", 7),
        ("'이름' + c", 7),
    ],
)
def test_position_counts_characters_of_the_text(text: str, position: int) -> None:
    with pytest.raises(ExpressionError) as raised:
        compile_expression(text, list(ARGUMENTS))

    assert raised.value.position == position


def test_only_the_parameters_that_are_read_are_named() -> None:
    compiled = compile_expression("[a * x for x in values] + [b, a]", ["b", "a", "values", "x"])

    assert compiled.names == ("a", "values", "b")


def test_value_of_a_comprehension_is_not_the_parameter_of_that_name() -> None:
    compiled = compile_expression("[x for x in x] + [x[0]]", ["x"])

    assert compiled.evaluate({"x": [1, 2]}) == [1, 2, 1]


def test_parameter_is_matched_as_python_reads_its_name() -> None:
    compiled = compile_expression("ｎａｍｅ * 2", ["name"])

    assert compiled.evaluate({"name": 4}) == 8


def test_missing_argument_is_named() -> None:
    with pytest.raises(EvaluationError, match="no value for b"):
        compile_expression("a * b", ["a", "b"]).evaluate({"a": 1})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        pytest.param("x" * 20_001, "a: a text or a list is longer than 20,000", id="long_text"),
        pytest.param([0] * 20_001, "a: a text or a list is longer than 20,000", id="long_list"),
        pytest.param(1 << 5_000, "a: a number has too many digits", id="huge_integer"),
        pytest.param([1 << 5_000], "a: a number has too many digits", id="huge_integer_in_list"),
        pytest.param(Decimal("1E+999999"), "a: a number has too many digits", id="huge_decimal"),
        pytest.param(b"x", "a: values of type bytes are not supported", id="bytes"),
        pytest.param(object, "a: values of type type are not supported", id="type"),
    ],
)
def test_argument_beyond_the_limits_is_refused(value: object, message: str) -> None:
    with pytest.raises(EvaluationError) as raised:
        compile_expression("a", ["a"]).evaluate({"a": value})

    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("value", "exported"),
    [
        (Decimal("1.10"), 1.1),
        (Decimal("5.00"), 5),
        (Decimal("0.1234567890123456789"), "0.1234567890123456789"),
        (Decimal("1E+20"), 10**20),
        (datetime(2024, 1, 2, 3, 4, 5), "2024-01-02T03:04:05"),  # noqa: DTZ001 - a naive one is the case
        (["a", None, True], ["a", None, True]),
    ],
)
def test_value_becomes_json_without_losing_digits(value: object, exported: JsonValue) -> None:
    result = compile_expression("a", ["a"]).evaluate({"a": value})

    assert result == exported
    assert type(result) is type(exported)


def test_result_nested_too_deeply_is_refused() -> None:
    text = "[x for x in [[]]" + " for x in [[x]]" * 45 + "]"

    with pytest.raises(EvaluationError, match="nested more than 40 deep"):
        compile_expression(text, []).evaluate({})


def test_names_are_found_in_order_without_functions_and_bound_names() -> None:
    text = "result = round(price * qty, digits) + sum([x * tax for x in values]) + price"

    assert find_names(text) == ["price", "qty", "digits", "tax", "values"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("pi", math.pi, id="pi"),
        pytest.param("e", math.e, id="e"),
        pytest.param("round(2 * pi * 10, 3)", 62.832, id="in a call"),
        pytest.param("[e for e in [1, 2]]", [1, 2], id="bound by a comprehension"),
        pytest.param("[e, [e for e in [1]], e][1:2]", [[1]], id="bound in a part"),
    ],
)
def test_constants_are_known(text: str, value: object) -> None:
    assert find_names(text) == []
    assert compile_expression(text, []).evaluate({}) == value


@pytest.mark.parametrize("name", CONSTANTS)
def test_parameter_hides_a_constant(name: str) -> None:
    compiled = compile_expression(f"{name} * 2", [name])

    assert find_names(f"{name} * 2", [name]) == [name]
    assert compiled.names == (name,)
    assert compiled.evaluate({name: 4}) == 8


def test_names_of_half_an_expression_are_none() -> None:
    assert find_names("price * (") == []


def test_evaluations_in_many_threads_do_not_share_their_budget() -> None:
    compiled = compile_expression("sum([x for x in range(n)])", ["n"])

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(lambda _: compiled.evaluate({"n": 9_000}), range(40)))

    assert results == [sum(range(9_000))] * 40


def test_every_function_and_method_is_described_in_one_line() -> None:
    documented = [
        *FUNCTIONS.values(),
        *(entry for table in METHODS.values() for entry in table.values()),
    ]

    assert all(entry.doc.endswith(".") and "\n" not in entry.doc for entry in documented)


def test_signature_of_a_function_shows_what_to_write() -> None:
    assert str(FUNCTIONS["round"].signature) == "(number, digits=None)"
