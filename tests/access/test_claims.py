"""Claims of a key: what they may be, and where they are written."""

import math
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client

from access.claims import check_claims
from access.keys import find_key
from access.models import ApiKey
from tests.factories import make_token


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param({}, id="none"),
        pytest.param({"tenant": "KR"}, id="text"),
        pytest.param({"지점": "서울"}, id="Korean"),
        pytest.param({"level": 3, "rate": 0.5, "zero": 0}, id="numbers"),
        pytest.param({"vip": False}, id="bool"),
        pytest.param({"regions": ["KR", "JP"], "none": []}, id="lists"),
        pytest.param({"https://example.com/tenant": "KR"}, id="address as a name"),
    ],
)
def test_good_claims_pass(claims: dict[str, Any]) -> None:
    check_claims(claims)


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        pytest.param(["tenant"], 'as in {"tenant": "KR"}', id="a list"),
        pytest.param("tenant", 'as in {"tenant": "KR"}', id="a text"),
        pytest.param({str(n): n for n in range(51)}, "at most 50 entries", id="too many"),
        pytest.param({"": "KR"}, "The claim '': a name has", id="no name"),
        pytest.param({"a\u202eb": "KR"}, r"The claim 'a\u202eb': a name has", id="hidden mark"),
        pytest.param({"tenant": None}, "The claim tenant must be a text", id="null"),
        pytest.param({"tenant": ""}, "The claim tenant must be a text", id="empty text"),
        pytest.param({"tenant": "a\x00"}, "The claim tenant must be a text", id="NUL"),
        pytest.param({"tenant": "\ud800"}, "The claim tenant must be a text", id="surrogate"),
        pytest.param({"tenant": "a" * 1_001}, "The claim tenant must be a text", id="long text"),
        pytest.param({"tenant": {"a": 1}}, "The claim tenant must be a text", id="object"),
        pytest.param({"tenant": [1]}, "The claim tenant must be a text", id="list of numbers"),
        pytest.param({"tenant": [["a"]]}, "The claim tenant must be a text", id="list of lists"),
        pytest.param({"rate": math.nan}, "The claim rate must be a text", id="NaN"),
        pytest.param({"rate": 2**63}, "The claim rate must be a text", id="beyond 64 bits"),
    ],
)
def test_wrong_claims_are_refused(claims: Any, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        check_claims(claims)

    assert message in caught.value.messages[0]


def create(*options: str) -> ApiKey:
    out = StringIO()
    call_command("create_api_key", "agent", *options, stdout=out, stderr=StringIO())
    key = find_key(out.getvalue().strip())
    assert key is not None
    return key


@pytest.mark.django_db
def test_command_gives_the_key_an_owner_and_claims() -> None:
    owner = User.objects.create_user("kim")

    key = create("--owner", "kim", "--claim", "tenant=KR", "--claim", 'regions=["KR", "JP"]')

    assert key.owner == owner
    assert key.claims == {"tenant": "KR", "regions": ["KR", "JP"]}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("written", "value"),
    [
        pytest.param("store=007", "007", id="digits"),
        pytest.param("store=true", "true", id="word of JSON"),
        pytest.param("store=a=b", "a=b", id="equals sign"),
    ],
)
def test_command_takes_a_claim_as_text(written: str, value: str) -> None:
    assert create("--claim", written).claims == {"store": value}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(["--claim", "tenant"], "must be NAME=VALUE", id="no value"),
        pytest.param(["--claim", "a=1", "--claim", "a=2"], "--claim a is given twice", id="twice"),
        pytest.param(["--claim", "a=[1"], "is no JSON list of texts", id="broken list"),
        pytest.param(["--claim", "a=[1]"], "The claim a must be a text", id="list of numbers"),
        pytest.param(["--claim", "a="], "The claim a must be a text", id="empty"),
    ],
)
def test_command_refuses_wrong_claims_and_makes_no_key(options: list[str], message: str) -> None:
    with pytest.raises(CommandError, match=message.replace("[", r"\[")):
        call_command("create_api_key", "agent", *options)

    assert not ApiKey.objects.exists()


def test_claims_are_edited_in_the_admin(admin: Client) -> None:
    make_token()
    key = ApiKey.objects.get()
    form = {"name": "agent", "allowed_tools": '["*"]', "claims": '{"tenant": "KR"}'}

    response = admin.post(f"/admin/access/apikey/{key.pk}/change/", form)

    key.refresh_from_db()
    assert response.status_code == 302
    assert key.claims == {"tenant": "KR"}


@pytest.mark.parametrize(
    ("claims", "message"),
    [
        pytest.param('{"tenant": {"a": 1}}', "The claim tenant must be a text", id="object"),
        pytest.param('{"rate": NaN}', "The claim rate must be a text", id="NaN"),
        pytest.param('["tenant"]', "Claims are a JSON object", id="list"),
    ],
)
def test_admin_refuses_wrong_claims(admin: Client, claims: str, message: str) -> None:
    form = {"name": "agent", "allowed_tools": '["*"]', "claims": claims}

    response = admin.post("/admin/access/apikey/add/", form)

    assert message in response.content.decode()
    assert not ApiKey.objects.exists()
