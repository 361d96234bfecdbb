"""What scripts share with Python: each gives the same value in both."""

import pytest

from core.toolspec import JsonValue
from gateways.scripts.language import compile_script

SCRIPTS: list[tuple[str, JsonValue]] = [
    ("def double(x):\n  return x * 2\nresult = double(4)", 8),
    ("def f(x, y=2):\n  return x - y\nresult = [f(5), f(5, 1), f(y=1, x=3)]", [3, 4, 2]),
    ("def f(*xs):\n  return sum(xs)\nresult = [f(), f(1, 2, 3)]", [0, 6]),
    ("def f(**named):\n  return named\nresult = f(a=1, b=2)", {"a": 1, "b": 2}),
    ("def f(x, /, y, *, z=3):\n  return [x, y, z]\nresult = [f(1, 2), f(1, y=5, z=4)]", [[1, 2, 3], [1, 5, 4]]),
    ("def f(x):\n  if x > 1:\n    return 'big'\n  return 'small'\nresult = [f(1), f(2)]", ["small", "big"]),
    ("def f():\n  pass\nresult = f()", None),
    ("def f():\n  return\nresult = [f()]", [None]),
    ("def factorial(n):\n  return 1 if n < 2 else n * factorial(n - 1)\nresult = factorial(20)", 2432902008176640000),
    ("def fib(n):\n  a, b = 0, 1\n  for _ in range(n):\n    a, b = b, a + b\n  return a\nresult = [fib(n) for n in range(8)]", [0, 1, 1, 2, 3, 5, 8, 13]),
    ("def even(n):\n  return True if n == 0 else odd(n - 1)\ndef odd(n):\n  return False if n == 0 else even(n - 1)\nresult = even(9)", False),
    ("def outer(x):\n  def inner(y):\n    return x + y\n  return inner\nadd = outer(3)\nresult = [add(1), outer(9)(1)]", [4, 10]),
    ("def make():\n  kept = []\n  def add(x):\n    kept.append(x)\n    return len(kept)\n  return add\na = make()\nb = make()\nresult = [a(1), a(1), b(1)]", [1, 2, 1]),
    ("def f(x=[]):\n  x.append(1)\n  return len(x)\nf()\nresult = f()", 2),
    ("x = 1\ndef f():\n  x = 2\n  return x\nresult = [f(), x]", [2, 1]),
    ("x = 1\ndef f():\n  return x\nx = 5\nresult = f()", 5),
    ("def f(n):\n  while True:\n    for i in range(9):\n      if i == n:\n        return i\nresult = f(4)", 4),
    ("def f(n):\n  while n:\n    for i in range(9):\n      return 0\nresult = f(4)", 0),
    ("def f():\n  for i in range(3):\n    for j in range(3):\n      if i * j == 2:\n        return [i, j]\nresult = f()", [1, 2]),
    ("def f(rows):\n  rows.append(1)\nrows = []\nf(rows)\nf(rows)\nresult = rows", [1, 1]),
    ("def f(n):\n  'What it does.'\n  return n\nresult = f(2)", 2),
    ("def walk(tree):\n  return [tree['v']] + [v for child in tree['c'] for v in walk(child)]\nresult = walk({'v': 1, 'c': [{'v': 2, 'c': []}, {'v': 3, 'c': [{'v': 4, 'c': []}]}]})", [1, 2, 3, 4]),
    ("def gcd(a, b):\n  while b:\n    a, b = b, a % b\n  return a\nresult = gcd(84, 36)", 12),
    ("double = lambda x: x * 2\nresult = double(4)", 8),
    ("f = lambda: 7\nresult = f()", 7),
    ("f = lambda x, y=1, *z: [x, y, len(z)]\nresult = [f(1), f(1, 2, 3)]", [[1, 1, 0], [1, 2, 1]]),
    ("result = (lambda x: x + 1)(2)", 3),
    ("x = 1\nresult = (lambda y: y + x)(2)", 3),
    ("fs = [lambda x: x + 1, lambda x: x * 10]\nresult = [f(3) for f in fs]", [4, 30]),
    ("by = {'+': lambda a, b: a + b, '-': lambda a, b: a - b}\nresult = [by[k](5, 3) for k in ['+', '-']]", [8, 2]),
    ("compose = lambda f, g: lambda x: f(g(x))\nh = compose(lambda x: x + 1, lambda x: x * 2)\nresult = h(5)", 11),
    ("fs = [lambda: i for i in range(3)]\nresult = [f() for f in fs]", [2, 2, 2]),
    ("fs = [lambda i=i: i for i in range(3)]\nresult = [f() for f in fs]", [0, 1, 2]),
    ("rows = [{'n': 2}, {'n': 1}]\nresult = [r['n'] for r in sorted(rows, key=lambda r: r['n'])]", [1, 2]),
    ("result = sorted(['bb', 'a', 'ccc'], key=lambda t: len(t), reverse=True)", ["ccc", "bb", "a"]),
    ("def size(t):\n  return len(t)\nwords = ['bb', 'a', 'ccc']\nresult = [min(words, key=size), max(words, key=size)]", ["a", "ccc"]),
    ("result = max(3, -7, 5, key=lambda x: x * x)\nx = 1", -7),
    ("try:\n  x = 1 / 0\nexcept ZeroDivisionError:\n  x = 0\nresult = x", 0),
    ("try:\n  x = int('a')\nexcept ValueError:\n  x = -1\nresult = x", -1),
    ("try:\n  x = {}['a']\nexcept KeyError:\n  x = 'none'\nresult = x", "none"),
    ("try:\n  x = [1][5]\nexcept IndexError:\n  x = 'outside'\nresult = x", "outside"),
    ("try:\n  x = [1][5]\nexcept (KeyError, LookupError):\n  x = 'outside'\nresult = x", "outside"),
    ("try:\n  x = 'a' + 1\nexcept TypeError:\n  x = 'kinds'\nresult = x", "kinds"),
    ("try:\n  x = 1 / 0\nexcept KeyError:\n  x = 1\nexcept Exception:\n  x = 2\nresult = x", 2),
    ("try:\n  x = 1 / 0\nexcept:\n  x = 3\nresult = x", 3),
    ("try:\n  x = 1\nexcept ValueError:\n  x = 2\nelse:\n  x = 3\nresult = x", 3),
    ("x = []\ntry:\n  x.append(1)\n  x.append(1 / 0)\nexcept ZeroDivisionError as error:\n  x.append(f'{error}')\nfinally:\n  x.append(2)\nresult = x", [1, "division by zero", 2]),
    ("x = []\nfor v in [1, 0, 2]:\n  try:\n    x.append(2 / v)\n  except ZeroDivisionError:\n    continue\n  finally:\n    x.append(v)\nresult = x", [2.0, 1, 0, 1.0, 2]),
    ("x = 0\nwhile True:\n  try:\n    x += 1\n    if x > 3: break\n  finally:\n    x += 10\nresult = x", 22),
    ("x = []\ndef f():\n  try:\n    return 1\n  finally:\n    x.append(2)\nresult = [f(), x]", [1, [2]]),
    ("try:\n  try:\n    x = 1 / 0\n  except ZeroDivisionError:\n    raise\nexcept ArithmeticError:\n  x = 'again'\nresult = x", "again"),
    ("try:\n  try:\n    x = 1 / 0\n  finally:\n    y = 5\nexcept ZeroDivisionError:\n  x = y\nresult = x", 5),
    ("def check(n):\n  if n < 0:\n    raise ValueError('below 0')\n  return n\ntry:\n  x = check(-1)\nexcept ValueError as error:\n  x = str(error)\nresult = x", "below 0"),
    ("try:\n  raise KeyError\nexcept LookupError:\n  x = 1\nresult = x", 1),
    ("try:\n  assert 1 > 2, 'wrong order'\nexcept AssertionError as e:\n  x = f'{e}!'\nresult = x", "wrong order!"),
    ("def f(n):\n  try:\n    return 10 / n\n  except ZeroDivisionError:\n    return None\nresult = [f(n) for n in [0, 5]]", [None, 2.0]),
    ("def f():\n  for i in [1, 2]:\n    try:\n      if i == 2: return 'two'\n    except ValueError:\n      pass\nresult = f()", "two"),
    ("result = sum(x * x for x in range(4))", 14),
    ("result = [any(x > 2 for x in [1, 3]), all(x > 2 for x in [1, 3])]", [True, False]),
    ("result = ', '.join(f'{x:02d}' for x in [1, 2])", "01, 02"),
    ("result = sorted({x % 3 for x in range(9)})", [0, 1, 2]),
    ("result = {k: v for k, v in zip('ab', [1, 2])}", {"a": 1, "b": 2}),
    ("result = [(x, y) for x in range(3) if x for y in range(x)]", [[1, 0], [2, 0], [2, 1]]),
    ("x = 9\ny = [x for x in range(3)]\nresult = [x, y]", [9, [0, 1, 2]]),
    ("m = [[1, 2], [3, 4]]\nresult = [[row[i] for row in m] for i in range(2)]", [[1, 3], [2, 4]]),
    ("x, y = 3, 1.5\nresult = f'{x:>4}|{y:.2f}|{x / y:,.1f}|{x!s}'", "   3|1.50|2.0|3"),
    ("a = [1]\nb = a\na += [2]\na = a + [3]\nresult = [a, b]", [[1, 2, 3], [1, 2]]),
    ("d = {'a': {'n': 1}}\nd['a']['n'] += 1\nresult = d", {"a": {"n": 2}}),
    ("x = 5\nresult = [1 < x < 9, 1 < x > 9, not x, x and 0 or 'none', x if x > 9 else -x]", [True, False, False, "none", -5]),
    ("n, steps = 27, 0\nwhile n != 1:\n  n = 3 * n + 1 if n % 2 else n // 2\n  steps += 1\nresult = steps", 111),
    ("primes = []\nfor n in range(2, 30):\n  for p in primes:\n    if n % p == 0: break\n  else:\n    primes.append(n)\nresult = primes", [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]),
    ("x = 0\nwhile x < 3:\n  x += 1\n  if x == 9: break\nelse:\n  x = 'done'\nresult = x", "done"),
    ("t = 'a-b-c'\nresult = [t.split('-'), t.replace('-', '').upper(), t[::-1], t[1:], 'b' in t]", [["a", "b", "c"], "ABC", "c-b-a", "-b-c", True]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), SCRIPTS, ids=[text for text, _ in SCRIPTS])
def test_script_gives_what_python_gives(text: str, value: JsonValue) -> None:
    names: dict[str, object] = {}
    exec(text, names)  # noqa: S102 - our own

    assert compile_script(text, []).evaluate({}) == value
    assert as_json(names["result"]) == value


def as_json(value: object) -> object:
    return [as_json(part) for part in value] if isinstance(value, list | tuple) else value
