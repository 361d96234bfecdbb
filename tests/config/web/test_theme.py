"""The theme's cookie."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_chosen_theme_is_in_the_first_byte(client: Client, theme: str) -> None:
    client.post("/theme/", {"theme": theme, "next": "/sign-in/"})

    assert f'data-theme="{theme}"' in client.get("/sign-in/").text


def test_nonsense_is_not_stored(client: Client) -> None:
    response = client.post("/theme/", {"theme": '"><script>'})

    assert "theme" not in response.cookies


def test_nonsense_in_the_cookie_is_the_system_theme(client: Client) -> None:
    client.cookies["theme"] = "purple"

    assert 'data-theme="auto"' in client.get("/sign-in/").text


def test_choice_leads_back_to_the_page(client: Client) -> None:
    response = client.post("/theme/", {"theme": "dark", "next": "/sign-in/?next=/admin/"})

    assert response["Location"] == "/sign-in/?next=/admin/"
