"""The page that makes tools of a document."""

import json
import re
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from catalog.models import DataSource
from tests.http_service import DOCUMENT, answering, running
from toolbuilder.taking_up.fetching import fetch_document
from tools.models import ToolDefinition

pytestmark = pytest.mark.django_db

ADDRESS = "/tools/~/ingest/"


@pytest.fixture
def staff() -> Client:
    """A superuser's browser."""
    client = Client()
    client.force_login(User.objects.create_superuser("ann"))
    return client


def form(**given: Any) -> dict[str, Any]:
    return {"document": json.dumps(DOCUMENT), "source": "pets", "server": "", **given}


def test_page_shows_operations_before_anything_is_written(staff: Client) -> None:
    response = staff.post(ADDRESS, form())

    text = response.content.decode()
    assert response.status_code == 200
    assert "GET /pets/{id}" in text
    assert "3 new" in text
    assert "https://pets.example.com/v1" in text
    assert not DataSource.objects.exists()


def test_only_reading_operations_are_chosen_at_first(staff: Client) -> None:
    pet = DOCUMENT["paths"]["/pets/{id}"]
    deletion = {**pet["get"], "operationId": "delete_pet"}
    paths = {**DOCUMENT["paths"], "/pets/{id}": {**pet, "delete": deletion}}

    page = staff.post(ADDRESS, form(document=json.dumps({**DOCUMENT, "paths": paths})))

    rows = {one.key: one for one in page.context["shown"]}
    text = page.content.decode()
    boxes = dict(re.findall(r'name="operation" value="(\w+)"\s+id="[^"]*"(\s+checked)?', text))
    assert {key: (one.effect, bool(boxes[key])) for key, one in rows.items()} == {
        "list_pets": ("reads", True),
        "add_pet": ("writes", False),
        "get_pet": ("reads", True),
        "delete_pet": ("deletes", False),
    }
    assert all(word in text for word in ("</svg>deletes</span>", "</svg>writes</span>"))


def test_refused_address_names_the_setting_and_the_documentation(staff: Client) -> None:
    response = staff.post(ADDRESS, form(server="http://crm.internal/v1"))

    text = response.content.decode()
    assert response.status_code == 422
    assert "name crm.internal:80 in the setting HTTP_ALLOWED_HOSTS" in text
    assert 'href="/help/http-tools/#what-may-be-called"' in text


def test_filter_shows_what_matches(staff: Client) -> None:
    text = staff.post(ADDRESS, form(words="one pet")).content.decode()

    assert "get_pet" in text
    assert 'value="list_pets"' not in text


def test_chosen_operations_become_inactive_tools(staff: Client) -> None:
    response = staff.post(ADDRESS, form(add="1", operation=["list_pets", "get_pet"]))

    assert response["Location"] == "/tools/?source=pets"
    tools = ToolDefinition.objects.order_by("name")
    assert [tool.name for tool in tools] == ["get_pet", "list_pets"]
    assert {(tool.is_active, tool.updated_by) for tool in tools} == {(False, "ann")}


@pytest.mark.parametrize(
    ("given", "text"),
    [
        pytest.param(
            {"document": "{}"}, "The document is neither OpenAPI 3 nor", id="other document"
        ),
        pytest.param({"source": ""}, "Name the HTTP service", id="no service"),
        pytest.param({"server": "https://10.0.0.1"}, "private network", id="private address"),
        pytest.param({"add": "1"}, "Choose at least one", id="nothing chosen"),
        pytest.param({"document": "<script>alert(1)</script>"}, "&lt;script&gt;", id="markup"),
    ],
)
def test_what_is_wrong_is_told(staff: Client, given: dict[str, Any], text: str) -> None:
    response = staff.post(ADDRESS, form(**given))

    assert response.status_code == 422
    assert text in response.content.decode()


def test_who_may_not_add_data_sources_makes_no_service(staff: Client) -> None:
    user = User.objects.create_user("bob", is_staff=True)
    rights = Permission.objects.filter(codename__in=["view_tooldefinition", "add_tooldefinition"])
    user.user_permissions.set(rights)
    client = Client()
    client.force_login(user)

    assert client.post(ADDRESS, form()).status_code == 422
    assert not DataSource.objects.exists()


def test_editor_of_the_tool_shows_the_operation(staff: Client) -> None:
    staff.post(ADDRESS, form(add="1", operation=["list_pets"]))

    text = staff.get(reverse("tool", args=["list_pets"])).content.decode()
    assert 'name="http-path" value="/pets"' in text
    assert staff.get(reverse("tool-try", args=["list_pets"])).status_code == 200


@pytest.mark.parametrize("name", ["tools", "sources"])
def test_lists_show_tools_and_services(staff: Client, name: str) -> None:
    staff.post(ADDRESS, form(add="1", operation=["list_pets"]))

    response = staff.get(reverse(name))
    assert response.status_code == 200
    assert "pets" in response.content.decode()


def test_page_of_the_service_opens(staff: Client) -> None:
    staff.post(ADDRESS, form(add="1", operation=["list_pets"]))

    assert staff.get(reverse("source", args=["pets"])).status_code == 200


def test_document_at_a_refused_address_names_the_setting(staff: Client) -> None:
    given = form(document="", address="http://10.0.0.7/openapi.json")

    response = staff.post(ADDRESS, given)

    assert response.status_code == 422
    assert "HTTP_ALLOWED_HOSTS" in response.content.decode()


async def test_document_is_fetched_from_its_address(settings: Any) -> None:
    settings.HTTP_ALLOWED_HOSTS = ["127.0.0.1"]
    async with running(answering(json.dumps(DOCUMENT).encode())) as service:
        text = await sync_to_async(fetch_document)(f"{service.url}/openapi.json?v=3", 2_000_000)

    assert json.loads(text) == DOCUMENT
    assert [request.target for request in service.received] == ["/v1/openapi.json?v=3"]
