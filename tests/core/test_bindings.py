"""Bound parameters: hidden from agents, given by the server, and never null in silence."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from core.arguments import arguments_validator, input_schema
from core.bindings import CallerFacts, is_claim_name
from core.errors import ArgumentsError, MissingFactError
from core.toolspec import Binding, ParameterSpec, ParameterType, Presence

FACTS = CallerFacts(
    key_id="Ab3dEf7h",
    owner="kim",
    claims={"tenant": "KR", "level": 3, "vip": True, "regions": ["KR", "JP"]},
)


def param(name: str = "value", type_name: str = "STRING", **settings: Any) -> ParameterSpec:
    return ParameterSpec(name=name, type=ParameterType(type_name), **settings)


def bound(
    name: str, binding: Binding, value: Any = None, type_name: str = "STRING", **settings: Any
) -> ParameterSpec:
    return param(name, type_name, binding=binding, bound_value=value, **settings)


def claim(name: str, type_name: str = "STRING", **settings: Any) -> ParameterSpec:
    return bound("tenant", Binding.CLAIM, name, type_name, **settings)


TENANT = claim("tenant")
OWNER = bound("who", Binding.KEY_OWNER)
SALES = [TENANT, param("since", "DATE"), param("limit", "INTEGER", maximum=100), OWNER]


def values(
    parameters: list[ParameterSpec], arguments: Mapping[str, object], facts: CallerFacts = FACTS
) -> dict[str, object]:
    return arguments_validator("sales", parameters)(arguments, facts)


def lack(parameters: list[ParameterSpec], facts: CallerFacts, **arguments: object) -> str:
    with pytest.raises(MissingFactError) as caught:
        values(parameters, arguments, facts)
    return str(caught.value)


def refusal(parameters: list[ParameterSpec], arguments: Mapping[str, object]) -> list[str]:
    with pytest.raises(ArgumentsError) as caught:
        values(parameters, arguments)
    return str(caught.value).split("\n")


def test_values_come_in_order_of_declaration() -> None:
    found = values(SALES, {"since": "2026-01-31", "limit": 5})

    assert list(found.items()) == [
        ("tenant", "KR"),
        ("since", date(2026, 1, 31)),
        ("limit", 5),
        ("who", "kim"),
    ]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param(OWNER, "kim", id="owner"),
        pytest.param(
            bound("who", Binding.KEY_OWNER, None, "ENUM", allowed_values=("kim", "lee")),
            "kim",
            id="owner of a list",
        ),
        pytest.param(bound("key", Binding.KEY_ID), "Ab3dEf7h", id="key id"),
        pytest.param(claim("tenant"), "KR", id="text claim"),
        pytest.param(claim("tenant", "ENUM", allowed_values=("KR", "US")), "KR", id="enum claim"),
        pytest.param(claim("level", "INTEGER", minimum=1), 3, id="number claim"),
        pytest.param(claim("vip", "BOOLEAN"), True, id="bool claim"),
        pytest.param(claim("regions", "STRING_LIST"), ["KR", "JP"], id="list claim"),
        pytest.param(bound("a", Binding.FIXED, "KR"), "KR", id="fixed text"),
        pytest.param(bound("a", Binding.FIXED, 0, "NUMBER"), 0, id="fixed zero"),
        pytest.param(bound("a", Binding.FIXED, False, "BOOLEAN"), False, id="fixed false"),
        pytest.param(
            bound("a", Binding.FIXED, "2026-01-31", "DATE"), date(2026, 1, 31), id="fixed date"
        ),
        pytest.param(bound("a", Binding.FIXED, [1], "INTEGER_LIST"), [1], id="fixed list"),
    ],
)
def test_bound_value_is_typed_like_an_argument(spec: ParameterSpec, expected: object) -> None:
    found = values([spec], {})

    assert found == {spec.name: expected}
    assert type(found[spec.name]) is type(expected)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(bound("a", Binding.FIXED, ["KR"], "STRING_LIST"), id="fixed"),
        pytest.param(bound("a", Binding.CLAIM, "regions", "STRING_LIST"), id="claim"),
    ],
)
def test_a_changed_list_does_not_reach_the_next_call(spec: ParameterSpec) -> None:
    validate = arguments_validator("sales", [spec])
    first = validate({}, FACTS)["a"]
    assert isinstance(first, list)
    before = list(first)

    first.clear()

    assert validate({}, FACTS)["a"] == before


@pytest.mark.parametrize(
    "sent", ["KR", "US", None], ids=["the right value", "another value", "null"]
)
def test_value_sent_for_a_bound_parameter_is_refused_by_name(sent: object) -> None:
    assert refusal([TENANT], {"tenant": sent}) == [
        "Invalid arguments for sales:",
        "- tenant: is set by the server; leave it out",
    ]


def test_bound_names_stand_with_the_other_faults_of_the_call() -> None:
    assert refusal(SALES, {"who": "lee", "tenant": "US", "limit": 500, "tenants": 1}) == [
        "Invalid arguments for sales:",
        "- tenant: is set by the server; leave it out",
        "- since: required",
        "- limit: must be at most 100 (got 500)",
        "- who: is set by the server; leave it out",
        "- tenants: unknown; this tool takes since, limit",
    ]


def test_unknown_names_are_not_led_to_bound_ones() -> None:
    assert refusal([TENANT], {"tenan": 1}) == [
        "Invalid arguments for sales:",
        "- tenan: unknown; this tool takes no arguments",
    ]


@pytest.mark.parametrize(
    ("parameters", "facts", "expected"),
    [
        pytest.param(
            [TENANT],
            CallerFacts(key_id="Ab3dEf7h"),
            "sales needs the claim 'tenant', which your API key does not have;"
            " ask your administrator",
            id="no claim",
        ),
        pytest.param(
            [TENANT],
            CallerFacts(key_id="Ab3dEf7h", claims={"tenant": None}),
            "sales needs the claim 'tenant', which your API key does not have;"
            " ask your administrator",
            id="null claim",
        ),
        pytest.param(
            [TENANT, OWNER, bound("also", Binding.CLAIM, "tenant")],
            CallerFacts(key_id="Ab3dEf7h"),
            "sales needs the claim 'tenant' and an owner, which your API key does not have;"
            " ask your administrator",
            id="several",
        ),
        pytest.param(
            [TENANT, bound("key", Binding.KEY_ID)],
            CallerFacts(),
            "sales needs an API key with the claim 'tenant', and this call was made without a key;"
            " ask your administrator",
            id="no key, claim",
        ),
        pytest.param(
            [bound("key", Binding.KEY_ID)],
            CallerFacts(),
            "sales needs an API key, and this call was made without a key; ask your administrator",
            id="no key",
        ),
    ],
)
def test_caller_without_the_fact_is_refused(
    parameters: list[ParameterSpec], facts: CallerFacts, expected: str
) -> None:
    assert lack(parameters, facts) == expected


def test_missing_fact_is_said_before_faults_of_the_arguments() -> None:
    assert "needs the claim 'tenant'" in lack(SALES, CallerFacts(key_id="Ab3dEf7h"), tenant="KR")


@pytest.mark.parametrize(
    ("value", "spec"),
    [
        pytest.param("DE", claim("tenant", "ENUM", allowed_values=("KR", "US")), id="enum"),
        pytest.param(9, claim("tenant", "INTEGER", maximum=5), id="bound"),
        pytest.param("DE-1", claim("tenant", pattern="^[A-Z]+$"), id="pattern"),
        pytest.param(7, claim("tenant"), id="number for a text"),
        pytest.param(["DE"], claim("tenant"), id="list for a text"),
        pytest.param({"a": 1}, claim("tenant"), id="object"),
    ],
)
def test_claim_that_does_not_fit_is_refused_without_its_value(
    value: object, spec: ParameterSpec
) -> None:
    facts = CallerFacts(key_id="Ab3dEf7h", claims={"tenant": value})

    assert lack([spec, param("since", "DATE")], facts) == (
        "sales does not accept the claim 'tenant' of your API key; ask your administrator"
    )


def test_owner_that_is_not_allowed_is_refused() -> None:
    spec = bound("who", Binding.KEY_OWNER, None, "ENUM", allowed_values=("lee",))

    assert lack([spec], FACTS) == (
        "sales does not accept the owner of your API key; ask your administrator"
    )


def test_claim_of_a_token_that_does_not_fit_is_not_said_to_be_of_a_key() -> None:
    facts = CallerFacts(issuer="corp", claims={"tenant": "DE"})

    assert lack([claim("tenant", "ENUM", allowed_values=("KR", "US"))], facts) == (
        "sales does not accept the claim 'tenant' of your access token; ask your administrator"
    )


def test_facts_do_nothing_to_a_tool_without_bound_parameters() -> None:
    spec = param("tenant", presence=Presence.OPTIONAL_NULL)

    assert values([spec], {}) == {"tenant": None}
    assert values([spec], {"tenant": "US"}) == {"tenant": "US"}


def test_schema_hides_bound_parameters() -> None:
    schema = input_schema(SALES)

    assert list(schema["properties"]) == ["since", "limit"]
    assert schema["required"] == ["since", "limit"]


def test_schema_of_bound_parameters_alone_is_empty() -> None:
    assert input_schema([TENANT, OWNER]) == input_schema([])


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        pytest.param("tenant", True, id="word"),
        pytest.param("지점", True, id="Korean"),
        pytest.param("https://example.com/tenant", True, id="address"),
        pytest.param("a" * 100, True, id="longest"),
        pytest.param("a" * 101, False, id="too long"),
        pytest.param("", False, id="empty"),
        pytest.param(" tenant", False, id="blank before"),
        pytest.param("ten\u202eant", False, id="hidden mark"),
        pytest.param("a\x00", False, id="NUL"),
        pytest.param(5, False, id="number"),
        pytest.param(None, False, id="nothing"),
    ],
)
def test_claim_name_is_visible_text(name: object, is_one: bool) -> None:
    assert is_claim_name(name) is is_one
