"""Hostile scripts: refused before they run, or ended within their bounds, and nothing is left behind."""

from collections.abc import Iterator

import pytest

from core.errors import EvaluationError, ExpressionError
from core.script import compile_script
from tests.core.expressions.test_hostile import read_process_state

NAMES = ["n", "name", "values", "nothing"]


def arguments() -> dict[str, object]:
    return {"n": 3, "name": "Hong", "values": [3, 1, 2], "nothing": None}


@pytest.fixture(autouse=True)
def _unchanged_process() -> Iterator[None]:
    before = read_process_state()
    yield
    assert read_process_state() == before


REFUSED: dict[str, list[str]] = {
    "gives no value": [
        "while True: pass",
        "x = 1\ny = 2",
        "values.append(1)",
        "x = []\nx.append(1)",
        "pass",
    ],
    "too many digits": ["result = " + "9" * 2000],
    "changes nothing": [
        "x = 'a' * 1000000\nwhile True:\n  x.isdigit()\nresult = 1",
        "n == 1\nresult = n",
        "n + 1\nresult = n",
        "name.upper()\nresult = name",
        "sorted(values)\nresult = values",
        "values.copy()\nresult = values",
    ],
    "try is not": ["try:\n  x = 1\nexcept:\n  x = 2\nresult = x"],
    "raise is not": ["raise ValueError('x')\nresult = 1"],
    "assert is not": ["assert n\nresult = 1"],
    "with is not": ["with open('x') as f:\n  pass\nresult = 1"],
    "def is not": ["def f():\n  return f()\nresult = f()", "def f():\n  nonlocal n\nresult = 1"],
    "lambda is not": ["f = lambda: f()\nresult = f()"],
    "class is not": ["class A:\n  pass\nresult = 1"],
    "import is not": ["import os\nresult = os.getcwd()", "from os import *\nresult = 1"],
    "global is not": ["global n\nn = 1\nresult = n"],
    "yield is not": ["yield n\nresult = 1", "x = yield\nresult = x"],
    "await is not": ["await n\nresult = 1"],
    "async is not": ["async def f(): pass\nresult = 1", "async for x in values: pass\nresult = 1"],
    "return is not": ["return 1"],
    "match is not": ["match n:\n  case 1: pass\nresult = 1"],
    "types are not": ["x: int = 1\nresult = x"],
    ":= is not": ["(x := 1)\nresult = x"],
    "there is no function": [
        "print(n)\nresult = n",
        "eval('1')\nresult = 1",
        "exec('1')\nresult = 1",
        "open('/etc/passwd')\nresult = 1",
        "input()\nresult = 1",
        "breakpoint()\nresult = 1",
        "exit()\nresult = 1",
        'ｅval("1")\nresult = 1',
    ],
    "is a function": [
        "str = abs\nresult = str",
        "abs[0] = 1\nresult = 1",
        "values.append(abs)\nresult = values",
    ],
    "begin with an underscore": [
        "__import__('os')\nresult = 1",
        "__budget = 1\nresult = 1",
        "__builtins__ = 1\nresult = 1",
        "_x = 1\nresult = _x",
        "__value_1 = 1\nresult = 1",
        "for __x in values: pass\nresult = 1",
    ],
    "attributes are not": [
        "__budget.steps = 10 ** 9\nresult = 1",
        "n.real = 1\nresult = n",
        "values.x = 1\nresult = 1",
        "n.__class__ = 1\nresult = 1",
        "values.x += 1\nresult = 1",
        "values.append.x = 1\nresult = 1",
    ],
    "del takes an element": [
        "del n\nresult = 1",
        "del values\nresult = 1",
        "del values.x\nresult = 1",
    ],
    "slice cannot be changed": ["del values[0:2]\nresult = 1", "values[0:2] = [1]\nresult = 1"],
    "* before a name": ["a, *b = values\nresult = b"],
    "not a Python script": [
        "None = 1\nresult = 1",
        "True = 1\nresult = 1",
        "abs(n) = 1\nresult = 1",
        "n + 1 = 2\nresult = 1",
        "  x = 1\nresult = x",
        "if n:\n\tx = 1\n        y = 2\nresult = x",
        "x = 1\n  y = 2\nresult = x",
    ],
    "stand in a loop": [
        "break\nresult = 1",
        "continue\nresult = 1",
        "if n: break\nresult = 1",
        "for x in values:\n  pass\nelse:\n  break\nresult = 1",
    ],
    "read before it has a value": ["x = y\ny = 1\nresult = x"],
    "there is no parameter": ["result = y", "result = [x for x in values] + [x]"],
    "script is empty": ["", "# nothing"],
    "NUL": ['x = "' + chr(0) + '"\nresult = x'],
    "half a character": ['x = "' + chr(0xD800) + '"\nresult = x'],
    "more than 5,000 parts": ["x = 1\n" * 2600 + "result = x", "x = 1;" * 1800 + "result = x"],
    "more than 12 deep": [
        "".join("\t" * i + f"for x{i} in values:\n" for i in range(14))
        + "\t" * 14
        + "pass\nresult = 1",
        "".join("\t" * i + "while n:\n" for i in range(25)) + "\t" * 25 + "pass\nresult = 1",
    ],
    "nested too deeply": [
        "".join(" " * i + "if n:\n" for i in range(95)) + " " * 95 + "x = 1\nresult = 1",
        "if n == 0: x = 0\n"
        + "".join(f"elif n == {i}: x = {i}\n" for i in range(1, 200))
        + "result = x",
        "x = " + "[" * 92 + "]" * 92 + "\nresult = x",
    ],
    "without names": [
        "x = now()\nx.replace(year=1)\nresult = 1",
        "x = {'a': 1}\nx.update(a=2)\nresult = x",
    ],
    "reverse=True only": ["values.sort(key=abs)\nresult = values"],
    "@ is not": ["values @= 5\nresult = values"],
}
FAILING: dict[str, list[str]] = {
    "too many steps": [
        "while 1:\n  continue\nresult = 1",
        "while n:\n  n += 1\nresult = n",
        "while True:\n  while True:\n    pass\nresult = 1",
        "for i in range(10 ** 30): pass\nresult = 1",
        "for i in range(10 ** 9):\n  for j in range(10 ** 9):\n    pass\nresult = 1",
        "x = []\nfor i in range(50):\n  x = [x, x]\nresult = x == [x]",
        "x = {}\ni = 0\nwhile True:\n  x[i] = [0] * 1000\n  i += 1\nresult = x",
        "x = []\nwhile True:\n  x.append('a' * 1000000)\nresult = x",
        "x = []\nwhile True:\n  x.append([0] * 1000000)\nresult = x",
        "x = []\nwhile True:\n  x.insert(0, 1)\nresult = x",
        "x = [0] * 1000000\nwhile True:\n  x.insert(0, x.pop(0))\nresult = x",
        "x = [0] * 1000000\nwhile True:\n  x.reverse()\nresult = x",
        "x = [0] * 1000000\nwhile True:\n  x.sort()\nresult = x",
        "x = [0] * 1000000\nwhile True:\n  del x[0]\nresult = x",
        "x = list(range(1000000))\nwhile True:\n  x.remove(999999)\n  x.append(999999)\nresult = x",
        "x = 'a' * 1000000\nwhile True:\n  y = x.isdigit()\nresult = 1",
        "x = 'a' * 1000000\nwhile True:\n  y = x.startswith(x)\nresult = 1",
        "x = 'a' * 1000000\nwhile True:\n  y = x.count('a' * 500000 + 'b')\nresult = 1",
        "x = 'a' * 1000000\nwhile True:\n  y = x.rfind('b' + 'a' * 500000)\nresult = 1",
        "x = 'a' * 1000000\nwhile True:\n  y = x.strip('a')\nresult = 1",
        "x = 'a' * 1000000\nwhile True:\n  y = x == x + ''\nresult = 1",
        "x = list(range(1000000))\nresult = [x[i:] for i in range(1000)]",
        "x = {i: i for i in range(300000)}\ny = []\nwhile True:\n  y.append(x.items())\nresult = 1",
        "x = {i: i for i in range(300000)}\ny = []\nwhile True:\n  y.append(x | {})\nresult = 1",
    ],
    "longer than 1,000,000": [
        "x = [1]\nwhile True:\n  x += x\nresult = x",
        "x = [1]\nwhile True:\n  x = x + x\nresult = x",
        "x = [1]\nwhile True:\n  x.extend(x)\nresult = x",
        "x = [1]\nwhile True:\n  x *= 2\nresult = x",
        "x = 'a'\nwhile True:\n  x += x\nresult = x",
        "x = 'a'\nwhile True:\n  x = f'{x}{x}'\nresult = x",
        "x = 'a' * 1000000\nwhile True:\n  y = x.split('a')\nresult = 1",
        "x = 'a' * 1000000\nwhile True:\n  y = x + 'b' in x\nresult = 1",
        "x = 'a' * 1000000\ny = x.replace('a', 'bb')\nresult = 1",
        "for x in values:\n  values.append(x)\nresult = 1",
    ],
    "range() arg 3": ["for i in range(0, 1, 0): pass\nresult = 1"],
    "does not accept": [
        "for i in range('a'): pass\nresult = 1",
        "result = now('x')",
        "values.sort(True, True)\nresult = values",
        "x = [1, 'a']\nx.sort()\nresult = x",
        "values.pop('a')\nresult = 1",
        "x = {}\nx.update([1])\nresult = x",
    ],
    "a list is needed here": [
        "for i in n: pass\nresult = 1",
        "for i in nothing: pass\nresult = 1",
        "values.extend(5)\nresult = values",
        "values += 5\nresult = values",
    ],
    "too many digits": [
        "x = 2\nwhile True:\n  x *= x\nresult = x",
        "x = 2\nwhile True:\n  x **= 2\nresult = x",
        "x = 1\nwhile True:\n  x <<= 1\nresult = x",
    ],
    "nested more than 40 deep": [
        "x = []\nfor i in range(60):\n  x = [x, x]\nresult = x",
        "x = [1]\nx.append(x)\nresult = x",
        "x = [1]\nx.append(x)\nresult = to_json(x)",
        "x = [1]\nx.append(x)\nresult = flatten(x)",
        "x = {}\nx['x'] = x\nresult = x",
    ],
    "nested more than 200 deep": [
        "x = []\nfor i in range(500):\n  x = [x]\nresult = x == 1",
        "x = [1]\nx.append(x)\nresult = x == x",
        "x = [1]\nx.append(x)\nresult = x in x",
        "x = [1]\nx.append(x)\nresult = sorted(x)",
        "x = [1]\nx.append(x)\nresult = max(x)",
        "x = [1]\nx[0] = x\ny = [x]\nresult = x < y",
        "x = {}\nx['x'] = x\nresult = x == x.copy()",
        "x = []\ny = [x]\nx.append(y)\nresult = x == y",
        "x = []\nx.append(x)\nx.remove(x)\nresult = x",
    ],
    "is infinite": ["x = 1.5\nfor i in range(99):\n  x *= x\nresult = x"],
    "at most 1,000,000": ["x = range(1000001)\nresult = 1"],
    "the values are nested too deeply": ["x = '[' * 1000000\nresult = parse_json(x)"],
    "str() of a list": ["x = []\nx.append(x)\nresult = str(x)"],
    "cannot write a list": ["x = []\nx.append(x)\nresult = f'{x}'"],
    "a key must be": [
        "x = []\nx.append(x)\nresult = {x}",
        "x = {}\nx[[]] = 1\nresult = x",
        "x = {1}\nx.add([])\nresult = x",
        "x = {1}\nx.update([[]])\nresult = x",
    ],
    "changes while it is walked": [
        "x = {1: 1}\nfor k in x:\n  x[k + 1] = 1\nresult = x",
        "x = {1}\nfor k in x:\n  x.add(k + 1)\nresult = x",
        "x = {1: 1, 2: 2}\nresult = [x.pop(y) for y in x]",
    ],
    "is outside a list": [
        "result = [values.pop() for _ in range(4)]",
        "result = [1 // z for z in values\n  if z - 3]\nx = values[9]",
        "del values[0], values[0], values[0], values[0]\nresult = 1",
        "values[9] = 1\nresult = 1",
        "values.pop(9)\nresult = 1",
    ],
    "division by zero": ["x = 1 / 0\nresult = x", "n //= 0\nresult = n"],
    "cannot apply": ["y = 1\n\nresult = (y +\n  nothing)", "x = {1}\nx |= [2]\nresult = x"],
    "nothing can be put": [
        "del name[0]\nresult = 1",
        "name[0] = 'x'\nresult = 1",
        "x = (1, 2)\nx[0] = 1\nresult = x",
        "x = (1, [])\nx[1] += [1]\nresult = x",
        "n[0] = 1\nresult = n",
        "nothing[0] = 1\nresult = 1",
        "abs(n)[0] = 1\nresult = 1",
    ],
    "a position must be": ["values['a'] = 1\nresult = 1"],
    "too large for a key": ["x = {}\nx[10 ** 30] = 1\nresult = x"],
    "has no key": ["x = {}\nx['a'] += 1\nresult = x", "x = {}\nx.pop('a')\nresult = 1"],
    "unpack": ["a, b = values\nresult = a", "a, b = n\nresult = a"],
    "has no value yet": [
        "if n > 9:\n  y = 1\nresult = y",
        "for y in []: pass\nresult = y",
        "while n:\n  z = w\n  w = 1\nresult = z",
        "if n > 9: result = 1",
    ],
    "has no method": ["result = 1\nresult.append(1)", "values.add(1)\nresult = 1"],
    "offset from UTC": ["result = now(99)", "result = today(float('nan'))"],
    "number is too large": ["values.insert(10 ** 30, 1)\nresult = values"],
    "not in a list": ["values.remove(9)\nresult = 1"],
    "not in a set": ["x = {1}\nx.remove(2)\nresult = x"],
    "not formatted with %": ["name %= 5\nresult = name"],
    "negative shift": ["n >>= -1\nresult = n"],
    "not a real number": ["x = -8\nx **= 0.5\nresult = x"],
    "is too much": ["if n > 2: fail(f'{n} is too much')\nresult = n"],
}
REFUSED_CASES = [(text, reason) for reason, texts in REFUSED.items() for text in texts]
FAILING_CASES = [(text, reason) for reason, texts in FAILING.items() for text in texts]


@pytest.mark.parametrize(
    ("text", "reason"), REFUSED_CASES, ids=[text[:50] for text, _ in REFUSED_CASES]
)
def test_hostile_script_is_refused_before_it_runs(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        compile_script(text, NAMES)

    assert reason in str(raised.value)


@pytest.mark.parametrize(
    ("text", "reason"), FAILING_CASES, ids=[text[:50] for text, _ in FAILING_CASES]
)
def test_script_ends_within_its_bounds_and_changes_no_argument(text: str, reason: str) -> None:
    script = compile_script(text, NAMES)
    given = arguments()

    with pytest.raises(EvaluationError) as raised:
        script.evaluate(given)

    assert reason in str(raised.value)
    assert given == arguments()
