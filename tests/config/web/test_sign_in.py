"""Signing in and out: where it leads, what is refused, and what htmx hears."""

import json
from ipaddress import ip_network
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from access.models import SignInAttempt
from access.sign_ins import PAIR_LIMIT

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann", password="correct horse")


RIGHT = {"username": "ann", "password": "correct horse"}
WRONG = {"username": "ann", "password": "wrong"}


def events(response: Any) -> dict[str, Any]:
    return dict(json.loads(response["HX-Trigger"]))


@pytest.mark.parametrize(
    ("address", "place"),
    [
        pytest.param("/admin/", "/admin/", id="ours"),
        pytest.param("", "/", id="none"),
        pytest.param("https://example.org/", "/", id="foreign"),
        pytest.param("//example.org", "/", id="foreign without scheme"),
        pytest.param("javascript:alert(1)", "/", id="script"),
        pytest.param("admin", "/", id="no address"),
        pytest.param("keys", "/", id="name of a view"),
    ],
)
def test_sign_in_leads_to_pages_of_ours_only(
    client: Client, ann: User, address: str, place: str
) -> None:
    response = client.post("/sign-in/", {**RIGHT, "next": address})

    assert (response.status_code, response["Location"]) == (302, place)


def test_wrong_password_keeps_the_name_and_says_so(client: Client, ann: User) -> None:
    response = client.post("/sign-in/", WRONG)

    assert response.status_code == 422
    assert "The user name or the password is wrong." in response.text
    assert 'value="ann"' in response.text
    assert 'value="wrong"' not in response.text


def test_name_that_no_database_holds_is_wrong(client: Client, ann: User) -> None:
    response = client.post("/sign-in/", {**WRONG, "username": "an\0n"})

    assert response.status_code == 422


def test_too_many_wrong_passwords_refuse_the_right_one(client: Client, ann: User) -> None:
    for _ in range(PAIR_LIMIT):
        client.post("/sign-in/", WRONG)

    response = client.post("/sign-in/", RIGHT)

    assert (response.status_code, response["Retry-After"]) == (429, "60")
    assert "Too many attempts. Try again in 1 minute." in response.text
    assert "_auth_user_id" not in client.session


def test_wrong_passwords_from_elsewhere_do_not_keep_anybody_out(client: Client, ann: User) -> None:
    for number in range(50):
        Client(REMOTE_ADDR=f"192.0.2.{number % 3}").post("/sign-in/", WRONG)

    assert client.post("/sign-in/", RIGHT).status_code == 302


def test_known_browser_gets_in_from_the_address_of_the_attack(client: Client, ann: User) -> None:
    client.post("/sign-in/", RIGHT)
    client.post("/sign-out/")
    for _ in range(50):
        Client().post("/sign-in/", WRONG)

    assert Client().post("/sign-in/", RIGHT).status_code == 429
    assert client.post("/sign-in/", RIGHT).status_code == 302
    assert client.cookies["device"]["httponly"]


@pytest.mark.parametrize(
    ("trusted", "addresses"), [([], {"127.0.0.1"}), (["127.0.0.1"], {"192.0.2.1", "192.0.2.2"})]
)
def test_forwarded_addresses_count_only_from_trusted_proxies(
    client: Client, settings: Any, trusted: list[str], addresses: set[str]
) -> None:
    settings.TRUSTED_PROXIES = [ip_network(one) for one in trusted]

    for number in (1, 2):
        client.post("/sign-in/", WRONG, headers={"X-Forwarded-For": f"192.0.2.{number}"})

    assert set(SignInAttempt.objects.values_list("address", flat=True)) == addresses


def test_right_password_in_time_forgets_the_wrong_ones(client: Client, ann: User) -> None:
    client.post("/sign-in/", WRONG)

    client.post("/sign-in/", RIGHT)

    assert not SignInAttempt.objects.exists()


def test_back_office_has_the_same_door(client: Client) -> None:
    response = client.get("/admin/", follow=True)

    assert response.redirect_chain[-1][0] == "/sign-in/?next=%2Fadmin%2F"


def test_person_without_the_right_is_told_who_they_are(client: Client, ann: User) -> None:
    client.force_login(ann)

    response = client.get("/admin/", follow=True)

    assert "You are signed in as ann, who may not open this page." in response.text


def test_tab_from_before_a_sign_in_elsewhere_goes_on_when_it_is_loaded_again(
    client: Client, ann: User
) -> None:
    client.force_login(ann)

    response = client.get("/sign-in/?next=/calls/")

    assert response["Location"] == "/calls/"


def test_sign_out_needs_a_post_and_ends_the_session(client: Client, ann: User) -> None:
    client.force_login(ann)

    assert client.get("/sign-out/")["Location"] == "/"
    assert "_auth_user_id" in client.session
    assert client.post("/sign-out/")["Location"] == "/sign-in/"
    assert "_auth_user_id" not in client.session


@pytest.mark.parametrize("address", ["/sign-out/", "/admin/logout/"])
def test_pages_that_browsers_keep_can_tell_each_sign_out(
    client: Client, ann: User, address: str
) -> None:
    told = []
    for _ in range(2):
        client.force_login(ann)
        client.post(address)
        told.append(client.cookies["signed_out"].value)

    assert all(told)
    assert told[0] != told[1]


def test_ended_session_tells_htmx_instead_of_leading_it_away(client: Client) -> None:
    response = client.get("/catalogue/", headers=HTMX)

    assert response.status_code == 401
    assert events(response) == {"session:ended": {"target": "body"}}


def test_sign_in_by_htmx_hands_the_page_a_token_and_its_owner(client: Client, ann: User) -> None:
    response = client.post("/sign-in/", RIGHT, headers=HTMX)

    assert (response.status_code, response.content) == (204, b"")
    assert events(response)["session:renewed"]["username"] == "ann"


def test_page_learns_whose_session_there_is(client: Client, ann: User) -> None:
    assert client.get("/session/").json()["username"] == ""

    client.force_login(ann)
    response = client.get("/session/")

    assert response.json()["username"] == "ann"
    assert response.json()["token"]
    assert "no-store" in response["Cache-Control"]


def test_htmx_gets_the_form_alone(client: Client) -> None:
    response = client.get("/sign-in/", headers=HTMX)

    assert "<form" in response.text
    assert "<html" not in response.text


def test_page_from_before_a_sign_in_elsewhere_gets_a_fresh_token(ann: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ann)

    response = client.post("/theme/", headers=HTMX)

    assert response.status_code == 409
    assert events(response)["session:renewed"]["token"]


def test_form_from_before_a_sign_in_elsewhere_is_refused_with_advice(ann: User) -> None:
    response = Client(enforce_csrf_checks=True).post("/sign-out/")

    assert response.status_code == 403
    assert "This form is too old" in response.text
