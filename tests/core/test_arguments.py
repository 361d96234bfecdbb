"""Arguments of a call: the typed values, and the words of a refusal."""

import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.arguments import arguments_validator
from core.errors import ArgumentsError
from core.parameter_checks import check_parameters
from core.toolspec import ParameterSpec, ParameterType, Presence


def param(name: str = "value", type_name: str = "STRING", **settings: Any) -> ParameterSpec:
    return ParameterSpec(name=name, type=ParameterType(type_name), **settings)


def optional(name: str, type_name: str, **settings: Any) -> ParameterSpec:
    return param(name, type_name, presence=Presence.OPTIONAL_NULL, **settings)


def with_default(default: Any, type_name: str = "STRING", **settings: Any) -> ParameterSpec:
    return param(
        type_name=type_name, presence=Presence.OPTIONAL_DEFAULT, default=default, **settings
    )


def read(spec: ParameterSpec, value: object) -> object:
    return arguments_validator("tool", [spec])({spec.name: value})[spec.name]


def refusal(parameters: list[ParameterSpec], arguments: Mapping[str, object]) -> str:
    with pytest.raises(ArgumentsError) as caught:
        arguments_validator("sales_by_region", parameters)(arguments)
    return str(caught.value)


def problem(spec: ParameterSpec, value: object) -> str:
    """The one line on the one field, without the heading."""
    heading, line = refusal([spec], {spec.name: value}).split("\n")
    assert heading == "Invalid arguments for sales_by_region:"
    return line


SALES = [
    param("region", "ENUM", allowed_values=("KR", "US", "JP"), description="지역"),
    param("since", "DATE", minimum="2020-01-01", description="First day."),
    optional("amount", "NUMBER", example=9.5),
    param("limit", "INTEGER", maximum=100, presence=Presence.OPTIONAL_DEFAULT, default=10),
]


@pytest.mark.parametrize(
    ("type_name", "value", "expected"),
    [
        pytest.param("STRING", "서울", "서울", id="text"),
        pytest.param("NUMBER", 5, 5, id="whole number stays int"),
        pytest.param("NUMBER", 5.5, 5.5, id="fraction"),
        pytest.param("NUMBER", 5.0, 5.0, id="float stays float"),
        pytest.param("NUMBER", "5", 5, id="number as text"),
        pytest.param("NUMBER", "-1.5e2", -150.0, id="exponent as text"),
        pytest.param("INTEGER", 5.0, 5, id="whole float"),
        pytest.param("INTEGER", "5.0", 5, id="whole float as text"),
        pytest.param("INTEGER", -(2**63), -(2**63), id="lowest of 64 bits"),
        pytest.param("BOOLEAN", False, False, id="bool"),
        pytest.param("BOOLEAN", "True", True, id="bool as text"),
        pytest.param("DATE", "2026-01-31", date(2026, 1, 31), id="date"),
        pytest.param("STRING_LIST", ["a", "b"], ["a", "b"], id="texts"),
        pytest.param("NUMBER_LIST", [1, "2", 3.5], [1, 2, 3.5], id="numbers"),
        pytest.param("INTEGER_LIST", [], [], id="empty list"),
    ],
)
def test_value_becomes_typed(type_name: str, value: object, expected: object) -> None:
    typed = read(param(type_name=type_name), value)

    assert typed == expected
    assert type(typed) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("2026-01-31T09:30:00Z", datetime(2026, 1, 31, 9, 30, tzinfo=UTC), id="UTC"),
        pytest.param("2026-01-31T09:30", datetime(2026, 1, 31, 9, 30, tzinfo=UTC), id="no offset"),
        pytest.param(
            "2026-01-31 09:30:00+09:00",
            datetime(2026, 1, 31, 9, 30, tzinfo=timezone(timedelta(hours=9))),
            id="offset",
        ),
    ],
)
def test_datetime_is_always_aware(text: str, expected: datetime) -> None:
    moment = read(param(type_name="DATETIME"), text)

    assert isinstance(moment, datetime)
    assert moment == expected
    assert moment.utcoffset() == expected.utcoffset()


