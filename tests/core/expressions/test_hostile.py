"""Hostile expressions that are refused before they run, and that leave nothing behind."""

import builtins
import decimal
import os
import sys
import threading
from collections.abc import Iterator

import pytest

from core.errors import ExpressionError
from core.expression import FUNCTIONS, METHODS, NAMESPACE, compile_expression
from core.script import SCRIPT_FUNCTIONS, SCRIPT_METHODS

NAMES = ["a", "b", "price", "rate", "name", "nothing", "values", "texts", "day", "moment", "big"]


def read_process_state() -> tuple[object, ...]:
    """What an escape would change: tables, builtins, modules, limits, the decimal context."""
    context = decimal.getcontext()
    return (
        *(dict(table) for table in (vars(builtins), NAMESPACE, FUNCTIONS, SCRIPT_FUNCTIONS)),
        *(
            {kind: dict(table) for kind, table in tables.items()}
            for tables in (METHODS, SCRIPT_METHODS)
        ),
        sorted(sys.modules),
        (sys.getrecursionlimit(), sys.get_int_max_str_digits(), threading.active_count()),
        (context.prec, context.rounding, context.Emin, context.Emax, dict(context.traps)),
        {name: text for name, text in os.environ.items() if name != "PYTEST_CURRENT_TEST"},
    )


@pytest.fixture(autouse=True)
def _unchanged_process() -> Iterator[None]:
    before = read_process_state()
    yield
    assert read_process_state() == before


