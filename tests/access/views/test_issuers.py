"""Issuers and rules as a browser writes them, and a token that is tried."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from cryptography.fernet import Fernet
from django.contrib.auth.models import Group
from django.test import AsyncClient, Client
from django.urls import reverse

from access.encryption import seal
from access.models import IssuerRule, TokenIssuer
from core.bearer_tokens import Introspection
from tests.factories import make_toolset
from tests.oidc_server import TOOLS, OidcServer, oidc_server
from tests.people import StaffWith

ISSUER = {
    "name": "corp",
    "url": "https://login.example.org/realms/corp",
    "algorithms": ["RS256"],
    "leeway_s": "30",
    "is_active": "on",
}


def errors_of(response: Any) -> set[str]:
    return set(response.context["form"].errors)


def test_issuer_and_rule_are_written_in_the_browser(admin: Client) -> None:
    make_toolset("sales")
    admin.post(reverse("issuer-new"), ISSUER | {"scope": " tools:read  x "})
    row = TokenIssuer.objects.get()
    rule = {
        "claim": "groups",
        "test": "contains",
        "value": "sales",
        "toolsets": ["sales"],
        "builtin_groups": ["search"],
        "allowed_tools": "add, add\nmultiply",
        "bound": "tenant = org.id\ncountry",
    }

    answer = admin.post(reverse("rule-new", args=[row.pk]), rule)

    assert answer["Location"] == reverse("issuer", args=[row.pk])
    issuer = row.to_issuer()
    assert issuer.scope == "tools:read x"
    assert issuer.rules[0].grant.tools == frozenset({"add", "multiply"})
    assert issuer.rules[0].grant.groups == {"search"}
    assert issuer.rules[0].bound == (("country", "country"), ("tenant", "org.id"))
    page = admin.get(reverse("rule", args=[issuer.rules[0].id])).content.decode()
    assert "tenant = org.id" in page


def test_issuer_that_is_switched_off_is_good_for_nothing(admin: Client) -> None:
    row = TokenIssuer.objects.create(name="corp", url="https://login.example.org", client_id="web")

    on = admin.get(reverse("issuers")).content.decode()
    row.is_active = False
    row.save()
    off = admin.get(reverse("issuers")).content.decode()

    assert '<span class="tag">sign-in</span>' in on
    assert '<span class="tag">access tokens</span>' in on
    assert '<span class="tag">' not in off


def test_form_says_which_addresses_the_issuer_has_to_know(admin: Client, settings: Any) -> None:
    row = TokenIssuer.objects.create(name="corp", url="https://login.example.org")

    new = admin.get(reverse("issuer-new")).content.decode()
    settings.WEB_PUBLIC_URL = "https://tools.example.org"
    stored = admin.get(reverse("issuer", args=[row.pk])).content.decode()

    assert ">http://testserver/sign-in/NAME/callback/<" in new
    assert ">https://tools.example.org/sign-in/corp/callback/<" in stored
    assert ">https://tools.example.org/sign-in/<" in stored


def test_rule_follows_a_group_that_is_renamed_or_deleted(db: None) -> None:
    kept, former = (Group.objects.create(name=name) for name in ("영업팀", "sales"))
    row = TokenIssuer.objects.create(name="corp", url="https://login.example.org")
    named: dict[str, Any] = {"issuer": row, "claim": "sub", "test": "matches", "value": "*"}
    rule = IssuerRule.objects.create(**named, people_groups=["영업팀", "sales"])
    other = IssuerRule.objects.create(**named, people_groups=["purchase"])
    odd = IssuerRule.objects.create(**named, people_groups="sales")

    Group.objects.filter(pk=kept.pk).update(name="영업 1팀")
    former.delete()

    for one in (rule, other, odd):
        one.refresh_from_db()
    assert rule.people_groups == ["영업 1팀"]
    assert other.people_groups == ["purchase"]
    assert odd.people_groups == "sales"


def test_new_issuer_has_common_algorithms_ticked(admin: Client) -> None:
    form = admin.get(reverse("issuer-new")).context["form"]

    assert form["algorithms"].value() == ["RS256", "ES256"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        pytest.param({"url": "http://login.example.org"}, "url", id="plain HTTP"),
        pytest.param({"url": "https://a@login.example.org"}, "url", id="user"),
        pytest.param({"url": "https://login.example.org/?a=1"}, "url", id="query"),
        pytest.param({"url": "file:///etc/passwd"}, "url", id="file"),
        pytest.param({"algorithms": ["HS256"]}, "algorithms", id="symmetric"),
        pytest.param({"algorithms": []}, "algorithms", id="no algorithm"),
        pytest.param({"name": "Corp:x"}, "name", id="name"),
        pytest.param({"leeway_s": "3600"}, "leeway_s", id="leeway"),
    ],
)
def test_unsafe_issuer_is_refused(admin: Client, changes: dict[str, Any], field: str) -> None:
    response = admin.post(reverse("issuer-new"), ISSUER | changes)

    assert response.status_code == 422
    assert errors_of(response) == {field}


def test_words_that_are_no_scope_stay_out_of_headers(db: None) -> None:
    row = TokenIssuer.objects.create(
        name="corp", url="https://login.example.org", scope='a "b é\r\nx: y c:d'
    )

    assert row.to_issuer().scope == "a x: y c:d"


def test_secret_is_stored_encrypted_and_for_its_address_alone(admin: Client, settings: Any) -> None:
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    admin.post(reverse("issuer-new"), ISSUER | {"client_id": "web", "new_secret": "s3cret"})
    row = TokenIssuer.objects.get()

    page = admin.get(reverse("issuer", args=[row.pk])).content.decode()
    moved = ISSUER | {"url": "https://evil.example.org"}
    refused = admin.post(reverse("issuer", args=[row.pk]), moved)

    assert row.read_secret() == "s3cret"
    assert "s3cret" not in row.client_secret + page
    assert errors_of(refused) == {"new_secret"}


def test_introspection_needs_all_its_parts_and_its_secret_stays_at_its_address(
    admin: Client, settings: Any
) -> None:
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    asks = ISSUER | {
        "introspection_url": "https://login.example.org/introspect",
        "introspection_client_id": "tools",
        "new_introspection_secret": "s3cret",
    }
    for lacking in ("introspection_client_id", "new_introspection_secret"):
        refused = admin.post(reverse("issuer-new"), asks | {lacking: ""})
        assert errors_of(refused) == {lacking}

    admin.post(reverse("issuer-new"), asks)
    row = TokenIssuer.objects.get()
    address = reverse("issuer", args=[row.pk])
    page = admin.get(address).content.decode()
    moved = {"introspection_url": "https://evil.example.org", "new_introspection_secret": ""}
    refused = admin.post(address, asks | moved)
    admin.post(address, ISSUER)

    assert row.to_issuer().introspection == Introspection(
        url="https://login.example.org/introspect", client_id="tools", secret="s3cret"
    )
    assert "s3cret" not in row.introspection_secret + page + repr(row.to_issuer())
    assert errors_of(refused) == {"new_introspection_secret"}
    row.refresh_from_db()
    assert row.introspection_secret == ""


def test_pages_are_for_those_who_have_the_right(staff_with: StaffWith) -> None:
    row = TokenIssuer.objects.create(name="corp", url="https://login.example.org")
    client = staff_with("view_tokenissuer")

    assert client.get(reverse("issuers")).status_code == 200
    for name, args in (("issuer-new", []), ("issuer", [row.pk]), ("rule-new", [row.pk])):
        assert client.get(reverse(name, args=args)).status_code == 403
    assert client.post(reverse("issuer-delete", args=[row.pk])).status_code == 403


@pytest.fixture
async def issuer(transactional_db: None, settings: Any) -> AsyncIterator[OidcServer]:
    """A real server that is registered, with a rule for the group sales."""
    settings.MCP_PUBLIC_URL = "https://tools.example.org/mcp"
    async with oidc_server() as server:
        row = await TokenIssuer.objects.acreate(name="corp", url=server.url)
        await IssuerRule.objects.acreate(
            issuer=row,
            claim="groups",
            test="contains",
            value="sales",
            toolsets=["sales-kr"],
            bound={"region": "tenant"},
        )
        yield server


async def test_opaque_token_is_tried_at_its_issuer(
    issuer: OidcServer, admin_user: Any, settings: Any
) -> None:
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    row = await TokenIssuer.objects.aget()
    row.introspection_url = f"{issuer.url}/token/introspection"
    row.introspection_client_id = TOOLS[0]
    row.introspection_secret = await sync_to_async(seal)(TOOLS[1], row.introspection_identity)
    await row.asave()
    await issuer.change(format="opaque")
    token = (await issuer.grant("https://tools.example.org/mcp"))["access_token"]
    client = AsyncClient()
    await sync_to_async(client.force_login)(admin_user)

    good = await client.post(reverse("token-try"), {"token": token})
    unknown = await client.post(reverse("token-try"), {"token": "unknown"})

    assert "its holder is corp:alice" in good.content.decode()
    assert "What corp says of the token" in good.content.decode()
    assert "the issuer does not know this token" in unknown.content.decode()


async def test_pasted_token_is_tried_and_forgotten(
    issuer: OidcServer, admin_user: Any, caplog: Any
) -> None:
    client = AsyncClient()
    await sync_to_async(client.force_login)(admin_user)
    good = issuer.sign(issuer.claims("https://tools.example.org/mcp"))
    bad = issuer.sign(issuer.claims("https://else.example.org/mcp"))

    pages = {}
    for token in (good, bad, "nonsense"):
        answer = await client.post(reverse("token-try"), {"token": token})
        pages[token] = answer.content.decode()

    assert "its holder is corp:alice" in pages[good]
    assert "sales-kr" in pages[good]
    assert "region = KR" in pages[good]
    assert "the token was issued for another audience" in pages[bad]
    assert "neither an API key nor a JWT" in pages["nonsense"]
    for token in (good, bad):
        assert token not in pages[token]
        assert token not in caplog.text