@pytest.mark.parametrize(
    ("spec", "value", "expected"),
    [
        pytest.param(param(type_name="NUMBER"), True, "must be a number (got true)", id="bool"),
        pytest.param(
            param(type_name="INTEGER"), False, "must be a whole number (got false)", id="int bool"
        ),
        pytest.param(
            param(type_name="NUMBER"), math.nan, "must be finite (got NaN)", id="not a number"
        ),
        pytest.param(
            param(type_name="NUMBER"), -math.inf, "must be finite (got -Infinity)", id="infinite"
        ),
        pytest.param(
            param(type_name="NUMBER"), "NaN", 'must be a number (got "NaN")', id="NaN as text"
        ),
        pytest.param(
            param(type_name="NUMBER"), "1e999", 'must be finite (got "1e999")', id="huge as text"
        ),
        pytest.param(
            param(type_name="NUMBER"),
            2**63,
            "must be at most 9223372036854775807 (got 9223372036854775808)",
            id="number over 64 bits",
        ),
        pytest.param(
            param(type_name="INTEGER"),
            -(10**5_000),
            "must be at least -9223372036854775808 (got a number of more than 38 digits)",
            id="thousands of digits",
        ),
        pytest.param(
            param(type_name="INTEGER"),
            1e19,
            "must be at most 9223372036854775807 (got 1e+19)",
            id="whole float over 64 bits",
        ),
        pytest.param(
            param(type_name="INTEGER", minimum=-5),
            -1e300,
            "must be at least -5 (got -1e+300)",
            id="whole float far below",
        ),
        pytest.param(
            param(type_name="INTEGER"), 5.5, "must be a whole number (got 5.5)", id="fraction"
        ),
        pytest.param(
            param(type_name="INTEGER", maximum=100),
            5_000,
            "must be at most 100 (got 5000)",
            id="above",
        ),
        pytest.param(
            param(type_name="NUMBER", minimum=0.5),
            "0",
            'must be at least 0.5 (got "0")',
            id="below",
        ),
        pytest.param(
            param(type_name="DATE"),
            "31/01/2026",
            'must be a date like 2026-01-31 (got "31/01/2026")',
            id="date of another form",
        ),
        pytest.param(
            param(type_name="DATE"),
            "2026-02-30",
            'must be a date like 2026-01-31 (got "2026-02-30")',
            id="date that is none",
        ),
        pytest.param(
            param(type_name="DATE"),
            1_700_000_000,
            "must be a date like 2026-01-31 (got 1700000000)",
            id="date as seconds",
        ),
        pytest.param(
            param(type_name="DATE", maximum="2026-01-31"),
            "2026-02-01",
            'must be at most 2026-01-31 (got "2026-02-01")',
            id="date after the last",
        ),
        pytest.param(
            param(type_name="DATETIME"),
            "2026-01-31",
            'must be a date and time like 2026-01-31T09:30:00Z (got "2026-01-31")',
            id="date for a moment",
        ),
        pytest.param(
            param(type_name="BOOLEAN"), 1, "must be true or false (got 1)", id="1 is no bool"
        ),
        pytest.param(
            param(type_name="BOOLEAN"), "yes", 'must be true or false (got "yes")', id="yes"
        ),
        pytest.param(param(), 5, "must be text (got 5)", id="number for text"),
        pytest.param(param(), None, "must not be null", id="null"),
        pytest.param(param(), {"a": 1}, "must be text (got an object)", id="object"),
        pytest.param(
            param(), "a\x00b", r'must not contain the NUL character (got "a\u0000b")', id="NUL"
        ),
        pytest.param(
            param(),
            "\ud800",
            r'must be valid Unicode text without lone surrogates (got "\ud800")',
            id="lone surrogate",
        ),
        pytest.param(
            param(pattern="^[A-Z]{2}$"),
            "kr",
            'must match the pattern ^[A-Z]{2}$ (got "kr")',
            id="pattern",
        ),
        pytest.param(
            param(pattern="^a+$"),
            "a" * 10_001,
            "must be at most 10000 characters (got 10001)",
            id="long text for a pattern",
        ),
        pytest.param(
            param(type_name="ENUM", allowed_values=("KR", "US")),
            "\ud800",
            r'must be one of KR, US (got "\ud800")',
            id="enum",
        ),
        pytest.param(
            param(type_name="ENUM", allowed_values=("KR", 'say "hi"', "", "a, b", " c", "d\ne")),
            "x",
            r'must be one of KR, "say \"hi\"", "", "a, b", " c", "d\u000ae" (got "x")',
            id="enum of odd values",
        ),
        pytest.param(
            param(type_name="INTEGER", allowed_values=(1, 2)),
            3,
            "must be one of 1, 2 (got 3)",
            id="number that is not allowed",
        ),
        pytest.param(
            param(type_name="NUMBER_LIST"),
            "1,2",
            'must be a list of numbers (got "1,2")',
            id="text for a list",
        ),
        pytest.param(
            param(type_name="INTEGER_LIST"),
            [1] * 10_001,
            "must have at most 10000 items (got 10001)",
            id="long list",
        ),
    ],
)
def test_wrong_value_is_refused_in_words(spec: ParameterSpec, value: object, expected: str) -> None:
    assert problem(spec, value) == f"- value: {expected}"


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param([1, True], "- value[1]: must be a number (got true)", id="bool"),
        pytest.param([1, 2, None], "- value[2]: must not be null", id="null"),
        pytest.param(["a"] * 5_000, '- value[0]: must be a number (got "a")', id="all"),
        pytest.param([1, 10], "- value[1]: must be at most 9 (got 10)", id="bound"),
    ],
)
def test_wrong_item_is_named_by_its_place(items: list[object], expected: str) -> None:
    assert problem(param(type_name="NUMBER_LIST", maximum=9), items) == expected


