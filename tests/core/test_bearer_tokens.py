"""What an issuer says of an opaque token: to whom it is shown, and when it is good."""

import pytest

from core.bearer_tokens import Introspection, Issuer, accept_introspection, choose_introspecting
from core.errors import TokenRefusedError

HERE = "https://tools.example.org/mcp"
NOW = 1_000_000.0
GOOD = {
    "active": True,
    "token_type": "Bearer",
    "sub": "alice",
    "aud": HERE,
    "exp": NOW + 5,
}


def issuer(number: int, prefix: str | None = None) -> Issuer:
    url = f"https://issuer{number}.example.org"
    asked = prefix is not None and Introspection(
        url=f"{url}/introspect", client_id="tools", secret="x", prefix=prefix
    )
    return Issuer(id=number, name=f"i{number}", url=url, introspection=asked or None)


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("ory_at_abc", 3),
        ("abc.def", 2),
        ("mcp_mistyped", None),
        ("two words", None),
        ("a" * 40_000, None),
    ],
)
def test_token_is_shown_to_the_one_issuer_whose_prefix_it_has(
    token: str, expected: int | None
) -> None:
    issuers = (issuer(1), issuer(2, ""), issuer(3, "ory_at_"), issuer(4, ""))

    found = choose_introspecting(issuers, token)

    assert (found and found.id) == expected


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"active": False}, "does not know this token"),
        ({"active": "true"}, "does not know this token"),
        ({"token_type": None}, "no access token"),
        ({"token_type": "DPoP"}, "no access token"),
        ({"token_use": "refresh_token"}, "no access token"),
        ({"typ": "Refresh"}, "no access token"),
        ({"iss": "https://else.example.org"}, "not registered here"),
        ({"aud": "https://else.example.org"}, "another audience"),
        ({"exp": None}, "does not say when it expires"),
        ({"exp": 10**400}, "does not say when it expires"),
        ({"exp": NOW - 60}, "expired"),
        ({"cnf": {"jkt": "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"}}, "bound to a key"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_answer_that_is_not_of_a_good_access_token_is_refused(
    changes: dict[str, object], words: str
) -> None:
    with pytest.raises(TokenRefusedError, match=words):
        accept_introspection(issuer(1, ""), GOOD | changes, {HERE}, NOW)


def test_good_one_is_kept_no_longer_than_it_lasts() -> None:
    token = accept_introspection(issuer(1, ""), GOOD, {HERE}, NOW)

    assert (token.person, token.expires_at) == ("i1:alice", NOW + 5)