REFUSED: dict[str, list[str]] = {
    "attributes are not allowed": [
        "().__class__",
        "''.__class__.__mro__[1]",
        "values.__init__.__globals__",
        "name.upper.__self__",
        "moment.tzinfo",
        "sum.__globals__",
        "abs.__closure__",
        "[].append.__self__",
        "a.denominator",
        "f'{a.__class__}'",
        "f'{f\"{a.real}\"}'",
        "f'{[].__class__}'",
        "ａ.__class__",
        "__budget.steps",
    ],
    "must not begin with an underscore": [
        "a.__class__.__base__.__subclasses__()",
        "name.upper().__len__()",
        "values.__getitem__(0)",
        "(1).__add__(2)",
        "texts.__reduce__()",
        "max.__wrapped__(1, 2)",
        "__ｃlass__",
        '_＿import_＿("os")',
        "__builtins__",
        "__budget",
        "__function_sum(values)",
        "__debug__",
        "[__x for __x in values]",
    ],
    "there is no method": [
        "moment.tzinfo.utcoffset(moment)",
        "day.strftime('%Y')",
        "moment.astimezone()",
        "price.as_tuple()",
        "'{x.__class__}'.format_map({'x': a})",
        "__import__('os').system('id')",
        "open('/etc/passwd').read()",
        "values.append(1)",
        "values.sort()",
        "values.clear()",
        "values.pop()",
        "{}.update({'a': 1})",
        "{}.setdefault('a', [])",
        "set().add(1)",
        "name.encode()",
        "name.translate({})",
        "name.maketrans('a', 'b')",
        "name.center(10 ** 10)",
        "name.expandtabs(10 ** 10)",
    ],
    "there is no function": [
        'ｅｖａｌ("1")',
        'ｏｐｅｎ("x")',
        '𝓮𝔁𝓮𝓬("1")',
        'ﬁnd("x")',
        "eval('1')",
        "exec('1')",
        "compile('1', '', 'eval')",
        "globals()",
        "locals()",
        "vars(a)",
        "dir()",
        "id(a)",
        "hash(a)",
        "getattr(a, 'real')",
        "setattr(a, 'x', 1)",
        "type('X', (), {})",
        "object()",
        "super()",
        "input()",
        "print(a)",
        "breakpoint()",
        "memoryview(name)",
        "bytes(10 ** 10)",
        "bytearray(10 ** 10)",
        "iter(values)",
        "next(values)",
        "map(abs, values)",
        "filter(None, values)",
        "slice(1)",
        "complex(1, 2)",
        "frozenset(values)",
        "callable(abs)",
        "isinstance(a, int)",
        "help()",
        "exit()",
        "quit()",
        "copyright()",
        "classmethod(abs)",
    ],
    "format() is not allowed": ["'{0.__class__.__init__.__globals__}'.format(a)", "'{}'.format(a)"],
    "only !s is allowed": ["f'{a!r}'", "f'{a!a}'", "f'{a=}'"],
    "must be written out": ["f'{a:>{b}}'"],
    "is not allowed; write such as .2f": [
        "f'{a:>1000}'",
        "f'{a:9999999d}'",
        "f'{rate:.100f}'",
        "f'{day:%9999Y}'",
        "f'{day:%E}'",
    ],
    "too many digits": ["9" * 1400, "0o" + "7" * 1400],
    "number is too large": ["1e" + "9" * 30],
    "this is not a Python expression": [
        "f'{lambda: 1}'",
        "(" * 300 + "a" + ")" * 300,
        "{" + "1:" * 3 + "1}",
        "a\u202e",
        "\u200ba",
        "a\ufeff",
        "try: a",
    ],
    "expression is nested too deeply": [
        "-" * 95 + "1",
        "[" * 92 + "]" * 92,
        "a" + ".upper()" * 200,
        "abs(" * 100 + "1" + ")" * 100,
        "a" + " + a" * 400,
        "a if a else " * 100 + "a",
        "not " * 200 + "a",
    ],
    "more than 600 parts": [
        "[x " + "for x in [[x, x]] " * 100 + "]",
        "a < " * 700 + "a",
        'f"' + "{a}" * 700 + '"',
    ],
    "the limit is 4,096": ['"' + "x" * 5000 + '"'],
    "half a character": ["'" + chr(0xD800) + "'"],
    "NUL character": ["'" + chr(0) + "'"],
    "lambda is not allowed": ["lambda: " * 50 + "1", "lambda: a"],
    ":= is not allowed": ["(c := 5)", "[c := 5]", "[y for x in values if (y := x)]"],
    "only functions and methods": ["(lambda x: x(x))(lambda x: x(x))"],
    "unexpected keyword argument": ["sorted(values, key=lambda x: -x)", "sum(values, start=[])"],
    "too many positional": ["pow(2, 3, 5)", "abs(1, 2)"],
    "missing a required": ["zip(values)"],
    "there is no parameter": ["_ + 1", "Ellipsis", "NotImplemented", "print >> a"],
    "is a function; write": ["abs", "sum(sum)", "max(abs)", "[abs, len]", "len(len)"],
    "bytes values": ["b'x'", "b'x' * 10 ** 10"],
    "complex values": ["1j", "1j ** 1j"],
    "ellipsis values": ["..."],
    "is compares with None": ["a is 7", "a is not 'x'"],
    "@ is not allowed": ["a @ b"],
    "await is not": ["await a", "[await x for x in values]"],
    "yield is not": ["yield a", "(yield)"],
    "async is not": ["[x async for x in values]"],
    "* before an argument": ["*values", "[*values]", "abs(*values)", "round(**{'number': 1})"],
    "** in a dictionary": ["{**{}}"],
    "write one expression": [
        "a; b",
        "a = b",
        "del a",
        "global a",
        "assert a",
        "raise a",
        "with a: pass",
        "class A: pass",
        "def f(): return 1",
        "pass",
        "values[0] = 1",
    ],
    "import is not": ["import os", "from os import system"],
    "loops are not": ["for x in values: x", "while 1: pass"],
    "if blocks": ["if a: b"],
    "return is not": ["return a"],
    "takes its arguments without": ["day.replace(year=1)"],
    "only names can stand": ["[1 for a.b in values]", "[1 for values[0] in values]"],
}
CASES = [(text, reason) for reason, texts in REFUSED.items() for text in texts]


@pytest.mark.parametrize(("text", "reason"), CASES, ids=[text[:40] for text, _ in CASES])
def test_hostile_expression_is_refused_before_it_runs(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        compile_expression(text, NAMES)

    assert reason in str(raised.value)
