"""What people type becomes JSON of the parameter's type, and comes back as it was typed."""

from typing import Any

import pytest

from core.toolspec import ParameterType
from toolbuilder.editing.values import ABSENT, read_entry, read_value, state_of

P = ParameterType


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("20", P.INTEGER, 20),
        (" -3 ", P.INTEGER, -3),
        ("many", P.INTEGER, "many"),
        ("2.5", P.NUMBER, 2.5),
        ("1e3", P.NUMBER, 1000.0),
        ("nan", P.NUMBER, "nan"),
        ("True", P.BOOLEAN, True),
        ("perhaps", P.BOOLEAN, "perhaps"),
        ("  홍길동 ", P.STRING, "  홍길동 "),
        ("20", P.STRING, "20"),
        (" 2026-11-17 ", P.DATE, "2026-11-17"),
        ("a\nb, c、d\n", P.STRING_LIST, ["a", "b", "c", "d"]),
        ("1, 2\n3", P.INTEGER_LIST, [1, 2, 3]),
        ('["a", ""]', P.STRING_LIST, ["a", ""]),
        ("[1", P.INTEGER_LIST, "[1"),
    ],
)
def test_text_becomes_a_value_of_the_type(text: str, kind: ParameterType, value: Any) -> None:
    assert read_value(text, kind) == value


def test_allowed_value_that_is_written_so_is_meant() -> None:
    assert read_value("2", P.ENUM, ["1", 2]) == 2
    assert read_value("1", P.INTEGER, [1, 2]) == 1


@pytest.mark.parametrize(
    ("text", "state", "kind", "value"),
    [
        ("", "", P.STRING, ABSENT),
        ("  ", "", P.INTEGER, ABSENT),
        ("kept", "null", P.STRING, None),
        ("", "empty", P.STRING, ""),
        ("", "empty", P.STRING_LIST, []),
        ("x", "", P.STRING, "x"),
    ],
)
def test_absent_null_and_empty_are_told_apart(
    text: str, state: str, kind: ParameterType, value: Any
) -> None:
    assert read_entry(text, state, kind) == value


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (20, P.INTEGER),
        (2.5, P.NUMBER),
        (True, P.BOOLEAN),
        ("x\ny", P.STRING),
        ("", P.STRING),
        (None, P.STRING),
        ([], P.STRING_LIST),
        (["a", "b, c"], P.STRING_LIST),
        (["a", ""], P.STRING_LIST),
        (["[x", " y"], P.STRING_LIST),
        ([1, 2.5], P.NUMBER_LIST),
    ],
    ids=str,
)
def test_value_comes_back_from_its_text(value: Any, kind: ParameterType) -> None:
    assert read_entry(kind.kind.write_text(value), state_of(value), kind) == value


@pytest.mark.parametrize("kind", list(ParameterType))
def test_example_of_every_type_is_typed_as_it_is_written(kind: ParameterType) -> None:
    example = kind.kind.example

    assert read_value(kind.kind.write_text(example), kind) == example


def test_json_list_is_written_as_json() -> None:
    assert P.JSON.kind.write_text(["a", 1]) == '["a", 1]'
    assert read_value('["a", 1]', P.JSON) == ["a", 1]
    assert read_value("a, 1", P.JSON) == "a, 1"
