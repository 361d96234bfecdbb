"""What each function and method of expressions gives, and what it says when it cannot."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from core.errors import EvaluationError
from core.expression import compile_expression
from core.toolspec import JsonValue

ROWS = (
    '[{"region": "KR", "amount": 3, "day": 2}, {"region": "US", "amount": 5, "day": null},'
    ' {"region": "KR", "amount": null, "day": 1}]'
)
ARGUMENTS: Mapping[str, object] = {
    "day": date(2024, 1, 31),
    "moment": datetime(2024, 2, 29, 23, 30, tzinfo=UTC),
    "price": Decimal("2.345"),
    "values": [3, 1, 2, 2],
    "rows": ROWS,
}


def evaluate(text: str) -> JsonValue:
    return compile_expression(text, list(ARGUMENTS)).evaluate(ARGUMENTS)


VALUES: list[tuple[str, JsonValue]] = [
    ("round_half_up(2.5)", 3.0),
    ("round_half_up(-2.5)", -3.0),
    ("round_half_up(2.675, 2)", 2.68),
    ("round_half_up(price, 2)", 2.35),
    ("round_half_up(7)", 7),
    ("round_half_up(1250, -2)", 1300),
    ("round_half_up(10 ** 40, 2)", 10**40),
    ("[sign(-3), sign(0), sign(price)]", [-1, 0, 1]),
    ("divmod(17, 5)", [3, 2]),
    ("round(sin(radians(30)) + cos(radians(60)), 9)", 1.0),
    ("round(degrees(atan2(1, 1)))", 45),
    ("round(degrees(asin(1)) + degrees(acos(1)) + tan(0))", 90),
    ("decimal('0.1') + decimal('0.2')", 0.3),
    ("decimal('0.1') * 3 == decimal(0.3)", True),
    ("decimal(' 12.50 ')", 12.5),
    ("percentile([3, 1, 2], 50)", 2),
    ("percentile([1, 2], 25)", 1.25),
    ("percentile([decimal('1.0'), decimal('2.0')], 50)", 1.5),
    ("percentile(values, 0) + percentile(values, 100)", 4),
    ("mode(values)", 2),
    ("mode(['b', 'a'])", "b"),
    ("variance([2, 4, 4, 4, 5, 5, 7, 9])", 32 / 7),
    ("round(stdev([1, 2, 3, 4]), 6)", 1.290994),
    ("correlation([1, 2, 3], [2, 4, 6])", 1.0),
    ("correlation([1, 2, 3], [3, 2, 1])", -1.0),
    ("reversed(values)", [2, 2, 1, 3]),
    ("reversed('abc')", ["c", "b", "a"]),
    ("[list(), tuple(), dict(), set()]", [[], [], {}, []]),
    ("tuple('ab')", ["a", "b"]),
    ("dict(zip(['a', 'b'], values))", {"a": 3, "b": 1}),
    ("dict({'a': 1})", {"a": 1}),
    ("merge({'a': 1, 'b': 1}, {'b': 2}, {})", {"a": 1, "b": 2}),
    ("[first(values), last(values), first([]), last([], 7)]", [3, 2, None, 7]),
    ("unique(values)", [3, 1, 2]),
    ("flatten([[1, [2]], (3,), 4])", [1, [2], 3, 4]),
    ("chunks(values, 3)", [[3, 1, 2], [2]]),
    ("pluck(parse_json(rows), 'region')", ["KR", "US", "KR"]),
    ("pluck([(1, 2), (3, 4)], 1)", [2, 4]),
    ("sum_by(parse_json(rows), 'amount')", 8),
    ("count_by(parse_json(rows), 'region')", {"KR": 2, "US": 1}),
    ("[len(group_by(parse_json(rows), 'region')['KR'])]", [2]),
    ("index_by(parse_json(rows), 'region')['US']['amount']", 5),
    ("pluck(sort_by(parse_json(rows), 'day'), 'day')", [1, 2, None]),
    ("pluck(sort_by(parse_json(rows), 'day', reverse=True), 'day')", [2, 1, None]),
    ("parse_json('[1, 2.5, true, null, \"x\"]')", [1, 2.5, True, None, "x"]),
    (
        "to_json({'day': day, 'price': price, 'x': (1, 2)})",
        '{"day":"2024-01-31","price":2.345,"x":[1,2]}',
    ),
    ("parse_json(to_json({'a': [1]}))", {"a": [1]}),
    ("date(2024, 2, 29)", "2024-02-29"),
    ("to_date(moment)", "2024-02-29"),
    ("to_datetime('2024-02-29T09:30:00+09:00')", "2024-02-29T09:30:00+09:00"),
    ("to_datetime(day)", "2024-01-31T00:00:00"),
    ("add_months(day, 1)", "2024-02-29"),
    ("add_months(day, -12)", "2023-01-31"),
    ("add_months(moment, 11)", "2025-01-29T23:30:00+00:00"),
    ("add_hours(moment, 0.5)", "2024-03-01T00:00:00+00:00"),
    ("months_between('2000-02-29', '2024-02-28')", 287),
    ("months_between('2024-01-31', '2024-02-29')", 1),
    ("months_between('2024-03-15', '2024-01-20')", -1),
    ("hours_between('2024-01-01', '2024-01-02T12:30')", 36.5),
    ("[start_of_month(day), end_of_month('2024-02-01')]", ["2024-01-01", "2024-02-29"]),
    ("start_of_week(day)", "2024-01-29"),
    ("[quarter(day), iso_week(day), hour(moment), minute(moment)]", [1, 5, 23, 30]),
    ("hour(day)", 0),
    ("format_date(day, '%d.%m.%Y')", "31.01.2024"),
    ("format_date(moment, '%a %d %b, %H:%M %% 100')", "Thu 29 Feb, 23:30 % 100"),
    ("'a-b-c'.rfind('-') + 'abc'.rfind('x') + 'aXbX'.rfind('Xb')", 3),
    ("'key=value=x'.partition('=')", ["key", "=", "value=x"]),
    ("'7'.rjust(3, '0') + 'x'.ljust(3) + '|'", "007x  |"),
    ("['a1'.isalnum(), ' '.isspace(), 'AB'.isupper(), 'ab'.islower()]", [True] * 4),
    ("'xxabxx'.strip('x')", "ab"),
]


@pytest.mark.parametrize(("text", "value"), VALUES, ids=[text[:50] for text, _ in VALUES])
def test_function_gives_its_value(text: str, value: JsonValue) -> None:
    result = evaluate(text)

    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fail('no region ' + 'XX')", "no region XX"),
        ("decimal('ten')", "'ten' is not a number; write it as 12.50"),
        ("decimal(values)", "decimal() does not accept a list"),
        ("round_half_up(True)", "round_half_up() does not accept a boolean"),
        ("parse_json('{]')", "this is not JSON: Expecting property name"),
        ("parse_json('[NaN]')", "this is not JSON: NaN is no number there"),
        ("hours_between(day, moment)", "a time zone in both datetimes or in none"),
        ("format_date(day, '%9d')", "takes a pattern such as '%d.%m.%Y %H:%M'"),
        ("chunks(values, 0)", "chunks() needs a size of 1 or more"),
        ("group_by(parse_json(rows), 'city')", "the dictionary has no key 'city'"),
        ("sum_by(parse_json(rows), 'region')", "only numbers have a sum or a mean, not a text"),
        ("correlation([1, 1], [1, 2])", "numbers are all the same"),
    ],
)
def test_function_says_what_it_needs(text: str, message: str) -> None:
    with pytest.raises(EvaluationError) as raised:
        evaluate(text)

    assert message in str(raised.value)
