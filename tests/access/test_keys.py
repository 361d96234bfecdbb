"""Keys are found by their token only, and only the digest is kept."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.utils import timezone

from access.keys import find_key, issue_key, new_token, register_token
from access.models import ApiKey
from core.errors import ConfigurationError
from core.grants import Grant
from tests.factories import make_toolset

pytestmark = pytest.mark.django_db


def test_issued_token_finds_its_key() -> None:
    issued = issue_key("agent")

    assert find_key(issued.token) == issued.key
    assert issued.token.startswith(f"mcp_{issued.key.key_id}_")


def test_token_itself_is_not_stored() -> None:
    issued = issue_key("agent")
    row = ApiKey.objects.values().get()

    assert issued.token not in str(row)
    assert issued.token.rsplit("_", 1)[1] not in str(row)


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(
            lambda token: token[:-1] + ("a" if token[-1] != "a" else "b"), id="other secret"
        ),
        pytest.param(lambda token: token.removeprefix("mcp_"), id="no prefix"),
        pytest.param(lambda token: f"{token} ", id="blank at the end"),
        pytest.param(lambda _: "", id="empty"),
    ],
)
def test_spoiled_token_finds_nothing(spoil: Callable[[str], str]) -> None:
    issued = issue_key("agent")

    assert find_key(spoil(issued.token)) is None


def test_revoked_and_expired_keys_are_not_found() -> None:
    revoked = issue_key("revoked")
    ApiKey.objects.filter(pk=revoked.key.pk).update(revoked_at=timezone.now())
    expired = issue_key("expired", expires_at=timezone.now() - timedelta(seconds=1))

    assert find_key(revoked.token) is None
    assert find_key(expired.token) is None


def test_registering_a_token_twice_makes_one_key() -> None:
    token = new_token()

    assert register_token(token, "first") == register_token(token, "second")
    assert ApiKey.objects.get().name == "first"


def test_registering_nonsense_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="mcp_<8 characters>_<secret>"):
        register_token("secret", "x")


def test_command_prints_a_token_that_works() -> None:
    out = StringIO()

    call_command("create_api_key", "agent", "--days", "30", stdout=out, stderr=StringIO())

    key = find_key(out.getvalue().strip())
    assert key is not None
    assert key.expires_at is not None


def test_command_says_what_a_key_may_use_and_from_where() -> None:
    make_toolset("sales")
    options = [
        "--toolset",
        "sales",
        "--group",
        "search",
        "--sql-source",
        "main_db",
        "--network",
        "10.0.0.0/8",
    ]

    call_command("create_api_key", "agent", *options, stdout=StringIO(), stderr=StringIO())

    key = ApiKey.objects.get()
    assert key.grant == Grant(
        tools=frozenset(),
        toolsets=frozenset({"sales"}),
        groups=frozenset({"search"}),
        sources=frozenset({""}),
    )
    assert key.is_allowed_from("10.1.2.3")
    assert not key.is_allowed_from("192.0.2.1")


@pytest.mark.parametrize(("hours", "is_former_good"), [("1", True), ("0", False)])
def test_command_gives_a_key_a_new_token(hours: str, is_former_good: bool) -> None:
    issued, out = issue_key("agent"), StringIO()
    options = ["--rotate", issued.key.key_id, "--overlap-hours", hours]

    call_command("create_api_key", *options, stdout=out, stderr=StringIO())

    assert find_key(out.getvalue().strip()) == issued.key
    assert (find_key(issued.token) is not None) is is_former_good


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(["--owner", "nobody"], "there is no user 'nobody'", id="owner"),
        pytest.param(["--days", "0"], "--days must be 1 to 36,500", id="no days"),
        pytest.param(["--days", "99999999"], "--days must be 1 to 36,500", id="days"),
        pytest.param(["--toolset", "x"], "there is no toolset 'x'", id="toolset"),
        pytest.param(["--network", "10.0.0.0/99"], "Write addresses or networks", id="network"),
        pytest.param(["--rotate", "abcdefgh"], "there is no valid key 'abcdefgh'", id="rotate"),
        pytest.param(
            ["--rotate", "abcdefgh", "--days", "30"], "--days is for a new key", id="kept"
        ),
        pytest.param(["--sql-source", "none", "--sql-source", "hr"], "stands alone", id="sources"),
        pytest.param(
            ["--owner", "kim"], "kim is deactivated: their keys are refused", id="deactivated"
        ),
    ],
)
def test_command_refuses_wrong_options(options: list[str], message: str) -> None:
    User.objects.create_user("kim", is_active=False)
    with pytest.raises(CommandError, match=message):
        call_command("create_api_key", "agent", *options)


def test_command_refuses_a_name_that_no_key_can_have() -> None:
    with pytest.raises(CommandError, match="a name has at most 100 characters"):
        call_command("create_api_key", "x" * 101)
