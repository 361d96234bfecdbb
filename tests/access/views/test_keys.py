"""The pages of keys: listed, made, shown once, revoked."""

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from access.keys import find_key, issue_key, token_digest
from access.models import ApiKey
from tests.people import StaffWith

HTMX = {"HX-Request": "true"}
HOSTILE = "<script>alert(1)</script>"


def text_of(response: Any) -> str:
    return str(response.content.decode())


def create(client: Client, **fields: str) -> Any:
    given = {"name": "claude", "days": "90", "reach": "these", "claims": "", **fields}
    return client.post("/keys/new/", given, headers=HTMX)


def test_new_key_is_shown_once_and_works(admin: Client) -> None:
    response = create(admin, allowed_tools="sales\n stores , sales", claims='{"tenant": "KR"}')

    token = response.context["token"]
    key = find_key(token)
    assert key is not None
    assert (key.name, key.allowed_tools, key.claims) == (
        "claude",
        ["sales", "stores"],
        {"tenant": "KR"},
    )
    assert key.owner == User.objects.get(username="admin")
    assert key.expires_at is not None
    assert "no-store" in response["Cache-Control"]
    for address in ("/keys/", "/keys/new/"):
        assert token not in text_of(admin.get(address))


@pytest.mark.parametrize(
    "words",
    ["claude mcp add", "mcp-remote", "mcpServers", "servers", "StreamableHttpTransport", "McpToolset"],
    ids=["Claude Code", "Claude Desktop", "Cursor", "VS Code", "Python", "ADK"],
)  # fmt: skip
def test_new_key_comes_with_what_connects_a_client(
    admin: Client, settings: Any, words: str
) -> None:
    settings.MCP_PORT = 4003
    connections = create(admin, reach="every").context["connections"]

    text = next(one.text for one in connections if words in one.text)

    assert "http://testserver:4003/mcp" in text
    assert ApiKey.objects.get().digest in {
        token_digest(word) for word in text.replace('"', " ").split()
    }


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        pytest.param({"name": ""}, "This field is required", id="no name"),
        pytest.param({"claims": "{"}, "Enter a valid JSON", id="no JSON"),
        pytest.param({"claims": '["a"]'}, "Claims are a JSON object", id="no object"),
        pytest.param({"days": "-1"}, "Select a valid choice", id="no such lifetime"),
    ],
)
def test_wrong_form_comes_back_with_what_was_typed(
    admin: Client, fields: dict[str, str], words: str
) -> None:
    response = create(admin, **{"allowed_tools": HOSTILE, **fields})

    assert response.status_code == 422
    assert words in text_of(response)
    assert "&lt;script&gt;" in text_of(response)
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"reach": "these"}, id="nothing named"),
        pytest.param({"reach": ""}, id="nothing chosen"),
        pytest.param({"reach": "these", "allowed_tools": " , \n"}, id="only commas"),
        pytest.param({"reach": "these", "allowed_tools": "sales, *"}, id="the mark among names"),
    ],
)
def test_key_without_any_tool_is_refused_with_a_sentence(
    admin: Client, fields: dict[str, str]
) -> None:
    response = create(admin, **fields)

    assert response.status_code == 422
    assert "Name at least one tool, or choose every tool." in text_of(response)
    assert not ApiKey.objects.exists()


def test_every_tool_is_a_choice(admin: Client) -> None:
    create(admin, reach="every", allowed_tools="sales")

    assert ApiKey.objects.get().allowed_tools == ["*"]


def test_revoked_key_is_refused_and_says_so(admin: Client) -> None:
    issued = issue_key("claude")

    response = admin.post(f"/keys/{issued.key.pk}/revoke/", headers=HTMX)

    assert find_key(issued.token) is None
    assert "Revoked" in text_of(response)
    assert "hx-post" not in text_of(response)


def test_revoking_again_keeps_the_date(admin: Client) -> None:
    issued = issue_key("claude")
    admin.post(f"/keys/{issued.key.pk}/revoke/")
    revoked_at = ApiKey.objects.get().revoked_at

    admin.post(f"/keys/{issued.key.pk}/revoke/")

    assert ApiKey.objects.get().revoked_at == revoked_at


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["a", "b", "c"]),
        ("state=valid", ["a"]),
        ("state=expired", ["b"]),
        ("state=revoked", ["c"]),
        ("q=admin", ["a"]),
        ("state=x&q=%00&page=99", ["a", "b", "c"]),
    ],
)
def test_filters_of_the_list(admin: Client, query: str, expected: list[str]) -> None:
    now = timezone.now()
    issue_key("a", owner=User.objects.get())
    issue_key("b", expires_at=now - timedelta(days=1))
    issue_key("c")
    ApiKey.objects.filter(name="c").update(revoked_at=now)

    response = admin.get(f"/keys/?{query}")

    assert [key.name for key in response.context["page"]] == expected


def test_list_asks_the_same_number_of_queries_for_any_number_of_keys(
    admin: Client, django_assert_num_queries: Any
) -> None:
    owner = User.objects.get()
    for number in range(60):
        issue_key(f"{HOSTILE}{number}", owner=owner)

    with django_assert_num_queries(6):
        page = text_of(admin.get("/keys/"))

    assert HOSTILE not in page


def test_who_only_reads_gets_no_buttons_and_no_way_around_them(staff_with: StaffWith) -> None:
    issued = issue_key("claude")
    reader = staff_with("view_apikey")

    assert "/revoke/" not in text_of(reader.get("/keys/"))
    assert reader.get("/keys/new/").status_code == 403
    assert create(reader).status_code == 403
    assert reader.post(f"/keys/{issued.key.pk}/revoke/").status_code == 403


def test_keys_are_made_without_javascript(admin: Client) -> None:
    given = {"name": "claude", "days": "", "reach": "every"}
    page = text_of(admin.post("/keys/new/", given))

    assert "<html" in page
    assert ApiKey.objects.get().expires_at is None
