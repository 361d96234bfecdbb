"""What scripts compute, and how they say what went wrong."""

import math
from datetime import UTC, datetime

import pytest

from core.errors import EvaluationError
from core.script import find_script_names
from core.toolspec import JsonValue
from gateways.scripts.language import compile_script


def run(text: str, **arguments: object) -> JsonValue:
    return compile_script(text, list(arguments)).evaluate(arguments)


SCRIPTS: list[tuple[str, str, JsonValue]] = [
    ("result", "x = 2\nresult = x * 3", 6),
    ("last_line", "x = 2\nx * 3", 6),
    ("result_before_the_last_line", "result = 1\nx = 2", 1),
    ("indented_as_a_whole", "\n    x = 2\n    result = x\n", 2),
    ("comments_and_texts", "# first\n'second'\nresult = 1  # third", 1),
    ("semicolons", "x = 1; y = 2; result = x + y", 3),
    ("chained_targets", "a = b = [1]\na.append(2)\nresult = b", [1, 2]),
    ("unpacking", "a, (b, c) = 1, 'xy'\nresult = [a, b, c]", [1, "x", "y"]),
    ("swap", "v = [1, 2]\nv[0], v[1] = v[1], v[0]\nresult = v", [2, 1]),
    ("elements", "d = {}\nd['a'] = [0]\nd['a'][0] += 5\nresult = d", {"a": [5]}),
    ("deletion", "d = {'a': 1, 'b': 2}\nv = [1, 2]\ndel d['a'], v[0]\nresult = [d, v]", [{"b": 2}, [2]]),
    ("branches", "if n > 5:\n  r = 'big'\nelif n > 2:\n  r = 'middle'\nelse:\n  r = 'small'\nresult = r", "middle"),
    ("loop_over_range", "total = 0\nfor i in range(1, n + 1):\n  total += i\nresult = total", 6),
    ("loop_over_list", "result = []\nfor v in values:\n  result.append(v * 2)", [6, 2, 4]),
    ("loop_over_text", "result = {}\nfor c in 'aba':\n  result[c] = result.get(c, 0) + 1", {"a": 2, "b": 1}),
    ("loop_over_pairs", "result = 0\nfor k, v in {'a': 1, 'b': 2}.items():\n  result += v", 3),
    ("loop_over_dictionary", "result = ''\nfor k in {'a': 1, 'b': 2}:\n  result += k", "ab"),
    ("growing_list", "todo = [3]\nfor x in todo:\n  if x: todo.append(x - 1)\nresult = todo", [3, 2, 1, 0]),
    ("while", "x, rounds = n, 0\nwhile x > 1:\n  x = x // 2 if x % 2 == 0 else 3 * x + 1\n  rounds += 1\nresult = rounds", 7),
    ("break_and_else", "for v in values:\n  if v == 1: break\nelse:\n  v = None\nresult = v", 1),
    ("continue", "result = []\nfor v in values:\n  if v == 1: continue\n  result.append(v)", [3, 2]),
    ("while_else", "x = 0\nwhile x < 3:\n  x += 1\nelse:\n  x = 10\nresult = x", 10),
    ("comprehension", "k = 2\nresult = [v * k for v in values if v > 1]", [6, 4]),
    ("chain_in_loop", "result = [0 < i < n for i in range(5)]", [False, True, True, False, False]),
    ("text_in_place", "x = 'a'\nx += 'b'\nx *= 2\nresult = x", "abab"),
    ("list_methods", "v = [1]\nv.extend([5, 4])\nv.insert(0, 9)\nx = v.pop()\nv.remove(1)\nv.reverse()\nresult = [v, x]", [[5, 9], 4]),
    ("sorting", "v = [2, 3, 1]\nv.sort(reverse=True)\nw = v.copy()\nw.clear()\nresult = [v, w]", [[3, 2, 1], []]),
    ("dictionary_methods", "d = {'a': 1}\nd.update({'b': 2})\nd.setdefault('c', []).append(3)\nx = d.pop('a')\ny = d.pop('z', 0)\nresult = [d, x, y]", [{"b": 2, "c": [3]}, 1, 0]),
    ("set_methods", "s = {1}\ns.add(2)\ns.update([3, 4])\ns.discard(9)\ns.remove(1)\nresult = sorted(s)", [2, 3, 4]),
    ("in_place_sets", "s = {1, 2, 3}\nt = s\ns &= {2, 3}\ns |= {7}\ns -= {3}\ns ^= {9}\nresult = sorted(t)", [2, 7, 9]),
    ("in_place_dictionary", "d = {'a': 1}\ne = d\nd |= {'b': 2}\nresult = e", {"a": 1, "b": 2}),
    ("in_place_list", "v = [1]\nw = v\nv += (2,)\nv *= 2\nresult = w", [1, 2, 1, 2]),
    ("parameter_as_variable", "n = n + 1\nn += 1\nresult = n", 5),
    ("function_name_as_variable", "sum = 3\nresult = sum + sum([1, 2])", 6),
    ("full_width_names", "ｎ２ = n\nresult = n2", 3),
    ("lists_within", "m = [[0] * 2 for _ in range(2)]\nm[0][1] = 5\nresult = m", [[0, 5], [0, 0]]),
    ("list_that_holds_itself", "x = []\nx.append(x)\nresult = len(x[0][0])", 1),
    ("many_branches", "if n == 0: x = 0\n" + "".join(f"elif n == {i}: x = {i}\n" for i in range(1, 70)) + "result = x", 3),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"), [case[1:] for case in SCRIPTS], ids=[c[0] for c in SCRIPTS]
)
def test_script_is_computed(text: str, value: JsonValue) -> None:
    result = run(
        text,
        **({"n": 3} if "n" in find_script_names(text, ["n"]) else {})
        | ({"values": [3, 1, 2]} if "values" in text else {}),
    )

    assert result == value


