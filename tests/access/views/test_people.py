"""The people who sign in, on their page."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from access.roles.models import RoleGrant
from tests.rendered import text_of

pytestmark = pytest.mark.django_db

PASSWORD = "correct horse battery"


@pytest.fixture
def ann() -> User:
    return User.objects.create_user("ann", "ann@example.com", PASSWORD)


def signed_in(person: User) -> Client:
    """A browser of that person."""
    browser = Client()
    browser.force_login(person)
    return browser


def test_person_is_added_and_signs_in(admin: Client) -> None:
    given = {"username": "ann", "first_name": "Ann", "email": "", "password": PASSWORD}

    page = text_of(admin.post("/people/", given, follow=True))

    assert "ann was added" in page
    assert Client().login(username="ann", password=PASSWORD)


def test_person_without_a_password_signs_in_by_an_issuer_alone(admin: Client) -> None:
    admin.post("/people/", {"username": "ann"})

    assert not User.objects.get(username="ann").has_usable_password()


def test_weak_password_is_refused_and_not_shown(admin: Client) -> None:
    response = admin.post("/people/", {"username": "ann", "password": "12345"})

    assert response.status_code == 422
    assert 'value="12345"' not in text_of(response)
    assert not User.objects.filter(username="ann").exists()


def test_person_who_is_switched_off_is_signed_out(admin: Client, ann: User) -> None:
    client = signed_in(ann)

    admin.post(f"/people/{ann.pk}/active/")

    assert client.get("/settings/")["Location"].startswith("/sign-in/")


def test_new_password_ends_sessions(admin: Client, ann: User) -> None:
    client = signed_in(ann)

    admin.post(f"/people/{ann.pk}/password/", {"password": "another horse battery"})

    assert client.get("/settings/")["Location"].startswith("/sign-in/")
    assert Client().login(username="ann", password="another horse battery")


def test_own_new_password_ends_other_sessions_alone() -> None:
    boss = User.objects.create_superuser("boss", password=PASSWORD)
    here, elsewhere = signed_in(boss), signed_in(boss)

    here.post(f"/people/{boss.pk}/password/", {"password": "another horse battery"})

    assert "boss has a new password" in text_of(here.get("/people/"))
    assert elsewhere.get("/people/")["Location"].startswith("/sign-in/")


def test_superuser_is_changed_by_superusers_alone(ann: User) -> None:
    boss = User.objects.create_superuser("boss", password=PASSWORD)
    RoleGrant.objects.create(user=ann, role="administrator")
    client = signed_in(ann)

    answers = [
        client.post(f"/people/{boss.pk}/active/"),
        client.post(f"/people/{boss.pk}/password/", {"password": "another horse battery"}),
        client.post(f"/people/{ann.pk}/active/"),
    ]

    assert [answer.status_code for answer in answers] == [403, 403, 403]
    boss.refresh_from_db()
    assert boss.is_active
    assert boss.check_password(PASSWORD)


def test_list_has_roles_and_is_searched(admin: Client, ann: User) -> None:
    RoleGrant.objects.create(user=ann, role="viewer")

    found, nobody = (text_of(admin.get(f"/people/?q={words}")) for words in ("ann@ex", "zoe"))

    assert "ann@example.com" in found
    assert '<span class="tag">viewer</span>' in found
    assert "Nobody matches" in nobody
