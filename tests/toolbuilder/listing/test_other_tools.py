"""Tools of other MCP servers and built-in ones in the list, beside those that are made here."""

from typing import Any

import pytest
from django.test import Client

from access.roles.models import RoleGrant
from catalog.models import McpServer, McpTool
from core.ingest.remote_tools import RemoteTool
from core.roles import Role
from tests.access.calls import make_call
from tests.factories import make_tool, make_toolset
from tests.people import StaffWith
from tests.rendered import text_of
from toolbuilder.taking_up.mcp_servers import activate_tools
from tools.builtin.registry import BUILTIN_NAMES

HTMX = {"HX-Request": "true"}


def make_proxied(name: str, *, is_active: bool = True, description: str = "") -> McpTool:
    """A tool of the server weather, as though it had been read there."""
    server, _made = McpServer.objects.get_or_create(
        name="weather", server_url="https://example.com/mcp"
    )
    remote = RemoteTool(
        name=name,
        title="",
        description=description,
        annotations={},
        input_schema={"type": "object", "properties": {}},
        output_schema=None,
    )
    tool = McpTool.objects.create(
        server=server, name=name, seen=remote.to_document(), seen_digest=remote.digest
    )
    if is_active:
        activate_tools([tool], "ann")
        tool.refresh_from_db()
    return tool


def listed(client: Client, query: str = "") -> dict[str, Any]:
    rows = client.get(f"/tools/?{query}").context["listing"].rows
    return {row.tool.name: row for row in rows}


@pytest.mark.django_db
def test_every_kind_is_listed_with_its_figures_and_counted(admin: Client) -> None:
    make_tool(name="own")
    make_proxied("forecast")
    make_call("weather_forecast", outcome="tool_error")

    page = admin.get("/tools/")

    rows = {row.tool.name: row for row in page.context["listing"].rows}
    assert rows.keys() == {"own", "weather_forecast", *BUILTIN_NAMES}
    assert rows["weather_forecast"].figures.error_rate == 100
    assert {name: count for name, _label, count in page.context["listing"].kind_counts} == {
        "": 2 + len(BUILTIN_NAMES), "SQL": 1, "PYTHON": 0, "HTTP": 0, "PROXIED": 1,
        "BUILTIN": len(BUILTIN_NAMES),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("kind=PROXIED", {"weather_forecast", "weather_tides"}, id="kind"),
        pytest.param("kind=PROXIED&state=active", {"weather_forecast"}, id="active"),
        pytest.param("kind=PROXIED&state=inactive", {"weather_tides"}, id="inactive"),
        pytest.param("q=Rain", {"weather_forecast"}, id="description"),
        pytest.param("tag=weather", {"weather_forecast", "weather_tides"}, id="server"),
        pytest.param("q=weather_t", {"weather_tides"}, id="served name"),
        pytest.param("q=weather&state=failing", {"weather_tides"}, id="errors today"),
        pytest.param("q=weather&state=broken", set(), id="broken"),
        pytest.param("q=weather&source=main_db", set(), id="source"),
    ],
)
def test_filters_hold_for_them(admin: Client, query: str, expected: set[str]) -> None:
    make_proxied("forecast", description="Tells of rain")
    make_proxied("tides", is_active=False)
    make_call("weather_tides", outcome="tool_error")

    assert listed(admin, query).keys() == expected


def test_tool_left_out_by_the_setting_says_so(admin: Client, settings: Any) -> None:
    settings.MCP_BUILTIN_TOOLS = ["search_tools"]

    page = admin.get("/tools/?kind=BUILTIN&state=inactive")

    assert "search_tools" not in {row.tool.name for row in page.context["listing"].rows}
    assert "Left out by MCP_BUILTIN_TOOLS" in text_of(page)


def test_proxied_tool_is_switched_off_and_back_while_its_server_says_the_same(
    admin: Client,
) -> None:
    tool = make_proxied("forecast")
    address = f"/tools/~/proxied/{tool.pk}/active/"

    page = admin.post(address, headers=HTMX)
    assert "weather_forecast is not served any more." in text_of(page)
    assert not McpTool.objects.served().exists()
    refused = admin.post(address, {"active": "yes", "seen": "of another day"}, headers=HTMX)
    assert refused["HX-Redirect"] == "/tools/~/mcp/weather/"
    assert not McpTool.objects.served().exists()
    admin.post(address, {"active": "yes", "seen": page.context["seen"]}, headers=HTMX)

    assert McpTool.objects.served().get().accepted == tool.seen


def test_who_has_a_role_on_a_toolset_sees_its_tools_of_every_kind(staff_with: StaffWith) -> None:
    make_proxied("forecast")
    make_proxied("tides")
    reader = staff_with()
    user = reader.session["_auth_user_id"]
    RoleGrant.objects.create(
        user_id=user,
        role=Role.VIEWER,
        toolset=make_toolset("trips", "weather_forecast", "search_tools"),
    )

    page = reader.get("/tools/")

    rows = {row.tool.name for row in page.context["listing"].rows}
    assert rows == {"weather_forecast", "search_tools"}
    assert 'role="switch"' not in text_of(page)
    assert reader.post(f"/tools/~/proxied/{McpTool.objects.first().pk}/active/").status_code == 403  # type: ignore[union-attr]