def test_script_changes_no_argument() -> None:
    values = [3, 1, 2]

    assert run("values.sort()\nresult = values", values=values) == [1, 2, 3]
    assert values == [3, 1, 2]


def test_runs_of_one_script_share_nothing() -> None:
    script = compile_script("seen = []\nseen.append(n)\nresult = seen", ["n"])

    assert [script.evaluate({"n": 1}), script.evaluate({"n": 2})] == [[1], [2]]


def test_missing_argument_is_named() -> None:
    with pytest.raises(EvaluationError, match="no value for b"):
        compile_script("x = a\nresult = b", ["a", "b"]).evaluate({"a": 1})


def test_now_is_one_moment_for_the_whole_run() -> None:
    before = datetime.now(UTC)

    first, second, in_seoul, day = run("[now(), now(), str(now(9)), today()]")

    assert first == second
    assert before <= datetime.fromisoformat(first) <= datetime.now(UTC)
    assert datetime.fromisoformat(in_seoul) == datetime.fromisoformat(first)
    assert in_seoul.endswith("+09:00")
    assert day == first[:10]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("x = 1\n\nresult = x / 0", "line 3: division by zero", id="operator"),
        pytest.param("\n  x = 1\n  result = x / 0", "line 3: division by zero", id="indented"),
        pytest.param("for i in [1, 0]:\n  x = 1 / i\nresult = x", "line 2: division by zero", id="loop"),
        pytest.param("result = [\n  1 / i\n  for i in [0]]", "line 2: division by zero", id="expression"),
        pytest.param("if n: x = 1\nresult = x", "line 2: x has no value yet; give it one before", id="name"),
        pytest.param("if n: x = 1\nresult = [x for _ in [1]]", "line 2: x has no value yet", id="inner_name"),
        pytest.param("x = 1\nif n:\n  result = x", "line 3: result has no value yet", id="result"),
        pytest.param("x = 1\nfail('n must be 1')\nresult = x", "n must be 1", id="fail"),
        pytest.param("x = 1\nresult = float('nan')", "the result is not a number (NaN)", id="result_value"),
        pytest.param("d = {1: 1}\nfor k in d: d[k + 1] = 1\nresult = d", "line 2: a dictionary or set changes", id="walk"),
        pytest.param("x = [0]\nx[0] = x\nresult = x", "nested more than 40 deep", id="cycle"),
    ],
)  # fmt: skip
def test_failure_names_the_line(text: str, message: str) -> None:
    script = compile_script(text, ["n"])

    with pytest.raises(EvaluationError) as raised:
        script.evaluate({"n": 0})

    assert str(raised.value).startswith(message) or message in str(raised.value)


@pytest.mark.parametrize(
    ("text", "arguments", "value"),
    [
        pytest.param("r = 2\nresult = pi * r", {}, math.pi * 2, id="constant"),
        pytest.param("r = 2\nresult = pi * r", {"pi": 3}, 6, id="parameter"),
        pytest.param("pi = 3\nresult = pi * 2", {}, 6, id="variable"),
        pytest.param("t = 0\nfor e in [1, 2]: t += e\nresult = t", {}, 3, id="of a loop"),
    ],
)
def test_constants_are_known_unless_something_hides_them(
    text: str, arguments: dict[str, int], value: float
) -> None:
    assert compile_script(text, list(arguments)).evaluate(arguments) == value
