"""Rules of who a caller is to a database, as people write them."""

import pytest

from core.errors import DefinitionError
from core.identity import CallerIdentity, read_identity


def test_rules_are_read_line_by_line() -> None:
    rules = read_identity(
        " app.tenant = claim:tenant of mine\n\napp.v2.who=owner\r\nrole = claim:a of b of kr, jp$1"
    )

    assert rules == CallerIdentity(
        settings=(("app.tenant", "claim:tenant of mine"), ("app.v2.who", "owner")),
        role="claim:a of b",
        roles=("kr", "jp$1"),
    )
    assert not read_identity(" \n")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tenant = owner", "a setting with a prefix"),
        ("search_path = owner", "a setting with a prefix"),
        ("plpgsql.extra_errors = owner", "a setting with a prefix"),
        ("pg_stat_statements.track = owner", "a setting with a prefix"),
        ("app.a; b = owner", "a setting with a prefix"),
        ("app.tenant", "a setting with a prefix"),
        ("role", "a setting with a prefix"),
        ("app.tenant = tenant", "write owner, key_id or claim:NAME"),
        ("app.tenant = claim:", "write owner, key_id or claim:NAME"),
        ("role = owner", "write owner, key_id or claim:NAME"),
        ("app.a = owner\napp.a = key_id", "each setting once"),
        ("role = owner of kr\nrole = owner of jp", "each setting once"),
        ("role = owner of none", "cannot be a role"),
        ("role = owner of a b", "cannot be a role"),
        ("role = owner of kr,", "cannot be a role"),
    ],
)
def test_what_is_no_rule_is_refused(text: str, told: str) -> None:
    with pytest.raises(DefinitionError, match=told):
        read_identity(text)
