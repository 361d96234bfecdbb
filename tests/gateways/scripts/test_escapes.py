"""Escapes that asteval has known, or that its syntax invites: none gets through the check, nor past it."""

import ast

import pytest

from core.errors import EvaluationError, ExpressionError, ToolboxError
from core.scripts.functions import ScriptBudget
from gateways.scripts.language import ScriptInterpreter, compile_script
from gateways.scripts.sandbox import missing_support
from gateways.scripts.workers import ScriptWorkers, ScriptWorkerSettings
from tests.gateways.scripts.runs import LONG_MS, run

NAMES = ["n", "name", "values"]
DEFINITION = "def f(x=1):\n  return x\n"
FAILED = "try:\n  x = 1 / 0\nexcept ZeroDivisionError as e:\n  "

ESCAPES: dict[str, list[str]] = {
    "format() is not allowed": [
        "x = '{0.__class__}'.format(n)\nresult = x",
        "x = '{0.__class__.__mro__[1].__subclasses__}'.format(n)\nresult = x",
        "f = lambda: 1\nx = '{0.__globals__}'.format(f)\nresult = x",
    ],
    "there is no method": [
        "x = '{a.__class__}'.format_map({'a': n})\nresult = x",
        "x = name.encode()\nresult = x",
        "x = name.translate({})\nresult = x",
        DEFINITION + "x = f.run_function()\nresult = x",
        DEFINITION + "x = f.with_traceback(1)\nresult = x",
        "x = n.to_bytes(8, 'big')\nresult = x",
        "x = values.mro()\nresult = x",
    ],
    "attributes are not allowed": [
        "x = n.__class__\nresult = x",
        "x = ''.__class__.__mro__\nresult = x",
        "x = [].__class__.__base__\nresult = x",
        DEFINITION + "x = f.__globals__\nresult = x",
        DEFINITION + "x = f.__code__\nresult = x",
        DEFINITION + "x = f.__asteval__\nresult = x",
        DEFINITION + "x = f._interpreter\nresult = x",
        DEFINITION + "x = f.__body__\nresult = x",
        "f = lambda: 1\nx = f.__closure__\nresult = x",
        "f = lambda: 1\nx = f._around\nresult = x",
        FAILED + "x = e.__traceback__\nresult = x",
        FAILED + "x = e.__traceback__.tb_frame.f_globals\nresult = x",
        FAILED + "x = e.obj\nresult = x",
        FAILED + "x = e.args\nresult = x",
        FAILED + "x = e.__context__\nresult = x",
        "g = (x for x in values)\nx = g.gi_frame\nresult = x",
        "g = [x for x in values]\nx = g.gi_frame.f_back.f_globals\nresult = x",
        "x = f'{n.__class__}'\nresult = x",
        "x = values.append\nresult = x",
        "x = numpy.core\nresult = x",
    ],
    "begin with an underscore": [
        "x = ''.__class__()\nresult = x",
        "x = [].__class__.__base__.__subclasses__()\nresult = x",
        DEFINITION + "x = f.__call__()\nresult = x",
        DEFINITION + "f.__setattr__('x', 1)\nresult = 1",
        DEFINITION + "x = f.__getattribute__('x')\nresult = x",
        DEFINITION + "x = f.__reduce_ex__(2)\nresult = x",
        "def __import__(x):\n  return 1\nresult = __import__('os')",
        "def f(__builtins__):\n  return 1\nresult = f(1)",
        "f = lambda __x: 1\nresult = f(1)",
        "try:\n  x = 1\nexcept ValueError as __builtins__:\n  x = 2\nresult = x",
        "x = __fstring__\nresult = x",
        "x = __builtins__\nresult = x",
        "x = _printer\nresult = x",
    ],
    "a format must be written out": [
        "x = f\"{n:{'}{__fstring__.__class__}'}}\"\nresult = x",
        "x = f'{n:{name}}'\nresult = x",
    ],
    "is not allowed; write such as": [
        "x = f'{n:>9999999}'\nresult = x",
        "x = f'{n:.999}'\nresult = x",
    ],
    "only !s is allowed": ["x = f'{n!r}'\nresult = x", "x = f'{n!a}'\nresult = x"],
    "there is no function": [
        "x = open('/etc/passwd')\nresult = x",
        "x = dir()\nresult = x",
        "x = getattr(n, 'real')\nresult = x",
        "x = type(n)\nresult = x",
        "x = id(n)\nresult = x",
        "x = vars()\nresult = x",
        "x = globals()\nresult = x",
        "x = fromregex('/etc/passwd', '(.*)', [])\nresult = x",
        "x = loadtxt('/etc/passwd')\nresult = x",
        "print(n, file=1)\nresult = 1",
        "x = bytearray(10 ** 9)\nresult = x",
        "x = Group()\nresult = x",
        "x = iter(values)\nresult = x",
        "x = ValueError('x')\nresult = x",
    ],
    "attributes are not allowed; write row": [
        DEFINITION + "f.x = 1\nresult = 1",
        DEFINITION + "f.__body__ = []\nresult = 1",
    ],
    "there is no parameter": ["x = symtable\nresult = x", "x = BaseException\nresult = x"],
    "except takes one of": [
        "try:\n  x = 1\nexcept open:\n  x = 2\nresult = x",
        "try:\n  x = 1\nexcept KeyboardInterrupt:\n  x = 2\nresult = x",
    ],
    "is not allowed": [
        "with open('/etc/passwd') as f:\n  x = 1\nresult = x",
        "def f():\n  yield 1\nresult = f()",
        "f = lambda: (yield)\nresult = f()",
        "x = [y := 1]\nresult = x",
        "def f():\n  import os\nresult = f()",
        "class A(Exception): pass\nresult = 1",
    ],
}
CASES = [(text, reason) for reason, texts in ESCAPES.items() for text in texts]


