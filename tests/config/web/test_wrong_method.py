"""Addresses of actions, opened in a browser."""

from unittest.mock import patch
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.template.backends.django import Template
from django.test import Client

from config.web.wrong_method import find_page_above
from tests.addresses import list_addresses

NUMBERS = (
    "tool_id",
    "table_id",
    "column_id",
    "relation_id",
    "scan_id",
    "question_id",
    "call_id",
    "key_pk",
    "limit_pk",
    "grant_pk",
    "issuer_pk",
    "rule_pk",
    "number",
    "alias_id",
    "review_id",
    "comment_id",
    "replay_id",
    "chat_id",
    "run_id",
    "entry",
    "user_pk",
)
TEXTS = ("name", "key", "key_id", "source_name", "path", "language", "rule", "secret", "table")
ARGUMENTS = dict.fromkeys(NUMBERS, 5) | dict.fromkeys(TEXTS, "x") | {"uid": UUID(int=5)}


@pytest.mark.django_db
def test_no_address_answers_a_browser_with_an_empty_page(client: Client) -> None:
    client.force_login(User.objects.create_superuser("ann"))

    # What pages say takes half of the time.
    with patch.object(Template, "render", return_value=""):
        refused = [
            name
            for name, address in list_addresses(ARGUMENTS)
            if client.get(address).status_code == 405
        ]

    assert refused == []


@pytest.mark.django_db
def test_form_of_a_concept_leads_to_the_glossary(client: Client) -> None:
    client.force_login(User.objects.create_superuser("ann"))

    assert client.get("/catalogue/~/glossary/add/")["Location"] == "/catalogue/~/glossary/"


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/tools/sales/test/", "/tools/sales/"),
        ("/tools/~/drafts/6b1f6e0c-6f5e-4d0c-9df0-1f1f1f1f1f1f/test/", "/tools/~/drafts/6b1f6e0c-6f5e-4d0c-9df0-1f1f1f1f1f1f/"),
        ("/tools/~/5/active/", "/tools/"),
        ("/keys/5/revoke/", "/keys/5/"),
        ("/catalogue/~/tables/5/tags/", "/catalogue/"),
        ("/theme/", "/"),
    ],
)  # fmt: skip
def test_page_above_an_action_has_its_form(path: str, page: str) -> None:
    assert find_page_above(path) == page


@pytest.mark.django_db
def test_htmx_and_programs_are_told_of_the_wrong_method(client: Client) -> None:
    client.force_login(User.objects.create_superuser("ann"))
    address = "/catalogue/~/glossary/add/"

    assert client.get(address, headers={"HX-Request": "true"}).status_code == 405
    assert client.get(address, headers={"Accept": "application/json"}).status_code == 405
