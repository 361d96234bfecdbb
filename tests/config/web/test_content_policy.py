"""The content policy of answers."""

import re
from contextlib import closing

import pytest
from django.contrib.auth.models import User
from django.test import Client

POLICY = "Content-Security-Policy"


@pytest.mark.django_db
def test_page_runs_scripts_with_its_own_nonce_only(client: Client) -> None:
    response = client.get("/sign-in/")

    (nonce,) = set(re.findall(r'nonce="([^"]+)"', response.text))
    assert f"script-src 'self' 'nonce-{nonce}';" in response[POLICY]
    assert "unsafe" not in response[POLICY]


@pytest.mark.django_db
def test_every_request_has_another_nonce(client: Client) -> None:
    policies = {client.get("/sign-in/")[POLICY] for _ in range(3)}

    assert len(policies) == 3


def test_answer_without_a_script_of_its_own_has_no_nonce(client: Client) -> None:
    assert "nonce" not in client.get("/nowhere/")[POLICY]


@pytest.mark.django_db
def test_back_office_may_style_its_lists_and_no_more(client: Client) -> None:
    client.force_login(User.objects.create_superuser("admin"))

    policy = client.get("/admin/")[POLICY]

    assert "style-src 'self' 'unsafe-inline';" in policy
    assert "script-src 'self';" in policy


@pytest.mark.parametrize("address", ["/sign-in/", "/nowhere/", "/healthz", "/static/web/app.css"])
@pytest.mark.django_db
def test_nothing_is_sent_without_a_policy(client: Client, address: str) -> None:
    with closing(client.get(address)) as response:
        assert "frame-ancestors 'none'" in response[POLICY]
