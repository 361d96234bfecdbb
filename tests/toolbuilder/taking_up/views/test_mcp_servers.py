"""The pages of other MCP servers."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from catalog.models import McpServer
from tests.people import StaffWith
from tests.remote_mcp import RemoteServer, remote_server
from toolbuilder.taking_up.mcp_servers import activate_tools, read_tools
from toolbuilder.taking_up.mcp_tool_rows import digest_of_list

pytestmark = pytest.mark.django_db

LIST = "/tools/~/mcp/"
PAGE = f"{LIST}weather/"
SECRET = "hunter2hunter2"


@pytest.fixture(scope="module")
def remote() -> Iterator[RemoteServer]:
    with remote_server() as server:
        yield server


@pytest.fixture(autouse=True)
def _local_host_is_allowed(settings: Any) -> None:
    settings.HTTP_ALLOWED_HOSTS = ["127.0.0.1"]


@pytest.fixture
def weather(remote: RemoteServer) -> McpServer:
    """The server, its tools read."""
    server = McpServer.objects.create(name="weather", server_url=remote.url)
    read_tools(server)
    return server


CLIENT = {
    "authentication": "client_credentials",
    "client_id": "agents",
    "token_url": "http://127.0.0.1:9/token",
}


def form(remote: RemoteServer, **given: Any) -> dict[str, Any]:
    limits = {
        "authentication": "bearer",
        "timeout_ms": 30_000,
        "byte_limit": 1_000_000,
        "max_calls": 16,
    }
    return {"name": "weather", "server_url": remote.url, "is_active": "on", **limits, **given}


def press(admin: Client, server: McpServer, do: str, *names: str) -> str:
    """The page after the button, for these tools."""
    chosen = list(server.tools.filter(name__in=names).values_list("pk", flat=True))
    given = {"do": do, "tool": chosen, "seen": digest_of_list(server)}
    return admin.post(f"{PAGE}tools/", given, follow=True).content.decode()


def test_empty_list_leads_to_the_form(admin: Client) -> None:
    assert f"{LIST}~new/" in admin.get(LIST).content.decode()
    assert admin.get(f"{LIST}~new/").status_code == 200


def test_saved_server_shows_its_tools_before_any_is_served(
    admin: Client, remote: RemoteServer
) -> None:
    text = admin.post(f"{LIST}~new/", form(remote, new_token=SECRET), follow=True).content.decode()

    server = McpServer.objects.get()
    assert "5 tools were read." in text
    assert "weather_forecast" in text
    assert "The weather of the next days." in text
    assert "readOnly" in text
    assert "0 of 5 on" in text
    assert SECRET not in text + server.token
    assert SECRET not in admin.get(f"{PAGE}edit/").content.decode()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        pytest.param({"name": "No Name"}, "A small letter, then", id="name"),
        pytest.param({"server_url": "https://10.0.0.1/mcp"}, "a private network", id="private"),
        pytest.param({"server_url": "ftp://x.example"}, "has to begin with https", id="scheme"),
        pytest.param({"token_reference": "env:NO_SUCH"}, "NO_SUCH is not set", id="variable"),
        pytest.param(
            {"new_token": "a", "token_reference": "env:HOME"}, "not both", id="two tokens"
        ),
        pytest.param({"new_token": "a\nb"}, "printable ASCII", id="token of two lines"),
        pytest.param({"authentication": "header"}, "Name it, as the", id="header without a name"),
        pytest.param(
            {"authentication": "client_credentials"}, "Name it, as the", id="client without a name"
        ),
        pytest.param(CLIENT, "secret of the service is missing", id="client without a secret"),
        pytest.param(
            CLIENT | {"token_url": "http://10.0.0.1/token", "new_token": "secret"},
            "the token URL cannot be called",
            id="private token URL",
        ),
        pytest.param(
            {"server_url": "https://example.com/mcp?key=a"},
            "token that goes into a parameter",
            id="key in the address",
        ),
    ],
)
def test_what_is_wrong_with_the_form_is_told(
    admin: Client, remote: RemoteServer, given: dict[str, Any], text: str
) -> None:
    response = admin.post(f"{LIST}~new/", form(remote, **given))

    assert response.status_code == 422
    assert text in response.content.decode()
    assert not McpServer.objects.exists()


def test_stored_token_is_entered_again_for_another_address(
    admin: Client, remote: RemoteServer
) -> None:
    admin.post(f"{LIST}~new/", form(remote, new_token=SECRET))

    moved = admin.post(f"{PAGE}edit/", form(remote, server_url="https://other.example/mcp"))
    exchanged = admin.post(f"{PAGE}edit/", form(remote, **CLIENT))
    # Of another way of authentication, which the page hides.
    kept = admin.post(f"{PAGE}edit/", form(remote, timeout_ms=900, token_url="https://a.example"))

    assert "meant for another address" in moved.content.decode()
    assert "meant for another address" in exchanged.content.decode()
    assert kept.status_code == 302
    assert McpServer.objects.get().timeout_ms == 900


def test_chosen_tools_are_switched_on_and_off(admin: Client, weather: McpServer) -> None:
    assert "2 tools are on." in press(admin, weather, "on", "forecast", "draw")
    assert "2 of 5 on" in admin.get(PAGE).content.decode()
    assert "1 tool is off." in press(admin, weather, "off", "draw")
    assert "4 tools are on." in press(admin, weather, "all")


def test_nothing_chosen_is_told(admin: Client, weather: McpServer) -> None:
    assert "Choose at least one tool." in press(admin, weather, "on")


def test_tool_that_changed_while_somebody_looked_is_not_accepted(
    admin: Client, weather: McpServer
) -> None:
    given = {"do": "on", "tool": [weather.tools.first().pk], "seen": digest_of_list(weather)}  # type: ignore[union-attr]
    weather.tools.update(seen_digest="other")

    text = admin.post(f"{PAGE}tools/", given, follow=True).content.decode()

    assert "says something else of its tools now" in text
    assert not weather.tools.filter(is_active=True).exists()


def test_change_is_shown_and_accepted(admin: Client, weather: McpServer) -> None:
    activate_tools(weather.tools.filter(name="forecast"), "ann")
    tool = weather.tools.get(name="forecast")
    tool.accepted = {**tool.seen, "description": "Before."}
    tool.accepted_digest = "other"
    tool.save()

    text = admin.get(PAGE).content.decode()
    assert "on, changed" in text
    assert "Before." in text
    assert "1 changed schema or text" in admin.get(LIST).content.decode()
    assert "1 change was accepted." in press(admin, weather, "accept", "forecast")


def test_markup_of_the_server_is_text(admin: Client, weather: McpServer) -> None:
    tool = weather.tools.get(name="draw")
    tool.seen = {**tool.seen, "description": "<script>alert(1)</script>"}
    tool.save()

    text = admin.get(PAGE).content.decode()

    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_server_that_is_away_is_told(admin: Client, weather: McpServer) -> None:
    McpServer.objects.update(server_url="http://127.0.0.1:1/mcp")

    text = admin.post(f"{PAGE}read/", follow=True).content.decode()

    assert "cannot be reached; retry later" in text
    assert "Not reachable since" in text
    assert "not reachable" in admin.get(LIST).content.decode()


def test_filter_shows_what_matches(admin: Client, weather: McpServer) -> None:
    text = admin.get(PAGE, {"q": "picture sky"}).content.decode()

    assert "weather_draw" in text
    assert "weather_forecast" not in text


def test_deleting_says_what_agents_lose(admin: Client, weather: McpServer) -> None:
    activate_tools(weather.tools.all(), "ann")

    assert "Agents lose 5 tools." in admin.get(f"{PAGE}delete/").content.decode()
    admin.post(f"{PAGE}delete/")
    assert not McpServer.objects.exists()


def test_list_asks_a_fixed_number_of_queries(
    admin: Client, weather: McpServer, django_assert_max_num_queries: Any
) -> None:
    for number in range(5):
        McpServer.objects.create(name=f"more{number}", server_url="https://x.example/mcp")

    with django_assert_max_num_queries(12):
        admin.get(LIST)


@pytest.mark.parametrize("address", [LIST, PAGE, f"{PAGE}edit/", f"{LIST}~new/", f"{PAGE}delete/"])
def test_pages_are_for_those_with_the_right(
    weather: McpServer, staff_with: StaffWith, address: str
) -> None:
    assert staff_with().get(address).status_code == 403


def test_who_may_only_see_gets_no_buttons(weather: McpServer, staff_with: StaffWith) -> None:
    client = staff_with("view_mcpserver")

    assert "Switch on" not in client.get(PAGE).content.decode()
    assert client.post(f"{PAGE}tools/", {"do": "all"}).status_code == 403


@pytest.mark.parametrize("page", ["mcpserver/", "mcpserver/add/", "mcptool/"])
def test_back_office_shows_servers_and_tools(admin: Client, weather: McpServer, page: str) -> None:
    response = admin.get(f"/admin/catalog/{page}")

    assert response.status_code == 200
    assert page.endswith("add/") or "weather" in response.content.decode()


def test_back_office_changes_a_server(
    admin: Client, weather: McpServer, remote: RemoteServer
) -> None:
    address = f"/admin/catalog/mcpserver/{weather.pk}/change/"

    assert "reachable" in admin.get(address).content.decode()
    assert admin.post(address, form(remote, byte_limit=5_000)).status_code == 302
    assert McpServer.objects.get().byte_limit == 5_000
