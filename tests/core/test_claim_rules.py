"""Rules on claims: what fits, what it grants, and which facts come of it."""

from typing import Any

import pytest

from core.claim_rules import ClaimRule, ClaimTest, apply_rules, find_claim
from core.grants import NOTHING, Grant

CLAIMS: dict[str, Any] = {
    "sub": "alice",
    "scope": "tools:read openid",
    "groups": ["sales", "hr"],
    "group": "영업 1팀",
    "level": 3,
    "is_admin": True,
    "realm_access": {"roles": ["analyst"]},
    "https://example.org/tenant": "KR",
    "team": ["ops[eu]", "opse"],
    "odd": {"a": 1},
    "long": "x" * 2_000,
}


def rule(claim: str, test: str, value: str, **more: Any) -> ClaimRule:
    return ClaimRule(id=1, claim=claim, test=ClaimTest(test), value=value, **more)


@pytest.mark.parametrize(
    ("claim", "test", "value", "fits"),
    [
        ("sub", "equals", "alice", True),
        ("sub", "equals", "Alice", False),
        ("level", "equals", "3", True),
        ("is_admin", "equals", "true", True),
        ("groups", "equals", "sales", True),
        ("groups", "contains", "sales", True),
        ("groups", "contains", "sale", False),
        ("scope", "contains", "tools:read", True),
        ("scope", "contains", "tools", False),
        ("group", "contains", "영업 1팀", True),
        ("group", "contains", "영업", True),
        ("scope", "equals", "tools:read", False),
        ("realm_access.roles", "contains", "analyst", True),
        ("https://example.org/tenant", "equals", "KR", True),
        ("sub", "matches", "al*", True),
        ("groups", "matches", "h?", True),
        ("sub", "matches", "a", False),
        ("sub", "matches", "[a]lice", False),
        ("team", "matches", "ops[e*]", True),
        ("team", "matches", "op?[abc]", False),
        ("none", "matches", "*", False),
        ("odd", "matches", "*", False),
        ("none", "equals", "None", False),
    ],
)
def test_rule_fits_the_claims_it_describes(claim: str, test: str, value: str, fits: bool) -> None:
    assert rule(claim, test, value).fits(CLAIMS) is fits


def test_without_a_fitting_rule_there_is_nothing() -> None:
    rights = apply_rules([rule("groups", "contains", "it", grant=Grant())], CLAIMS)

    assert (rights.rules, rights.grant, dict(rights.facts)) == ((), NOTHING, {})


def test_what_fitting_rules_grant_adds_up() -> None:
    sales = Grant(tools=frozenset({"a"}), toolsets=frozenset({"s"}), sources=frozenset())
    staff = Grant(tools=frozenset({"b"}), groups=frozenset({"search"}), sources=None)
    rules = [
        rule("groups", "contains", "sales", grant=sales, people_groups=frozenset({"x"})),
        rule("groups", "contains", "hr", grant=staff),
    ]

    rights = apply_rules(rules, CLAIMS)

    assert rights.grant == Grant(
        tools=frozenset({"a", "b"}),
        toolsets=frozenset({"s"}),
        groups=frozenset({"search"}),
        sources=None,
    )
    assert rights.people_groups == {"x"}


def test_facts_are_copied_under_their_names_if_parameters_may_have_them() -> None:
    bound = (
        *(("tenant", "https://example.org/tenant"), ("level", "level"), ("teams", "groups")),
        *(("odd", "odd"), ("long", "long"), ("none", "none")),
    )

    facts = apply_rules([rule("sub", "matches", "*", bound=bound)], CLAIMS).facts

    assert facts == {"tenant": "KR", "level": 3, "teams": ["sales", "hr"]}


def test_claim_is_found_by_its_whole_name_before_a_path() -> None:
    assert find_claim({"a.b": 1, "a": {"b": 2}}, "a.b") == 1
    assert find_claim({"a": {"b.c": {"d": 3}}}, "a.b.c.d") == 3
