"""Every type of parameters has all its parts; what the types share is in test_arguments."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from core.arguments import input_schema
from core.expression import compile_expression
from core.parameter_checks import check_parameters
from core.parameter_types.registry import PARAMETER_TYPES
from core.toolspec import ParameterSpec, ParameterType
from tests.examples import make_spec, read_example, read_value

ROOT = Path(__file__).parents[2]
EVERY_TYPE = pytest.mark.parametrize("declared", list(ParameterType))


@EVERY_TYPE
def test_example_is_a_value_of_the_type(declared: ParameterType) -> None:
    spec = make_spec(declared, example=declared.kind.example)

    check_parameters([spec])
    Draft202012Validator(input_schema([spec])).validate({"value": declared.kind.example})
    assert read_value(spec, declared.kind.example) is not None


@EVERY_TYPE
def test_typed_value_is_written_as_json_that_gives_it_again(declared: ParameterType) -> None:
    spec = make_spec(declared)
    value = read_value(spec, declared.kind.example)

    assert read_value(spec, declared.kind.to_json(value)) == value


@EVERY_TYPE
def test_expression_takes_the_value(declared: ParameterType) -> None:
    value = read_example(declared)

    result = compile_expression("[value]", ["value"]).evaluate({"value": value})

    assert len(result) == 1


@EVERY_TYPE
def test_other_value_is_refused_in_words_that_say_what_is_right(declared: ParameterType) -> None:
    spec = ParameterSpec(name="value", type=declared)

    problem = declared.kind.describe(spec, object(), set())

    assert str(problem) == f"{declared.kind.expected} (got a value of type object)"


@EVERY_TYPE
@pytest.mark.parametrize("language", ["ko", "ja"])
def test_label_and_expectation_are_translated(declared: ParameterType, language: str) -> None:
    with (ROOT / f"locale/{language}/LC_MESSAGES/django.po").open("rb") as file:
        catalog = read_po(file)

    for text in (declared.kind.label, declared.kind.expected):
        entry = catalog.get(text.template)
        assert entry is not None
        assert entry.string
        assert not entry.fuzzy


@EVERY_TYPE
def test_type_is_documented_and_its_icon_exists(declared: ParameterType) -> None:
    icons = (ROOT / "static/web/icons.svg").read_text()

    assert f"`{declared}`" in (ROOT / "docs/tools.md").read_text()
    assert f'id="{declared.kind.icon}"' in icons


def test_each_type_has_one_class_and_a_list_has_an_item() -> None:
    assert list(PARAMETER_TYPES) == list(ParameterType)
    assert {kind for kind in ParameterType if kind.is_list} == {
        ParameterType.STRING_LIST,
        ParameterType.NUMBER_LIST,
        ParameterType.INTEGER_LIST,
    }


@pytest.mark.parametrize(
    ("type_name", "value", "typed"),
    [
        pytest.param("JSON", {"a": [1, None]}, {"a": [1, None]}, id="object"),
        pytest.param("JSON", [], [], id="empty list"),
        pytest.param("JSON", {"a": "\\u0000"}, {"a": "\\u0000"}, id="backslash, no NUL"),
        pytest.param("UUID", "A" * 8 + "-B1c2" * 3 + "-" + "D" * 12, None, id="capitals"),
        pytest.param("DECIMAL", "12.50", Decimal("12.50"), id="text"),
        pytest.param("DECIMAL", 0.1, Decimal("0.1"), id="number as it is written"),
        pytest.param("DECIMAL", 7, Decimal(7), id="whole number"),
        pytest.param("DECIMAL", 10**60 - 1, Decimal(10**60 - 1), id="whole number of 60 digits"),
        pytest.param("DECIMAL", "-1e-30", Decimal("-1e-30"), id="exponent"),
    ],
)
def test_value_becomes_typed(type_name: str, value: Any, typed: object) -> None:
    found = read_value(make_spec(ParameterType(type_name)), value)

    assert found == (value.lower() if typed is None else typed)
    assert str(found) == (value.lower() if typed is None else str(typed))


@pytest.mark.parametrize(
    ("spec", "value", "expected"),
    [
        pytest.param(
            make_spec(ParameterType.JSON),
            "[1]",
            'must be a JSON object or a JSON list (got "[1]")',
            id="JSON as text",
        ),
        pytest.param(
            make_spec(ParameterType.JSON),
            ["a\x00"],
            "must have no NaN, no infinity, no NUL character and no lone surrogate",
            id="NUL",
        ),
        pytest.param(
            make_spec(ParameterType.JSON),
            {"a": float("nan")},
            "must have no NaN, no infinity, no NUL character and no lone surrogate",
            id="NaN",
        ),
        pytest.param(
            make_spec(ParameterType.JSON),
            {"a": "x" * 1_000_000},
            "must be at most 1,000,000 characters as JSON",
            id="long JSON",
        ),
        pytest.param(
            make_spec(ParameterType.UUID),
            "6f1c0c0e2d5b4b7e9a530f6d2c1e8b3a",
            "must be a UUID like 6f1c0c0e-2d5b-4b7e-9a53-0f6d2c1e8b3a"
            ' (got "6f1c0c0e2d5b4b7e9a530f6d2c1e8b3a")',
            id="no hyphens",
        ),
        pytest.param(
            make_spec(ParameterType.DECIMAL),
            True,
            "must be a decimal number like 12.50 (got true)",
            id="bool",
        ),
        pytest.param(
            make_spec(ParameterType.DECIMAL),
            "12,50",
            'must be a decimal number like 12.50 (got "12,50")',
            id="comma",
        ),
        pytest.param(
            make_spec(ParameterType.DECIMAL),
            10**100,
            "must have at most 60 digits before the point and as many after it, and an exponent"
            " of at most 999 (got a number of more than 38 digits)",
            id="too many digits",
        ),
        pytest.param(
            make_spec(ParameterType.DECIMAL),
            "1e-1000",
            "must have at most 60 digits before the point and as many after it, and an exponent"
            ' of at most 999 (got "1e-1000")',
            id="too large an exponent",
        ),
        pytest.param(
            make_spec(ParameterType.DECIMAL),
            float("inf"),
            "must be finite (got Infinity)",
            id="infinite",
        ),
        pytest.param(
            make_spec(ParameterType.DECIMAL, minimum=0.1),
            "0.09",
            'must be at least 0.1 (got "0.09")',
            id="below",
        ),
    ],
)
def test_wrong_value_is_refused_in_one_line(
    spec: ParameterSpec, value: object, expected: str
) -> None:
    with pytest.raises(Exception, match="Invalid arguments for tool:\n- value: ") as caught:
        read_value(spec, value)

    assert str(caught.value) == f"Invalid arguments for tool:\n- value: {expected}"


def test_json_of_too_many_levels_is_refused() -> None:
    nested: list[Any] = []
    for _ in range(40):
        nested = [nested]

    with pytest.raises(Exception, match=r": must have at most 40 levels$"):
        read_value(make_spec(ParameterType.JSON), nested)

    assert read_value(make_spec(ParameterType.JSON), nested[0]) == nested[0]


def test_json_value_is_a_copy() -> None:
    given = {"a": [1]}

    typed = read_value(make_spec(ParameterType.JSON), given)

    assert typed == given
    assert typed is not given
