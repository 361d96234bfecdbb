"""People sign in to the pages by a real issuer, and get the groups of its rules."""

from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.models import Group, User
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import AsyncClient
from django.utils import timezone

from access.encryption import seal
from access.issuers.models import IssuerPerson, IssuerRule, TokenIssuer
from access.issuers.sign_on import take_person
from core.errors import SignOnError
from tests.oidc_server import PEOPLE, OidcServer, oidc_server

pytestmark = pytest.mark.django_db(transaction=True)

CALLBACK = "http://testserver/sign-in/corp/callback/"


@pytest.fixture
async def issuer(transactional_db: None, settings: Any) -> AsyncIterator[OidcServer]:
    """A registered server that knows us; its group sales is our group analysts."""
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    async with oidc_server(redirects=[CALLBACK]) as server:
        row = TokenIssuer(name="corp", url=server.url, client_id="web")
        row.sign_in_scope = "openid profile email groups"
        row.client_secret = seal("web-secret", row.secret_identity)
        await row.asave()
        await IssuerRule.objects.acreate(
            issuer=row,
            claim="groups",
            test="contains",
            value="sales",
            people_groups=["analysts"],
        )
        await Group.objects.acreate(name="analysts")
        yield server


async def come(issuer: OidcServer, client: AsyncClient, person: str = "alice") -> Any:
    """The answer to a person who comes back from the issuer."""
    begun = await client.get("/sign-in/corp/?next=/calls/")
    query = parse_qs(urlsplit(begun["Location"]).query)
    assert query["code_challenge_method"] == ["S256"]
    assert query["nonce"]
    return await client.get(CALLBACK, await issuer.walk(begun["Location"], person))


async def groups_of(user: User) -> list[str]:
    return [group.name async for group in user.groups.all()]


async def test_person_signs_in_with_the_groups_of_now(issuer: OidcServer) -> None:
    client = AsyncClient()

    answer = await come(issuer, client)
    user = await User.objects.aget()
    first = await groups_of(user)
    await issuer.change(people=PEOPLE | {"alice": PEOPLE["alice"] | {"groups": []}})
    await come(issuer, AsyncClient())
    await user.arefresh_from_db()

    assert answer["Location"] == "/calls/"
    assert (user.username, user.has_usable_password()) == ("alice@corp", False)
    assert first == ["analysts"]
    assert await groups_of(user) == []
    assert not user.is_staff
    assert await IssuerPerson.objects.acount() == 1


async def test_nobody_becomes_another_by_name_or_address(issuer: OidcServer) -> None:
    local = await User.objects.acreate_superuser("alice@corp", "alice@example.org")

    await come(issuer, AsyncClient())

    person = await IssuerPerson.objects.select_related("user").aget()
    assert person.user != local
    assert not person.user.is_superuser


def test_person_who_comes_in_two_tabs_at_once_is_one_person(transactional_db: None) -> None:
    issuer = TokenIssuer.objects.create(name="corp", url="https://login.example.org")
    together = Barrier(2)

    def come_for_the_first_time(_tab: int) -> str:
        together.wait(timeout=60)
        try:
            return take_person(issuer, {"sub": "alice"}).username
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        names = list(pool.map(come_for_the_first_time, range(2)))

    assert names == ["alice@corp", "alice@corp"]


@pytest.mark.django_db
@pytest.mark.parametrize("subject", ["", "a" * 256, "a\0b"], ids=["empty", "too long", "NUL"])
def test_subject_that_is_none_signs_nobody_in(subject: str) -> None:
    issuer = TokenIssuer.objects.create(name="corp", url="https://login.example.org")

    with pytest.raises(SignOnError, match="did not succeed"):
        take_person(issuer, {"sub": subject})

    assert not User.objects.exists()


@pytest.mark.django_db
def test_texts_that_no_database_stores_lose_what_is_in_the_way() -> None:
    issuer = TokenIssuer.objects.create(name="corp", url="https://login.example.org")

    person = take_person(
        issuer, {"sub": "00u1", "name": "山田　\0太郎", "email": "kim\ud800@example.org"}
    )

    person.refresh_from_db()
    assert (person.first_name, person.email) == ("山田　太郎", "kim@example.org")


async def test_deactivated_person_stays_outside(issuer: OidcServer) -> None:
    await come(issuer, AsyncClient())
    await User.objects.aupdate(is_active=False)
    client = AsyncClient()

    answer = await come(issuer, client)

    assert answer.status_code == 403
    assert b"deactivated" in answer.content
    assert (await client.get("/calls/")).status_code == 302


