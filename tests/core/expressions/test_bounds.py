"""Expressions at the edge: those that fail within their bounds, and those that look hostile and are not."""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from core.errors import EvaluationError
from core.expression import compile_expression
from core.toolspec import JsonValue
from tests.core.expressions.test_hostile import read_process_state

ARGUMENTS: Mapping[str, object] = {
    "a": 7,
    "b": 2,
    "price": Decimal("19.90"),
    "rate": 0.5,
    "name": "Hong Gildong",
    "nothing": None,
    "values": [3, 1, 2],
    "texts": ["b", "a"],
    "day": date(2024, 2, 29),
    "moment": datetime(2024, 2, 29, 23, 30, tzinfo=UTC),
    "big": 2**4000,
}


@pytest.fixture(autouse=True)
def _unchanged_process() -> Iterator[None]:
    before = read_process_state()
    yield
    assert read_process_state() == before


FAILING: dict[str, list[str]] = {
    "texts are not formatted with %": [
        "'%(x)s' % {'x': a}",
        "'%s' % (a,)",
        "'%0999999999d' % a",
        "'%*d' % (999999999, a)",
        "'%c' % 65",
    ],
    "does not fit a text": ["f'{name:\\n}'"],
    "too many digits": [
        "9 ** 9 ** 9",
        "(2 ** 4095) ** 2",
        "2 ** -5000",
        "(-2) ** 4097",
        "(10 ** 600) * (10 ** 700)",
        "big * big",
        "big << 97",
        "1 << 4097",
        "1 << 10 ** 18",
        "~big * big",
        "-(2 ** 4095) * 4",
        "pow(big, big)",
        "decimal('1e999999999')",
        "decimal('1e1200') * decimal('1e1200')",
        "str(2 ** 4096)",
        "f'{big * 2 ** 97}'",
        "{decimal('1e-700'): 1}",
        "parse_json('9' * 5000)",
        "parse_json('-' + '9' * 1234)",
    ],
    "number is too large": [
        "0.1 ** -400",
        "price ** price ** price",
        "exp(1000)",
        "exp(10 ** 400)",
        "sqrt(10 ** 700)",
        "int(float('inf'))",
        "'x' * -10 ** 30",
        "{10 ** 30: 1}",
        "{i * (2 ** 61 - 1): i for i in range(10)}",
        "add_days(day, 10 ** 20)",
        "add_days(day, float('inf'))",
        "date(10 ** 20, 1, 1)",
        "mean([big, big]) > 1",
        "'a,b'.split(',', 10 ** 30)",
    ],
    "takes at most 400 digits": [
        "round(10 ** 1000, -500)",
        "round(a, 10 ** 10)",
        "round_half_up(a, 10 ** 10)",
    ],
    "division by zero": ["divmod(10 ** 1000, 0)"],
    "negative shift count": ["a >> -1", "a << -1"],
    "digits that are kept": ["decimal('sNaN') + 1", "decimal('NaN') > 1"],
    "is infinite": [
        "decimal('Infinity')",
        "1e308 + 1e308",
        "[float('-inf')]",
        "parse_json('1e999')",
        "variance([1e308, -1e308])",
    ],
    "not a number (NaN)": [
        "1e308 * 10 - 1e308 * 10",
        "float('inf') // 1",
        "float('nan')",
        "{'a': float('nan')}",
        "to_json(float('nan'))",
    ],
    "not a real number": ["(-1) ** 0.5"],
    "cannot convert float NaN": [
        "floor(float('nan'))",
        "add_hours(moment, float('nan'))",
    ],
    "too long for a number": ["decimal('9' * 2000)", "int('٣' * 1400)", "int('1_' * 700 + '1')"],
    "is longer than 20,000": [
        "'x' * 10 ** 10",
        "10 ** 10 * 'x'",
        "[0] * 10 ** 10",
        "10 ** 10 * [0]",
        "(0,) * 10 ** 10",
        "'x' * 20001",
        "[name] * 20001",
        "'ab' * 10001",
        "to_json([['x' * 15000, 'x' * 15000]])",
        "to_json(to_json(to_json('\"' * 9000)))",
        "flatten([values] * 10000)",
        "','.join([','.join(['x' * 15000] * 2)])",
        "'a'.replace('', 'b' * 20000)",
        "('a' * 20000).replace('a', 'b' * 20000)",
        "'x'.ljust(10 ** 10)",
        "'x'.rjust(10 ** 10, 'ab')",
        "'7'.zfill(10 ** 10)",
        "('ﬃ' * 10000).upper()",
    ],
    "too many steps": [
        "[[0] * 20000] * 20000",
        "[[0] * 20000 for _ in range(2000)]",
        "['x' * 20000 + str(i) for i in range(20000)]",
        "sorted(range(20000)) + sorted(range(20000))",
        "[x for x in range(20000) for y in range(20000)]",
        "[[y for y in range(300)] for x in range(300)]",
        "{x: y for x in range(20000) for y in range(20000)}",
        "{x + y for x in range(400) for y in range(400)}",
        "any(x for x in range(20000) for y in range(3))",
        "sum([sum([z for z in range(50)]) for y in range(50) for x in range(50)])",
        "{'k' * i: i for i in range(20000)}",
        "[parse_json('[' + '1,' * 9000 + '1]') for i in range(100)]",
        "chunks(range(20000), 1)",
        "('a' * 19999).strip('b' * 19000 + 'a')",
        "[('a' * 20000).strip('b' * 19000) for i in range(100)]",
        "[('a' * 20000).rfind('b' + 'a' * 9999) for i in range(100)]",
        "[('a' * 20000).count('a' * 9999 + 'b') for i in range(100)]",
        "[('a' * 20000).isdigit() for i in range(20000)]",
    ],
    "range() makes at most 20,000": [
        "range(10 ** 9)",
        "range(0, 10 ** 40, 10 ** 30)",
        "sum(range(10 ** 11))",
        "max(range(10 ** 11))",
        "10 ** 11 in range(10 ** 12)",
        "enumerate(range(10 ** 9))",
        "list(range(20001))",
        "zip(range(10 ** 9), values)",
        "[day.isoformat() for i in range(40000)]",
    ],
    "half a character": [
        "'\\ud800'",
        "'\\udcff'.upper() + 'x'",
        "{'\\ud800': 1}",
        "parse_json('\"\\\\ud800\"')",
    ],
    "slice step": ["values[::0]"],
    "is outside a list": ["values[10 ** 100]", "values[-10 ** 100]"],
    "a position must be": ["values[1.5]", "values['x']", "'abc'['a']"],
    "has no key": ["{}['a']", "sort_by([{'k': 1}], 'q')"],
    "a key must be": [
        "{}[[]]",
        "{[]: 1}",
        "{(1, 2): 1}",
        "{{}: 1}",
        "set([values])",
        "group_by([{'k': []}], 'k')",
        "unique([values])",
        "[] in {}",
    ],
    "as a key; use a text": ["{None: 1}", "{True: 1}"],
    "cannot apply": ["[0] * 1.5", "{'a': 1} + {'b': 2}", "day - 1", "day + day", "moment - day"],
    "cannot compare": ["[1] < ['a']", "nothing < 1", "name < 1", "day < moment"],
    "cannot compare a text and a whole number": [
        "sort_by([{'k': 1}, {'k': 'a'}], 'k')",
        "sorted([1, 'a'])",
        "max(1, 'a')",
        "median([1, 'a'])",
    ],
    "cannot compare null and a whole number": ["sorted([1, None])", "min([1, None])"],
    "cannot compare a date and a text": ["sorted(['a', day])"],
    "only numbers have a sum or a mean, not null": ["sum([1, None])", "mean([None])"],
    "only numbers have a sum or a mean, not a text": ["sum(texts)", "median(['a', 'b'])"],
    "does not accept": [
        "add_months(day, 1.5)",
        "format_date(name, '%Y')",
        "parse_json(a)",
        "merge(values)",
        "stdev(texts)",
        "'abc'.split(1)",
        "name.startswith(values)",
        "'x'.isalpha(1)",
    ],
    "'nan' is not a whole number; write it as 12": ["int(float('nan'))"],
    "'1,234' is not a whole number; write it as 12": ["int('1,234')"],
    "'1,234' is not a number; write it as 12.50": ["float('1,234')"],
    "is not a date": [
        "to_date('2024-02-30')",
        "to_datetime('x' * 20000)",
        "to_datetime('2024-01-01T00:00:00+99:00')",
    ],
    "from 1 to 9999": ["add_months(day, 10 ** 20)"],
    "month must be": ["date(2024, 13, 1)"],
    "year": ["date(0, 1, 1)"],
    "a time zone in both": ["hours_between('2024-01-01', moment)"],
    "takes a pattern such as": [
        "format_date(day, '%' + '9' * 20 + 'd')",
        "format_date(day, '%Y' * 60)",
        "format_date(day, '%s')",
        "format_date(day, '%-d')",
        "format_date(day, '%')",
    ],
    "this is not JSON": ["parse_json('{\"a\": NaN}')", "parse_json('{')", "parse_json('')"],
    "str() of a list": ["fail(values)"],
    "size of 1 or more": ["chunks(values, 0)", "chunks(values, 1.5)"],
    "has no [ ]": ["group_by(values, 'x')"],
    "needs pairs": ["dict([1])", "dict([(1, 2, 3)])"],
    "0 to 100": ["percentile(values, 101)"],
    "of an empty list": ["percentile([], 50)", "mode([])", "min()", "min([])"],
    "at least two": ["stdev([1])", "correlation([1, 2], [1])"],
    "all the same": ["correlation([1, 1], [1, 2])"],
    "only texts can be joined": ["'a'.join(values)"],
    "separator that is not empty": ["'a,b'.split('')"],
    "needs a number from -1": ["asin(2)"],
    "needs a positive number": ["log(-1)", "log(big, 1)"],
    "a list is needed here": ["a in a", "'a' in 1", "[x for x in a]"],
    "only a text can be in": ["1 in 'a'"],
    "cannot unpack": ["[x for x, y in values]"],
    "too many values": ["[x for x, y in [(1, 2, 3)]]"],
}
CASES = [(text, reason) for reason, texts in FAILING.items() for text in texts]


