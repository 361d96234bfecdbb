"""The settings page: the person's own part and, for superusers, the system's."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation
from django.utils.html import escape

from access.sign_ins import PAIR_LIMIT
from config.web.variables import list_variables

OLD, NEW = "correct horse", "battery staple 7"


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with translation.override("en"):
        yield


@pytest.fixture
def person(client: Client, db: None) -> Client:
    """The browser of somebody without any right."""
    client.force_login(User.objects.create_user("kim", password=OLD))
    return client


@pytest.fixture
def admin(client: Client, db: None) -> Client:
    """A superuser's browser."""
    client.force_login(User.objects.create_superuser("admin"))
    return client


def text_of(response: Any) -> str:
    return str(response.content.decode())


def change_password(client: Client, old: str = OLD, new: str = NEW, again: str = NEW) -> Any:
    fields = {"old_password": old, "new_password1": new, "new_password2": again}
    return client.post("/settings/password/", fields)


def test_settings_need_a_person(client: Client) -> None:
    assert client.get("/settings/")["Location"] == "/sign-in/?next=/settings/"


def test_person_without_rights_sees_the_own_part_alone(person: Client) -> None:
    page = text_of(person.get("/settings/"))

    assert "Change the password" in page
    assert "Environment variables" not in page
    assert "DATABASE_URL" not in page


def test_name_and_address_are_kept_and_shown(person: Client) -> None:
    fields = {"first_name": "<b>Minsu", "last_name": "Kim", "email": "kim@example.com"}

    response = person.post("/settings/person/", fields, follow=True)

    assert User.objects.get().email == "kim@example.com"
    assert "&lt;b&gt;Minsu Kim" in text_of(response)
    assert "<b>Minsu" not in text_of(response)


def test_refused_address_is_said_and_nothing_is_lost(person: Client) -> None:
    fields = {"first_name": "Minsu", "email": "no address"}

    response = person.post("/settings/person/", fields)

    assert response.status_code == 422
    assert "Enter a valid email address." in text_of(response)
    assert 'value="no address"' in text_of(response)
    assert User.objects.get().first_name == ""


def test_nobody_gets_rights_by_the_form(person: Client) -> None:
    person.post("/settings/person/", {"is_superuser": "on", "is_staff": "on", "username": "root"})

    user = User.objects.get()
    assert (user.username, user.is_superuser, user.is_staff) == ("kim", False, False)


def test_changed_password_keeps_this_session_and_ends_others(person: Client) -> None:
    other = Client()
    other.login(username="kim", password=OLD)

    response = change_password(person)

    assert response["Location"] == "/settings/"
    assert User.objects.get().check_password(NEW)
    assert person.get("/settings/").status_code == 200
    assert other.get("/settings/").status_code == 302


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        pytest.param({"old": "wrong"}, "Your old password was entered incorrectly", id="old"),
        pytest.param({"again": "other"}, "didn’t match", id="not twice the same"),
        pytest.param({"new": "12345678", "again": "12345678"}, "too common", id="common"),
        pytest.param({"new": "a", "again": "a"}, "too short", id="short"),
    ],
)
def test_refused_password_is_said_and_not_repeated(
    person: Client, fields: dict[str, str], words: str
) -> None:
    response = change_password(person, **fields)

    assert response.status_code == 422
    assert words in text_of(response)
    assert f'value="{OLD}"' not in text_of(response)
    assert User.objects.get().check_password(OLD)


def test_old_password_cannot_be_guessed_without_end(person: Client) -> None:
    for _ in range(PAIR_LIMIT):
        change_password(person, old="guess")

    assert "Too many attempts" in text_of(change_password(person))
    assert User.objects.get().check_password(OLD)


def test_who_has_no_password_is_offered_none_to_change(client: Client, db: None) -> None:
    client.force_login(User.objects.create_user("sso"))

    assert "old_password" not in text_of(client.get("/settings/"))


def test_superuser_sees_versions_addresses_and_every_variable(admin: Client, settings: Any) -> None:
    settings.MCP_PORT = 4003
    settings.MCP_PUBLIC_URL = "https://tools.example.com/mcp"

    response = admin.get("/settings/")

    page = text_of(response)
    assert "http://testserver:4003/mcp" in page
    assert "https://tools.example.com/mcp" in page
    assert [name for name, _ in response.context["versions"]][-1] == "FastMCP"
    for _group, variables in list_variables():
        for one in variables:
            assert escape(f"variable-{one.variable.name}") in page


def test_no_secret_is_on_the_page(admin: Client, settings: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("DATA_SOURCE_SALES_URL", "postgresql://reader:hush@db/sales?password=mute")
    settings.REDIS_URL = "redis://:whisper@127.0.0.1:1/0"

    page = text_of(admin.get("/settings/"))

    secrets = (settings.SECRET_KEY, settings.POSTGRESQL_DB_PASS, *settings.FIELD_ENCRYPTION_KEYS)
    assert [one for one in (*secrets, "hush", "mute", "whisper") if one in page] == []
    assert settings.DATABASES["default"]["PASSWORD"] not in page
    assert "postgresql://•••@db/sales?password=•••" in page
    assert "redis://•••@127.0.0.1:1/0" in page


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        ("ko", ["애플리케이션", "백그라운드 작업의 브로커", "세션에 서명합니다"]),
        (
            "ja",
            ["アプリケーション", "バックグラウンドジョブのブローカー", "セッションに署名します"],
        ),
    ],
)
def test_settings_are_told_in_the_readers_language(
    admin: Client, language: str, texts: list[str]
) -> None:
    page = text_of(admin.get("/settings/", headers={"Accept-Language": language}))

    assert [text for text in texts if text not in page] == []
    assert "broker of background jobs" not in page
