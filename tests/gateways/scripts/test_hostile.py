"""Hostile scripts that pass the check: each ends within its bounds, and leaves nothing behind."""

import asyncio
from collections.abc import Iterator

import pytest

from core.errors import DeadlineExceededError, EvaluationError
from core.script import compile_script as check_script
from gateways.scripts.language import compile_script
from gateways.scripts.sandbox import missing_support
from gateways.scripts.workers import ScriptWorkers, ScriptWorkerSettings
from tests.core.expressions.test_hostile import read_process_state
from tests.gateways.scripts.runs import LONG_MS, run

NAMES = ["n", "name", "values", "nothing"]


def arguments() -> dict[str, object]:
    return {"n": 3, "name": "Hong", "values": [3, 1, 2], "nothing": None}


@pytest.fixture(autouse=True)
def _unchanged_process() -> Iterator[None]:
    before = read_process_state()
    yield
    assert read_process_state() == before


FAILING: dict[str, list[str]] = {
    "too many steps": [
        "x = []\nfor i in range(50):\n  x = [x, x]\nresult = x == [x]",
        "x = {}\ni = 0\nwhile True:\n  x[i] = [0] * 1000\n  i += 1\nresult = x",
        "x = []\nwhile True:\n  x.append('a' * 1000000)\nresult = x",
        "x = []\nwhile True:\n  x.append([0] * 1000000)\nresult = x",
        "x = [0] * 1000000\nwhile True:\n  x.sort()\nresult = x",
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
    ],
    "range() arg 3": ["for i in range(0, 1, 0): pass\nresult = 1"],
    "does not accept": [
        "for i in range('a'): pass\nresult = 1",
        "result = now('x')",
        "values.sort(True, True)\nresult = values",
        "values.pop('a')\nresult = 1",
        "x = {}\nx.update([1])\nresult = x",
    ],
    "cannot compare a text and a whole number": [
        "x = [1, 'a']\nx.sort()\nresult = x",
        "x = [1, 'a']\nresult = sorted(x, key=lambda v: v)",
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
        "x = 1\ndef f():\n  x += 1\n  return x\nresult = f()",
        "x = 1\ndef f():\n  if n > 9: x = 2\n  return x\nresult = f()",
    ],
    "has no method": ["result = 1\nresult.append(1)", "values.add(1)\nresult = 1"],
    "offset from UTC": ["result = now(99)", "result = today(float('nan'))"],
    "number is too large": ["values.insert(10 ** 30, 1)\nresult = values"],
    "not in a list": ["values.remove(9)\nresult = 1"],
    "not in a set": ["x = {1}\nx.remove(2)\nresult = x"],
    "not formatted with %": ["name %= 5\nresult = name"],
    "negative shift": ["n >>= -1\nresult = n"],
    "not a real number": ["x = -8\nx **= 0.5\nresult = x"],
    "200 deep": ["def f():\n  return f()\nresult = f()", "f = lambda: f()\nresult = f()"],
    "is too much": ["if n > 2: fail(f'{n} is too much')\nresult = n"],
}
# These end by the time-out alone; asteval has no other measure of time.
ENDLESS = [
    "x = [0] * 1000000\nwhile True:\n  del x[0]\nresult = x",
    "x = [0] * 1000000\nwhile True:\n  x.reverse()\nresult = x",
    "x = [0] * 1000000\nwhile True:\n  x.insert(0, x.pop(0))\nresult = x",
    "x = []\nwhile True:\n  x.insert(0, 1)\nresult = x",
    "while 1:\n  continue\nresult = 1",
    "while n:\n  n += 1\nresult = n",
    "while True:\n  while True:\n    pass\nresult = 1",
    "for i in range(10 ** 30): pass\nresult = 1",
    "for i in range(10 ** 9):\n  for j in range(10 ** 9):\n    pass\nresult = 1",
    "for x in values:\n  values.append(x)\nresult = 1",
]
FAILING_CASES = [(text, reason) for reason, texts in FAILING.items() for text in texts]


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


@pytest.mark.skipif(missing_support() is not None, reason="the sandbox needs Linux")
async def test_endless_script_is_ended_while_others_are_served() -> None:
    settings = ScriptWorkerSettings(size=2, max_wait_ms=LONG_MS)
    async with ScriptWorkers(settings) as workers:
        for text in ENDLESS:
            script = check_script(text, NAMES)
            endless = asyncio.create_task(workers.run(script, arguments(), 300))
            await asyncio.sleep(0)

            assert await run(workers, "x = 1\nresult = x") == 1
            with pytest.raises(DeadlineExceededError, match=r"took longer than 0\.3 s"):
                await endless
