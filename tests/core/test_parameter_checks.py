"""Declared parameters: which can be served, and the words for those that cannot."""

import math
from typing import Any

import pytest

from core.errors import DefinitionError
from core.parameter_checks import check_parameters
from core.toolspec import Binding, ParameterSpec, ParameterType, Presence


def param(name: str = "value", type_name: str = "STRING", **settings: Any) -> ParameterSpec:
    return ParameterSpec(name=name, type=ParameterType(type_name), **settings)


def with_default(default: Any, type_name: str = "STRING", **settings: Any) -> ParameterSpec:
    return param(
        type_name=type_name, presence=Presence.OPTIONAL_DEFAULT, default=default, **settings
    )


def bound(
    binding: str, value: Any = None, *, name: str = "value", type_name: str = "STRING", **more: Any
) -> ParameterSpec:
    return param(name, type_name, binding=Binding(binding), bound_value=value, **more)


@pytest.mark.parametrize(
    "parameters",
    [
        pytest.param([], id="none"),
        pytest.param([param(type_name="ENUM", allowed_values=("KR", "US"))], id="enum"),
        pytest.param([with_default(None, nullable=True)], id="null default of a nullable"),
        pytest.param([with_default(["a"], "STRING_LIST", pattern="^[a-z]$")], id="list default"),
        pytest.param([param(type_name="NUMBER", minimum=0, maximum=0)], id="one value in range"),
        pytest.param([param(description="한국어\r\n\tsecond line")], id="line ends"),
        pytest.param([param(pattern=r"^(?:\d{1,3}\.){3}\d{1,3}$")], id="address pattern"),
        pytest.param([param("Region"), param("region")], id="case tells names apart"),
        pytest.param([bound("KEY_OWNER"), bound("KEY_ID", name="key")], id="owner and key"),
        pytest.param(
            [bound("KEY_OWNER", type_name="ENUM", allowed_values=("kim",))], id="owner as an enum"
        ),
        pytest.param([bound("CLAIM", "tenant", type_name="INTEGER", minimum=1)], id="claim"),
        pytest.param([bound("FIXED", 0, type_name="NUMBER")], id="fixed zero"),
        pytest.param([bound("FIXED", False, type_name="BOOLEAN")], id="fixed false"),
        pytest.param([bound("FIXED", ["a"], type_name="STRING_LIST")], id="fixed list"),
        pytest.param([bound("FIXED", "2026-01-31", type_name="DATE")], id="fixed date"),
    ],
)
def test_good_declaration_passes(parameters: list[ParameterSpec]) -> None:
    check_parameters(parameters)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param(
            param("a-b"), 'parameter "a-b": the name must be letters, digits', id="hyphen"
        ),
        pytest.param(param("1a"), "and not begin with a digit", id="digit first"),
        pytest.param(param(""), 'parameter "": the name must be', id="empty name"),
        pytest.param(param("a" * 65), "the name must be at most 64 characters", id="long name"),
        pytest.param(
            param("\u110c\u1175"), "must be in Unicode's composed form: 지", id="decomposed"
        ),
        pytest.param(param(type_name="ENUM"), "ENUM needs allowed values", id="enum"),
        pytest.param(
            param(type_name="ENUM", allowed_values=(1,)),
            "the allowed value 1 must be text (got 1)",
            id="number in an enum",
        ),
        pytest.param(
            param(type_name="ENUM", allowed_values=("a", "a")), "listed twice", id="listed twice"
        ),
        pytest.param(
            param(type_name="BOOLEAN", allowed_values=("a",)),
            "BOOLEAN takes no allowed values",
            id="allowed values of a bool",
        ),
        pytest.param(
            with_default("XX", "ENUM", allowed_values=("KR",)),
            'the default must be one of KR (got "XX")',
            id="default outside the enum",
        ),
        pytest.param(
            with_default(500, "INTEGER", maximum=100),
            "the default must be at most 100 (got 500)",
            id="default out of range",
        ),
        pytest.param(
            with_default("5", "INTEGER"),
            'the default must be a whole number (got "5")',
            id="default as text",
        ),
        pytest.param(
            with_default(None), "the default is null, which the parameter does not", id="null"
        ),
        pytest.param(
            param(type_name="DATE", example="soon"),
            'the example must be a date like 2026-01-31 (got "soon")',
            id="example",
        ),
        pytest.param(
            param(type_name="NUMBER", minimum=2, maximum=1),
            "the minimum 2 is above the maximum 1",
            id="order",
        ),
        pytest.param(
            param(type_name="DATE", minimum="2026-02-01", maximum="2026-01-01"),
            "the minimum 2026-02-01 is above the maximum 2026-01-01",
            id="order of dates",
        ),
        pytest.param(
            param(type_name="DATE", minimum=5),
            "the minimum must be a date like 2026-01-31 (got 5)",
            id="bound of the wrong type",
        ),
        pytest.param(
            param(type_name="NUMBER", maximum=math.nan),
            "the maximum must be finite (got NaN)",
            id="NaN bound",
        ),
        pytest.param(
            param(type_name="INTEGER", minimum=2.5),
            "the minimum must be a whole number (got 2.5)",
            id="fraction as bound",
        ),
        pytest.param(param(minimum=1), "STRING takes no minimum or maximum", id="text bound"),
        pytest.param(
            param(type_name="NUMBER", pattern="a"), "NUMBER takes no pattern", id="pattern type"
        ),
        pytest.param(param(pattern="("), "the pattern does not compile", id="broken pattern"),
        pytest.param(
            param(pattern="(?=a)"), "must be one that JavaScript knows too", id="look-around"
        ),
        pytest.param(
            param(pattern="(a{0,100}){0,900}b"), "the pattern repeats too much", id="repeats"
        ),
        pytest.param(
            param(pattern=r"\w{999}"), "the pattern does not compile", id="pattern too large"
        ),
        pytest.param(param(pattern="a" * 201), "at most 200 characters", id="long pattern"),
        pytest.param(param(description="a" * 2_001), "at most 2000 characters", id="long text"),
        pytest.param(
            param(description="a\u202eb"), r"the invisible character \u202e; remove it", id="bidi"
        ),
        pytest.param(
            param(description="a\x1bb"), r"the invisible character \u001b", id="control character"
        ),
        pytest.param(
            bound("FIXED"), "FIXED needs a bound value, as in 5", id="fixed without a value"
        ),
        pytest.param(
            bound("FIXED", "5", type_name="INTEGER"),
            'the bound value must be a whole number (got "5")',
            id="fixed of another type",
        ),
        pytest.param(
            bound("FIXED", "DE", type_name="ENUM", allowed_values=("KR", "US")),
            'the bound value must be one of KR, US (got "DE")',
            id="fixed outside the enum",
        ),
        pytest.param(
            bound("FIXED", "a\u202eb"),
            r"the bound value has the invisible character",
            id="fixed bidi",
        ),
        pytest.param(bound("CLAIM"), 'such as "tenant" (got null)', id="claim without a name"),
        pytest.param(bound("CLAIM", 5), 'such as "tenant" (got 5)', id="claim by number"),
        pytest.param(
            bound("CLAIM", " tenant"), "CLAIM needs the claim's name", id="claim name with a blank"
        ),
        pytest.param(
            bound("KEY_OWNER", "kim"),
            "KEY_OWNER takes no bound value; only FIXED and CLAIM read one",
            id="owner with a value",
        ),
        pytest.param(
            param(bound_value="kim"), "AGENT takes no bound value", id="agent with a value"
        ),
        pytest.param(
            bound("KEY_ID", type_name="INTEGER"),
            "KEY_ID gives text; make the type STRING or ENUM",
            id="key id as a number",
        ),
        pytest.param(
            bound("KEY_OWNER", presence=Presence.OPTIONAL_NULL),
            "KEY_OWNER always gives a value; make the parameter required, not nullable",
            id="optional owner",
        ),
        pytest.param(
            bound("CLAIM", "tenant", presence=Presence.OPTIONAL_DEFAULT, default="KR"),
            "CLAIM always gives a value",
            id="claim with a default",
        ),
        pytest.param(
            bound("CLAIM", "tenant", nullable=True), "CLAIM always gives a value", id="null claim"
        ),
        pytest.param(
            bound("FIXED", "a", example="b"), "FIXED takes no example", id="fixed with an example"
        ),
    ],
)
def test_wrong_declaration_is_refused_by_name(spec: ParameterSpec, expected: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        check_parameters([spec])

    assert expected in str(caught.value)
    assert str(caught.value).startswith("parameter ")


def test_name_declared_twice_is_refused() -> None:
    with pytest.raises(DefinitionError, match="parameter a: the name is declared twice"):
        check_parameters([param("a"), param("a", "NUMBER")])
