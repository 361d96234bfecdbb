"""What is not on the allow-list of expressions is refused, and soon."""

import pytest

from core.errors import ExpressionError
from core.expression import compile_expression
from tests.core.work import count_calls

# Far more than the longest of these texts needs, far less than one that is read again and again.
MOST_CALLS = 20_000
PARAMETERS = [
    "a",
    "b",
    "price",
    "rate",
    "name",
    "nothing",
    "is_member",
    "values",
    "texts",
    "day",
    "moment",
    "year",
    "big",
    "이름",
]

SYNTAX = [
    ("", "empty"),
    ("# only a comment", "empty"),
    ("a b", "not a Python expression"),
    ("a = 1\nresult = a", "one expression"),
    ("x = a", "one expression"),
    ("result: int = a", "one expression"),
    ("result = x = a", "one expression"),
    ("result += a", "only = is allowed"),
    ("return a", "return is not needed"),
    ("import os", "import is not allowed"),
    ("from os import path", "import is not allowed"),
    ("if a: b", "if blocks are not allowed"),
    ("for x in values: x", "loops are not allowed"),
    ("while True: a", "loops are not allowed"),
    ("def f(): pass", "def is not allowed"),
    ("del a", "one expression"),
    ("c + 1", "there is no parameter c"),
    ("nmae", "did you mean name?"),
    ("max", "write max(...)"),
    ("eval('1')", "there is no function eval"),
    ("exec('1')", "there is no function exec"),
    ("open('/etc/passwd')", "there is no function open"),
    ("getattr(a, 'real')", "there is no function getattr"),
    ("type(a)", "there is no function type"),
    ("vars()", "there is no function vars"),
    ("__import__('os')", "must not begin with an underscore"),
    ("__budget", "must not begin with an underscore"),
    ("_a", "must not begin with an underscore"),
    ("＿a", "invalid character"),
    ("[__x for __x in values]", "must not begin with an underscore"),
    ("a.__class__", "attributes are not allowed"),
    ("().__class__.__bases__[0].__subclasses__()", "must not begin with an underscore"),
    ("name.__class__.__mro__", "attributes are not allowed"),
    ("a.real", "attributes are not allowed"),
    ("day.year", "attributes are not allowed; write year(...)"),
    ("(a - day).days", "attributes are not allowed; write days_between(...)"),
    ("(x for x in values).gi_frame", "attributes are not allowed"),
    ("name.upper", "attributes are not allowed"),
    ("'{0.__class__}'.format(a)", "write an f-string"),
    ("'{a}'.format_map({'a': 1})", "there is no method format_map"),
    ("str.format('{}', a)", "write an f-string"),
    ("name.encode()", "there is no method encode"),
    ("values.append(1)", "there is no method append"),
    ("values.sort()", "there is no method sort"),
    ("name.upper()()", "only functions and methods can be called"),
    ("(lambda: 1)()", "only functions and methods can be called"),
    ("lambda: 1", "lambda is not allowed"),
    ("sorted(values, key=lambda x: x)", "unexpected keyword argument 'key'"),
    ("(y := 5)", ":= is not allowed"),
    ("[*values]", "* before an argument"),
    ("max(*values)", "* before an argument"),
    ("dict(**values)", "** before an argument"),
    ("bytes(values)", "there is no function bytes"),
    ("round(**values)", "** before an argument"),
    ("{**values}", "** in a dictionary"),
    ("name.split(sep='a')", "without names"),
    ("abs()", "missing a required argument"),
    ("abs(1, budget=2)", "unexpected keyword argument 'budget'"),
    ("a @ b", "@ is not allowed"),
    ("a is 7", "is compares with None only"),
    ("1j", "complex values"),
    ("b'a'", "bytes values"),
    ("...", "ellipsis values"),
    ("1e999", "too large"),
    ("9" * 2_000, "too many digits"),
    ("0x" + "f" * 4_000, "too many digits"),
    ("await a", "await is not allowed"),
    ("(yield a)", "yield is not allowed"),
    ("[x async for x in values]", "async is not allowed"),
    ("[1 for a[0] in values]", "only names can stand"),
    ("f'{a!r}'", "only !s is allowed"),
    ("f'{a=}'", "only !s is allowed"),
    ("f'{a:{b}}'", "must be written out"),
    ("f'{a:999999999d}'", "is not allowed"),
    ("f'{a:.999999999f}'", "is not allowed"),
    ("f'{day:%0999999d}'", "is not allowed"),
    ("f'{a.__class__}'", "attributes are not allowed"),
    ("a\0", "NUL"),
    ("'\ud800'", "half a character"),
    ("a" * 5_000, "the limit is 4,096"),
    ("+".join(["a"] * 120), "nested too deeply"),
    ("[" + "a, " * 600 + "]", "more than 600 parts"),
    ("(" * 1_900 + "1" + ")" * 1_900, "too many nested parentheses"),
    ("-" * 4_000 + "1", "nested too deeply"),
    ("not " * 1_000 + "1", "nested too deeply"),
    ("[" * 150 + "]" * 150, "nested too deeply"),
    ("values" + "[0]" * 1_000, "nested too deeply"),
    ("a if a else " * 300 + "1", "nested too deeply"),
]


@pytest.mark.parametrize(("text", "message"), SYNTAX, ids=[text[:30] for text, _ in SYNTAX])
def test_what_is_not_on_the_allow_list_is_refused(text: str, message: str) -> None:
    raised: list[ExpressionError] = []

    def compile_text() -> None:
        with pytest.raises(ExpressionError) as caught:
            compile_expression(text, PARAMETERS)
        raised.append(caught.value)

    assert count_calls(compile_text) < MOST_CALLS
    assert message in str(raised[0])
