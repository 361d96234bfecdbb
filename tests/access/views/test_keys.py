"""The pages of keys: listed, made, shown once, changed, given a new token, revoked."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from access.keys import find_key, issue_key, token_digest
from access.models import ApiKey
from core.grants import Grant
from tests.factories import make_data_source, make_tool, make_toolset
from tests.people import StaffWith

HTMX = {"HX-Request": "true"}
HOSTILE = "<script>alert(1)</script>"


def text_of(response: Any) -> str:
    return str(response.content.decode())


def create(client: Client, **fields: Any) -> Any:
    given = {"name": "claude", "days": "90", "reach": "these", "claims": "", **fields}
    return client.post("/keys/new/", given)


def test_new_key_is_shown_once_and_works(admin: Client) -> None:
    make_tool(name="sales")
    tools = ["sales", "search_tools"]
    response = create(admin, allowed_tools=tools, claims='{"tenant": "KR"}', owner="admin")

    token = response.context["token"]
    key = find_key(token)
    assert key is not None
    assert (key.name, key.allowed_tools, key.claims) == (
        "claude",
        ["sales", "search_tools"],
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
        pytest.param({"toolsets": "x"}, "Select a valid choice", id="no such toolset"),
        pytest.param({"allowed_tools": "x"}, "Select a valid choice", id="no such tool"),
        pytest.param({"networks": f"10.0.0.0/8\n{HOSTILE}"}, "is no address", id="no network"),
    ],
)
def test_wrong_form_comes_back_with_what_was_typed(
    admin: Client, fields: dict[str, str], words: str
) -> None:
    response = create(admin, **{"networks": HOSTILE, "allowed_tools": "search_tools", **fields})

    assert response.status_code == 422
    assert words in text_of(response)
    assert "&lt;script&gt;" in text_of(response)
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"reach": "these"}, id="nothing named"),
        pytest.param({"reach": ""}, id="nothing chosen"),
    ],
)
def test_key_without_any_tool_is_refused_with_a_sentence(
    admin: Client, fields: dict[str, str]
) -> None:
    response = create(admin, **fields)

    assert response.status_code == 422
    assert "Tick at least one toolset, group or tool" in text_of(response)
    assert not ApiKey.objects.exists()


def test_every_tool_is_a_choice(admin: Client) -> None:
    create(admin, reach="every", allowed_tools="search_tools")

    assert ApiKey.objects.get().allowed_tools == ["*"]


def test_scopes_are_ticked(admin: Client) -> None:
    make_toolset("sales-kr")
    make_data_source("warehouse")

    create(
        admin,
        toolsets="sales-kr",
        builtin_groups=["search", "catalogue"],
        sources=["", "warehouse"],
        networks="10.0.0.0/8\n2001:db8::1",
    )

    key = ApiKey.objects.get()
    assert key.grant == Grant(
        tools=frozenset(),
        toolsets=frozenset({"sales-kr"}),
        groups=frozenset({"search", "catalogue"}),
        sources=frozenset({"", "warehouse"}),
    )
    assert key.allowed_networks == ["10.0.0.0/8", "2001:db8::1"]


def test_key_is_changed(admin: Client) -> None:
    key = issue_key("claude").key
    page = text_of(admin.get(f"/keys/{key.pk}/"))
    given = {"name": "cursor", "days": "same", "reach": "these", "builtin_groups": "search"}

    admin.post(f"/keys/{key.pk}/", {**given, "sources": "*", "claims": ""})

    key.refresh_from_db()
    assert 'value="claude"' in page
    assert (key.name, key.allowed_tools, key.builtin_groups) == ("cursor", [], ["search"])


def test_saving_the_key_of_a_deactivated_owner_does_not_revive_it(admin: Client) -> None:
    owner = User.objects.create_user("hong", is_active=False)
    issued = issue_key("claude", owner)
    User.objects.create_user("kim", is_active=False)
    page = text_of(admin.get(f"/keys/{issued.key.pk}/"))

    given = {"name": "cursor", "days": "same", "reach": "every", "sources": "*", "claims": ""}
    admin.post(f"/keys/{issued.key.pk}/", {**given, "owner": "hong"})

    issued.key.refresh_from_db()
    assert '<option value="hong" selected>' in page
    assert "kim" not in page
    assert (issued.key.name, issued.key.owner) == ("cursor", owner)
    assert find_key(issued.token) is None


def test_saving_a_key_keeps_the_one_network_that_another_program_wrote(admin: Client) -> None:
    key = issue_key("claude").key
    ApiKey.objects.filter(pk=key.pk).update(allowed_networks="10.0.0.0/8")
    page = text_of(admin.get(f"/keys/{key.pk}/"))

    assert re.search(r"<textarea[^>]*>\s*10\.0\.0\.0/8</textarea>", page)


def test_what_a_person_may_not_see_of_a_key_stays(staff_with: StaffWith) -> None:
    source = make_data_source("hr", is_restricted=True)
    make_tool(name="salaries", data_source=source)
    make_tool(name="stores")
    key = issue_key("claude").key
    tools, sources = ["salaries", "gone", "stores"], ["hr", ""]
    ApiKey.objects.filter(pk=key.pk).update(allowed_tools=tools, free_sql_sources=sources)
    clerk = staff_with("view_apikey", "change_apikey")
    page = text_of(clerk.get(f"/keys/{key.pk}/"))

    given = {"name": "claude", "days": "same", "reach": "these", "claims": ""}
    clerk.post(f"/keys/{key.pk}/", {**given, "allowed_tools": "gone"})

    key.refresh_from_db()
    assert "salaries" not in page
    assert "gone" in page
    assert set(key.allowed_tools) == {"salaries", "gone"}
    assert key.free_sql_sources == ["hr"]
    refused = clerk.post(f"/keys/{key.pk}/", {**given, "allowed_tools": "salaries"})
    assert refused.status_code == 422


def test_key_that_another_program_wrote_badly_is_shown_and_mended(admin: Client) -> None:
    key = issue_key("claude").key
    wrong = {"toolsets": {"a": 1}, "builtin_groups": "x", "free_sql_sources": 7}
    ApiKey.objects.filter(pk=key.pk).update(**wrong, allowed_tools={}, allowed_networks="?")

    assert admin.get(f"/keys/{key.pk}/").status_code == 200
    assert admin.get("/keys/").status_code == 200
    given = {"name": "claude", "days": "", "reach": "every", "claims": "", "sources": ""}
    admin.post(f"/keys/{key.pk}/", given)

    key.refresh_from_db()
    assert key.grant == Grant(sources=frozenset({""}))


def test_new_token_is_shown_once_and_the_former_one_is_good_for_the_overlap(admin: Client) -> None:
    issued = issue_key("claude")
    address = f"/keys/{issued.key.pk}/rotate/"

    first = admin.post(address, {"hours": "24"})
    second = admin.post(address, {"hours": "0"})

    assert "no-store" in first["Cache-Control"]
    assert find_key(second.context["token"]) == issued.key
    assert find_key(first.context["token"]) is None
    assert find_key(issued.token) is None
    assert second.context["token"] not in text_of(admin.get(f"/keys/{issued.key.pk}/"))


def test_former_token_is_said_to_be_good_yet(admin: Client) -> None:
    issued = issue_key("claude")

    admin.post(f"/keys/{issued.key.pk}/rotate/", {"hours": "24"})

    assert find_key(issued.token) == issued.key
    assert "former token until" in text_of(admin.get("/keys/"))


@pytest.mark.parametrize("hours", ["", "-1", "9999", "x"])
def test_no_other_overlap_is_taken(admin: Client, hours: str) -> None:
    issued = issue_key("claude")

    admin.post(f"/keys/{issued.key.pk}/rotate/", {"hours": hours})

    assert find_key(issued.token) == issued.key


def test_nobody_takes_the_token_of_another_owner(staff_with: StaffWith) -> None:
    owner = User.objects.create_user("ann")
    issued = issue_key("claude", owner=owner)
    clerk = staff_with("view_apikey", "change_apikey", "add_apikey")

    assert clerk.post(f"/keys/{issued.key.pk}/rotate/", {"hours": "24"}).status_code == 403
    create(clerk, owner="ann", reach="every")

    assert ApiKey.objects.latest("pk").owner == User.objects.get(username="kim")


def test_tools_to_tick_are_found_by_their_texts_after_those_that_are_ticked(admin: Client) -> None:
    make_tool(name="sales", description_agent="매출")
    make_tool(name="stores", description_agent="店舗マスタ")

    page = text_of(admin.get("/keys/tools/?find=店舗&allowed_tools=sales"))

    assert 'value="sales" checked' in page
    assert 'value="stores">' in page
    assert "search_tools" not in page


def test_key_of_one_toolset_is_led_to_its_endpoint(admin: Client, settings: Any) -> None:
    settings.MCP_PUBLIC_URL = "https://tools.example.com/mcp"
    make_toolset("sales-kr")

    assert 'value="sales-kr" checked' in text_of(admin.get("/keys/new/?toolset=sales-kr"))
    assert create(admin, toolsets="sales-kr").context["mcp_url"].endswith("/mcp/sales-kr")


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

    with django_assert_num_queries(7):
        page = text_of(admin.get("/keys/"))

    assert HOSTILE not in page


def test_who_only_reads_gets_no_buttons_and_no_way_around_them(staff_with: StaffWith) -> None:
    issued = issue_key("claude")
    reader = staff_with("view_apikey")

    assert "/revoke/" not in text_of(reader.get("/keys/"))
    assert reader.get("/keys/new/").status_code == 403
    assert create(reader).status_code == 403
    assert reader.get("/keys/tools/").status_code == 403
    for address in ("", "rotate/", "revoke/"):
        assert reader.post(f"/keys/{issued.key.pk}/{address}").status_code == 403


def test_keys_are_made_without_javascript(admin: Client) -> None:
    given = {"name": "claude", "days": "", "reach": "every"}
    page = text_of(admin.post("/keys/new/", given))

    assert "<html" in page
    assert ApiKey.objects.get().expires_at is None