async def test_answer_that_nobody_asked_for_is_refused(issuer: OidcServer) -> None:
    begun = await AsyncClient().get("/sign-in/corp/")
    got = await issuer.walk(begun["Location"])

    answer = await AsyncClient().get(CALLBACK, got)

    assert answer.status_code == 403
    assert not await User.objects.aexists()


async def test_sign_out_leads_to_the_issuers_own(issuer: OidcServer) -> None:
    client = AsyncClient()
    await come(issuer, client)
    assert (await client.get("/calls/")).status_code == 403

    answer = await client.post("/sign-out/")

    assert f"{issuer.url}/session/end?" in answer.content.decode()
    assert "id_token_hint=" in answer.content.decode()
    assert (await client.get("/calls/")).status_code == 302


async def test_session_ends_after_its_hours_however_much_it_is_used(
    issuer: OidcServer, settings: Any
) -> None:
    settings.SIGN_ON_SESSION_HOURS = 3
    client = AsyncClient()
    await come(issuer, client)

    session = await client.asession()
    ends = await session.aget_expiry_date()
    await session.aset("seen", 1)
    await session.asave()

    stored = await Session.objects.aget(pk=session.session_key)
    assert ends <= timezone.now() + timedelta(hours=3)
    assert stored.expire_date == ends


async def test_sign_out_sends_no_long_token(issuer: OidcServer) -> None:
    client = AsyncClient()
    await come(issuer, client)
    session = await client.asession()
    ending = await session.aget("sign_on", {})
    await session.aset("sign_on", {**ending, "id_token": "x" * 8_000})
    await session.asave()

    page = (await client.post("/sign-out/")).content.decode()

    assert f"{issuer.url}/session/end?post_logout_redirect_uri=" in page
    assert "client_id=web" in page
    assert "id_token_hint" not in page


async def test_local_administrator_gets_in_while_the_issuer_is_away(
    transactional_db: None,
) -> None:
    await TokenIssuer.objects.acreate(name="corp", url="http://127.0.0.1:9", client_id="web")
    await User.objects.acreate_superuser("root", password="correct horse battery")
    client = AsyncClient()

    page = (await client.get("/sign-in/")).content.decode()
    away = await client.get("/sign-in/corp/")
    given = {"username": "root", "password": "correct horse battery"}
    answer = await client.post("/sign-in/", given)

    assert "/sign-in/corp/" in page
    assert away.status_code == 403
    assert b"the issuer does not answer now" in away.content
    assert answer["Location"] == "/"


async def test_each_tab_comes_back_to_its_own_page(issuer: OidcServer) -> None:
    client = AsyncClient()
    begun = [await client.get(f"/sign-in/corp/?next=/{page}/") for page in ("calls", "tools")]
    came = [await issuer.walk(answer["Location"]) for answer in begun]

    answers = [await client.get(CALLBACK, given) for given in came]

    assert [answer["Location"] for answer in answers] == ["/calls/", "/tools/"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        pytest.param("access_denied", "the issuer refused the sign-in", id="refused"),
        pytest.param("server_error", "the sign-in did not succeed", id="other"),
        pytest.param("<b>\n2026 a line", "the sign-in did not succeed", id="nonsense"),
    ],
)
async def test_error_of_the_issuer_is_told_and_the_way_on_is_kept(
    issuer: OidcServer, caplog: pytest.LogCaptureFixture, code: str, text: str
) -> None:
    client = AsyncClient()
    begun = await client.get("/sign-in/corp/?next=/calls/")
    state = parse_qs(urlsplit(begun["Location"]).query)["state"][0]

    answer = await client.get(CALLBACK, {"error": code, "state": state})

    page = answer.content.decode()
    assert text in page
    assert 'href="/sign-in/?next=%2Fcalls%2F"' in page
    named = f" {code}" if code.isidentifier() else ""
    assert f"a sign-in by corp failed: OAuthError{named}" in caplog.messages


async def test_clocks_that_are_apart_are_named(issuer: OidcServer) -> None:
    await issuer.change(ahead_s=600)

    answer = await come(issuer, AsyncClient())

    assert answer.status_code == 403
    assert b"the clocks of the issuer and of this server are too far apart" in answer.content


async def test_name_of_a_person_is_what_stands_before_the_at(issuer: OidcServer) -> None:
    people = {
        "a1": {"groups": ["sales"], "preferred_username": "김민준@hanbit.co.kr"},
        "b2": {"groups": ["sales"], "preferred_username": "김민준@partner.example"},
        "c3": {"groups": ["sales"], "preferred_username": "@ann"},
    }
    await issuer.change(people=people)

    for person in people:
        await come(issuer, AsyncClient(), person)

    names = [user.username async for user in User.objects.order_by("pk")]
    assert names[0] == "김민준@corp"
    assert names[1].startswith("김민준-")
    assert names[2] == "ann@corp"