@pytest.mark.parametrize(("text", "reason"), CASES, ids=[text for text, _ in CASES])
def test_escape_is_refused_before_it_runs(text: str, reason: str) -> None:
    with pytest.raises(ExpressionError) as raised:
        compile_script(text, NAMES)

    assert reason in str(raised.value)


@pytest.mark.parametrize("text", [text for text, _ in CASES])
def test_interpreter_holds_without_the_check(text: str) -> None:
    values = {"n": 3, "name": "Hong", "values": [3, 1, 2]}
    interpreter = ScriptInterpreter(ScriptBudget(), values)

    try:
        value = interpreter.run_script(ast.parse(text).body)
    except EvaluationError:
        return
    assert type(value) in {int, str, list, bool}
    assert not {"class", "object"} & set(str(value).split())


# Each goes on for ever, or asks for more than there is, in spite of its `try`.
STUBBORN = [
    "while True:\n  try:\n    while True: pass\n  except:\n    pass\nresult = 1",
    "def f():\n  try:\n    return f()\n  except:\n    return f()\nresult = f()",
    "def f():\n  try:\n    f()\n  finally:\n    f()\nresult = f()",
    "x = 1\nwhile x:\n  try:\n    x = 1 / 0\n  finally:\n    continue\nresult = x",
    "f = lambda g: g(g)\nx = [f for _ in range(9)]\nwhile True:\n  try: f(f)\n  except RuntimeError: pass\nresult = 1",
    "x = []\nwhile True:\n  try: x.append([0] * 1000000)\n  except: x = []\nresult = 1",
    "x = []\nwhile True:\n  try: x = [x, 'a' * 1000000]\n  except Exception: pass\nresult = 1",
    "def f(x=[]):\n  x.append('a' * 1000000)\n  return f()\nwhile True:\n  try: f()\n  except: pass\nresult = 1",
    "x = [1] * 1000000\nwhile True:\n  try: x.sort()\n  except: pass\nresult = 1",
    "while True:\n  try: fail('x')\n  except: pass\nresult = 1",
    "x = 'a' * 10 ** 9\nresult = x",
    "x = 10 ** 10 ** 8\nresult = x",
    "x = 1 << 10 ** 9\nresult = x",
    "x = list(range(10 ** 9))\nresult = x",
    "x = [0] * 10 ** 9\nresult = x",
    "x = int('9' * 10 ** 6)\nresult = x",
    "x = str(10 ** 5000)\nresult = x",
    "x = parse_json('[' * 10 ** 6)\nresult = x",
    "x = {}\nfor i in range(40): x = {'a': x, 'b': x}\nresult = to_json(x)",
    "def f(n):\n  return [f(n + 1) for _ in [1]]\nresult = f(1)",
    "def f(n):\n  return sorted([1, 2], key=lambda x: f(n + 1))\nresult = f(1)",
    "def f(n):\n  return " + "-" * 60 + "f(n + 1)\nresult = f(1)",
    "def f(n):\n  return " + "[x for x in " * 25 + "[f(n + 1)]" + "]" * 25 + "\nresult = f(1)",
    "f = lambda: 1\nresult = f",
    "f = lambda: 1\nresult = [f]",
    "f = lambda: 1\nresult = to_json({'f': f})",
    "f = lambda x: x\nresult = f()",
    "sum = 3\nresult = sum(budget=1)",
    "f = lambda x: x\nresult = f(1, y=2)",
    "x = 1\nresult = (lambda: x)()()",
    "def f(x): return f(x)\nresult = sorted([1, f])",
]


@pytest.mark.skipif(missing_support() is not None, reason="the sandbox needs Linux")
@pytest.mark.parametrize("text", STUBBORN)
async def test_stubborn_script_is_ended_and_the_next_is_served(text: str) -> None:
    async with ScriptWorkers(ScriptWorkerSettings(size=1, max_wait_ms=LONG_MS)) as workers:
        with pytest.raises(ToolboxError):
            await run(workers, text, timeout_ms=400)

        assert await run(workers, "x = 'next'\nresult = x") == "next"


POISONS = [
    "sum = lambda x: 9\nresult = sum([1, 2])",
    "def len(x): return 9\nresult = len([1])",
    "def range(x): return [9]\nx = [i for i in range(3)]\nfor i in range(3): x.append(i)\nresult = x",
    "pi = 9\nresult = pi",
    "left = 9\nresult = left",
    "def f(x=[]):\n  x.append(9)\n  return x\nf()\nresult = f()",
    "round = [lambda x: 9]\nresult = round[0](1)",
    "n = 9\ndef f():\n  return n\nresult = f()",
]


@pytest.mark.skipif(missing_support() is not None, reason="the sandbox needs Linux")
async def test_no_script_leaves_anything_to_the_next() -> None:
    look = (
        "def f(x=[]):\n  x.append(1)\n  return x\n"
        "result = [sum([1, 2]), len([1]), range(2), round(pi, 2), f(), [x for x in [1] if x == 1]]"
    )
    async with ScriptWorkers(ScriptWorkerSettings(size=1, max_wait_ms=LONG_MS)) as workers:
        for text in POISONS:
            assert "9" in str(await run(workers, text))
            assert await run(workers, look) == [3, 1, [0, 1], 3.14, [1], [1]]

            with pytest.raises(EvaluationError, match="no parameter left"):
                await run(workers, "x = left\nresult = x")