def test_all_fields_are_named_in_order_then_the_unknown_ones() -> None:
    text = refusal(SALES, {"regoin": "KR", "limit": 5_000, "amount": True, "zzz": 1})

    assert text.split("\n") == [
        "Invalid arguments for sales_by_region:",
        "- region: required",
        "- since: required",
        "- amount: must be a number (got true)",
        "- limit: must be at most 100 (got 5000)",
        "- regoin: unknown; did you mean region?",
        "- zzz: unknown; this tool takes region, since, amount, limit",
    ]


def test_unknown_name_alone_is_refused() -> None:
    assert refusal([], {"bogus": 1}).endswith("- bogus: unknown; this tool takes no arguments")


def test_many_unknown_names_are_counted_not_listed() -> None:
    text = refusal(SALES, {f"k{number}": 1 for number in range(100_000)})

    assert len(text.split("\n")) == 22
    assert text.endswith("\nand 99,982 more")


def test_long_value_is_not_echoed() -> None:
    text = refusal([param()], {"value": "x" * 5_000_000})

    assert text.endswith("- value: must be at most 1000000 characters (got 5000000)")


def test_echo_is_short_and_on_one_line() -> None:
    text = problem(param(type_name="DATE"), 'a"\n\u202eb' + "x" * 200)

    assert text.startswith(r'- value: must be a date like 2026-01-31 (got "a\"\u000a\u202ebxxx')
    assert text.endswith('x…")')
    assert len(text) < 140


def test_absent_optional_is_none_or_its_default() -> None:
    spec = with_default("2026-01-31", "DATE")
    values = arguments_validator("tool", [optional("amount", "NUMBER"), spec])({})

    assert values == {"amount": None, "value": date(2026, 1, 31)}


def test_default_list_is_fresh_in_each_call() -> None:
    validate = arguments_validator("tool", [with_default(["a"], "STRING_LIST")])

    validate({})["value"].append("b")  # type: ignore[attr-defined]

    assert validate({}) == {"value": ["a"]}


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(optional("value", "INTEGER"), id="optional"),
        pytest.param(param(type_name="DATE", nullable=True), id="nullable"),
        pytest.param(with_default(5, "INTEGER", nullable=True), id="default and nullable"),
    ],
)
def test_explicit_null_is_kept_where_it_is_accepted(spec: ParameterSpec) -> None:
    assert read(spec, None) is None


def test_allowed_number_comes_back_as_declared() -> None:
    spec = param(type_name="NUMBER", allowed_values=(5, 7.5))

    typed = read(spec, 5.0)

    assert type(typed) is int


@pytest.mark.parametrize(
    "name",
    ["from", "class", "self", "model_config", "schema", "_x", "__init__", "지역", "売上", "p0"],
)
def test_any_identifier_works_as_a_name(name: str) -> None:
    spec = param(name)
    check_parameters([spec])

    assert arguments_validator("tool", [spec])({name: "a"}) == {name: "a"}
    assert refusal([spec], {}).endswith(f"- {name}: required")


def test_first_calls_of_many_threads_agree() -> None:
    validate = arguments_validator("tool", SALES)
    call = {"region": "KR", "since": "2026-01-31"}

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: validate(call), range(64)))

    assert all(answer == answers[0] for answer in answers)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(codec=None, categories=None), max_size=80)
    | st.sampled_from(["2026-01-31", "5", "true", "KR", "2026-01-31T00:00:00+25:00", "9" * 70]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@settings(max_examples=300, deadline=None)
@given(arguments=st.dictionaries(st.sampled_from([*ParameterType, "other"]), JSON_VALUES))
def test_any_json_gives_values_or_one_line_per_field(arguments: dict[str, object]) -> None:
    specs = [
        optional(kind, kind, allowed_values=("KR",) if kind == "ENUM" else ())
        for kind in ParameterType
    ]
    validate = arguments_validator("tool", specs)

    try:
        values = validate(arguments)
    except ArgumentsError as error:
        lines = str(error).splitlines()
        assert lines[0] == "Invalid arguments for tool:"
        assert all(line.startswith("- ") and line.isprintable() for line in lines[1:])
        assert len(lines) <= len(arguments) + 1
    else:
        assert list(values) == [spec.name for spec in specs]
