"""Behaviour of the check of scripts: faults and their places, names, and what counts as a script."""

import pickle

import pytest

from core.errors import ExpressionError
from core.script import (
    SCRIPT_FUNCTIONS,
    SCRIPT_METHODS,
    CompiledScript,
    compile_script,
    find_script_names,
    is_script,
)


def test_script_reaches_another_process_as_text_and_names() -> None:
    script = compile_script("x = b - a\nresult = x", ["a", "unused", "b"])

    copy = pickle.loads(pickle.dumps(script))  # noqa: S301 - our own bytes

    assert copy == CompiledScript("x = b - a\nresult = x", ("b", "a"))


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("x = 1\nresult = open('f')", "there is no function open", 15),
        ("x = '이름'\nresult = c", "there is no parameter c", 18),
        ("  x = 1\n  result = y", "there is no parameter y", 19),
        ("x = 1\ny = (2", "'(' was never closed", 10),
        ("x = y\ny = 1\nresult = x", "y is read before it has a value", 4),
        ("x = 1\ny = 2", "write result = and the value", 6),
        ("# only a comment", "the script is empty", 0),
        ("x = 1\n" + "# " + "x" * 17_000, "the limit is 16,384", None),
    ],
)
def test_position_counts_characters_of_the_text(
    text: str, message: str, position: int | None
) -> None:
    with pytest.raises(ExpressionError) as raised:
        compile_script(text, ["n"])

    assert message in str(raised.value)
    assert raised.value.position == position


@pytest.mark.parametrize(
    ("text", "declared", "names"),
    [
        pytest.param("x = b\nresult = x + a", [], ["b", "a"], id="in_order"),
        pytest.param("n += 1\nresult = n", [], ["n"], id="changed_parameter"),
        pytest.param("if a: b = 1\nresult = b", [], ["a"], id="variable_of_a_branch"),
        pytest.param("if a: b = 1\nresult = b", ["b"], ["a", "b"], id="parameter_changed_in_a_branch"),
        pytest.param("if a: b = 1\nelse: b = 2\nresult = b", ["b"], ["a"], id="given_in_each_branch"),
        pytest.param("for x in xs: t = t + x\nresult = t", ["t"], ["xs", "t"], id="changed_in_a_loop"),
        pytest.param("result = [x * k for x in xs]", [], ["k", "xs"], id="comprehension"),
        pytest.param("x = 1\nresult = x + open(a)", [], [], id="up_to_the_first_fault"),
        pytest.param("x = (", [], [], id="unreadable"),
        pytest.param("x = pi * a\nresult = x", [], ["a"], id="constant"),
        pytest.param("x = pi * a\nresult = x", ["pi"], ["pi", "a"], id="parameter_of_a_constants_name"),
        pytest.param("e = 1\nresult = e", ["e"], [], id="variable_of_a_constants_name"),
    ],
)  # fmt: skip
def test_names_that_must_be_parameters_are_found(
    text: str, declared: list[str], names: list[str]
) -> None:
    assert find_script_names(text, declared) == names


def test_only_the_parameters_that_are_read_are_named() -> None:
    assert compile_script("a = 1\nresult = a + b", ["a", "b", "c"]).names == ("b",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a * b", False),
        ("result = a * b", False),
        ("# one\n\nresult = (a\n  * b)\n# end\n", False),
        ("  a * b", False),
        ("[x\n for x in values]", False),
        ("x = a", False),
        ("import os", False),
        ("return a", False),
        ("", False),
        ("a b", False),
        ("a + (\n", False),
        ("x = 1\nresult = x", True),
        ("x = 1; result = x", True),
        ("for x in values: x", True),
        ("if a:\n  result = 1", True),
        ("def f(): return 1", True),
        ("x = 1\nresult = x +", True),
        ("  x = 1\n  result = x", True),
        ("x = 1\n" + "-" * 9_000 + "1", True),
        ("x = 1\n" * 9_000, True),
        ("x" * 20_000, False),
    ],
)
def test_several_statements_are_a_script(text: str, expected: bool) -> None:
    assert is_script(text) is expected


def test_every_function_and_method_of_scripts_is_described_in_one_line() -> None:
    documented = [
        *SCRIPT_FUNCTIONS.values(),
        *(entry for table in SCRIPT_METHODS.values() for entry in table.values()),
    ]

    assert all(entry.doc.endswith(".") and "\n" not in entry.doc for entry in documented)
