"""Hostile scripts that are refused before they run, and that leave nothing behind."""

from collections.abc import Iterator

import pytest

from core.errors import ExpressionError
from core.script import compile_script
from tests.core.expressions.test_hostile import read_process_state

NAMES = ["n", "name", "values", "nothing"]


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
    "except takes one of": [
        "try:\n  x = 1\nexcept BaseException:\n  x = 2\nresult = x",
        "try:\n  x = 1\nexcept SystemExit:\n  x = 2\nresult = x",
        "try:\n  x = 1\nexcept MemoryError:\n  x = 2\nresult = x",
        "try:\n  x = 1\nexcept (ValueError, n):\n  x = 2\nresult = x",
        "try:\n  x = 1\nexcept n.__class__:\n  x = 2\nresult = x",
    ],
    "raise takes one of": [
        "raise SystemExit('x')\nresult = 1",
        "raise KeyboardInterrupt\nresult = 1",
        "raise\nresult = 1",
        "raise ValueError('x', 1)\nresult = 1",
        "raise values\nresult = 1",
        "raise ValueError('x').with_traceback(nothing)\nresult = 1",
    ],
    "except* is not": ["try:\n  x = 1\nexcept* ValueError:\n  x = 2\nresult = x"],
    "with is not": ["with open('x') as f:\n  pass\nresult = 1"],
    "global and nonlocal are not": [
        "global n\nn = 1\nresult = n",
        "def f():\n  nonlocal n\nresult = 1",
        "def f():\n  global n\nresult = 1",
    ],
    "decorators are not": ["@abs\ndef f(): pass\nresult = 1"],
    "class is not": ["class A:\n  pass\nresult = 1"],
    "import is not": ["import os\nresult = os.getcwd()", "from os import *\nresult = 1"],
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
REFUSED_CASES = [(text, reason) for reason, texts in REFUSED.items() for text in texts]


@pytest.mark.parametrize(
    ("text", "reason"), REFUSED_CASES, ids=[text[:50] for text, _ in REFUSED_CASES]
)
def test_hostile_script_is_refused_before_it_runs(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        compile_script(text, NAMES)

    assert reason in str(raised.value)