@pytest.mark.parametrize(("text", "reason"), CASES, ids=[text[:40] for text, _ in CASES])
def test_expression_fails_within_its_bounds(text: str, reason: str) -> None:
    compiled = compile_expression(text, list(ARGUMENTS))

    with pytest.raises(EvaluationError) as raised:
        compiled.evaluate(ARGUMENTS)

    assert reason in str(raised.value)


@pytest.mark.parametrize("brackets", ["'[' * 20000", "'[' * 10000 + ']' * 10000"])
def test_json_of_any_depth_fails_within_its_bounds(brackets: str) -> None:
    compiled = compile_expression(f"parse_json({brackets})", [])

    # Python 3.14 reads deeper, and then the value is too deep, or no JSON.
    with pytest.raises(EvaluationError, match=r"nested|this is not JSON"):
        compiled.evaluate({})


LEGITIMATE: list[tuple[str, JsonValue]] = [
    ("'DROP TABLE users; --'.lower()", "drop table users; --"),
    ("'__class__' in '().__class__'", True),
    ("'{0}' + '%s' + '{a}'", "{0}%s{a}"),
    ("f'{{{a}}}'", "{7}"),
    ("f'{a:05d}|{rate:+.2e}|{name:>14}'", "00007|+5.00e-01|  Hong Gildong"),
    ("f'{a:b} {255:x} {1234567:,}'", "111 ff 1,234,567"),
    ("f'{day:%Y-%m-%d} {rate:%}'", "2024-02-29 50.000000%"),
    ("f'{f\"{a}\"}'", "7"),
    ("2 ** 4095 > big", True),
    ("big - big", 0),
    ("-(-a) + +b", 9),
    ("~a & 255", 248),
    ("1 << 64", 2**64),
    ("-7 // 2", -4),
    ("-7 % 3", 2),
    ("0.1 + 0.2", 0.30000000000000004),
    ("price * 3", 59.7),
    ("price / 0.1", 199),
    ("10 ** -2", 0.01),
    ("'ab' * 3", "ababab"),
    ("3 * [0]", [0, 0, 0]),
    ("'x' * -1", ""),
    ("len('x' * 20000)", 20_000),
    ("len(range(20000))", 20_000),
    ("sum(range(10000))", 49_995_000),
    ("1 < 2 < 3 != 4", True),
    ("nothing is None", True),
    ("nothing is not None", False),
    ("None == nothing", True),
    ("not nothing and not ''", True),
    ("nothing or 'default'", "default"),
    ("False and 1 / 0", False),
    ("1 if True else 1 / 0", 1),
    ("values[-3:]", [3, 1, 2]),
    ("values[::-1]", [2, 1, 3]),
    ("values[5:]", []),
    ("name[0] + name[-1]", "Hg"),
    ("{'a': {'b': [1, {'c': 2}]}}['a']['b'][1]['c']", 2),
    ("{} | {'a': 1}", {"a": 1}),
    ("[[i * j for j in range(3)] for i in range(3)]", [[0, 0, 0], [0, 1, 2], [0, 2, 4]]),
    ("[x for x in values for _ in range(2) if x > 1]", [3, 3, 2, 2]),
    ("{x % 2 for x in values}", [0, 1]),
    ("''", ""),
    ("[]", []),
    ("{}", {}),
    ("(1,)", [1]),
    ("set()", []),
    ("True + True", 2),
    ("1_000_000", 1_000_000),
    ("0x1F + 0o17 + 0b11", 49),
    ("'이름'.upper() + 'ß'.upper()", "이름SS"),
    ("len('👩‍👩‍👧')", 5),
    ("'a\\nb'.splitlines()", ["a", "b"]),
    ("r'\\d' + 'x'", "\\d" + "x"),
    ("'a' 'b'", "ab"),
    ("name.split()[1][::-1]", "gnodliG"),
    ("[k for k in {'b': 1, 'a': 2}]", ["b", "a"]),
    ("sorted({'b': 1, 'a': 2})", ["a", "b"]),
    ("day < to_date('2024-03-01') <= to_date('2024-03-01')", True),
    ("moment", "2024-02-29T23:30:00+00:00"),
    ("values[True]", 1),
    ("values[: 10**100][0]", 3),
    ("{1: 'a', '1': 'b'}", {"1": "b"}),
    ("{1.5: 2, day: 3}", {"1.5": 2, "2024-02-29": 3}),
    ("{1, 2} < {1, 2, 3}", True),
    ("a if a else fail('never')", 7),
    ("unique([1, True, 1.0])", [1]),
    ("0 in {0: 1}", True),
    ("'' in ''", True),
    ("{x: x for x in name if x in 'aeiou'}", {"o": "o", "i": "i"}),
    ("[[x for x in [x]] for x in values]", [[3], [1], [2]]),
    ("(x for x in values)", [3, 1, 2]),
]


@pytest.mark.parametrize(("text", "value"), LEGITIMATE, ids=[text for text, _ in LEGITIMATE])
def test_legitimate_expression_has_its_value(text: str, value: JsonValue) -> None:
    result = compile_expression(text, list(ARGUMENTS)).evaluate(ARGUMENTS)

    assert result == value
    assert type(result) is type(value)
