"""Other MCP servers: their tools read, switched on, changed behind one's back, accepted."""

from collections.abc import Iterator
from io import StringIO
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command

from access.encryption import seal
from catalog.management.commands.rotate_keys import rotate_passwords
from catalog.mcp_servers.settings import to_mcp_settings
from catalog.models import McpServer, McpTool, ServerState
from core.errors import ConfigurationError, DefinitionError, ToolboxError
from gateways.mcp_client.channel import McpChannel
from tests.factories import make_tool
from tests.remote_mcp import RemoteServer, remote_server
from toolbuilder.taking_up.mcp_servers import (
    ToolCounts,
    accept_changes,
    activate_tools,
    count_tools,
    deactivate_tools,
    read_due_servers,
    read_tools,
)
from tools.models import RegistryRevision
from tools.names import require_free_name
from tools.proxied_rows import read_proxied_rows

pytestmark = pytest.mark.django_db


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
    server.refresh_from_db()
    return server


def switch_on(server: McpServer, *names: str) -> dict[str, str]:
    refused = activate_tools(server.tools.filter(name__in=names), "ann")[1]
    return {name: str(reason) for name, reason in refused.items()}


def rewrite(server: McpServer, name: str, **parts: Any) -> McpTool:
    """The tool as though the server had said something else of it before; accepted as that."""
    tool = server.tools.get(name=name)
    tool.accepted = {**tool.seen, **parts}
    tool.accepted_digest = "other"
    tool.save()
    return tool


def served() -> list[str]:
    return [spec.name for spec in read_proxied_rows({}).specs]


def test_reading_serves_nothing(weather: McpServer) -> None:
    assert (weather.state, weather.server_info) == (ServerState.REACHABLE, "Weather 3")
    assert count_tools(weather) == ToolCounts(all=5, active=0, new=5)
    assert served() == []


def test_tools_that_are_switched_on_are_served(weather: McpServer) -> None:
    assert switch_on(weather, "forecast", "draw") == {}

    assert set(served()) == {"weather_draw", "weather_forecast"}
    assert weather.tools.get(name="draw").accepted_by == "ann"


@pytest.mark.parametrize("change", ["off", "server off", "gone"])
def test_tool_that_is_no_longer_to_be_served_is_not(weather: McpServer, change: str) -> None:
    switch_on(weather, "forecast")
    match change:
        case "off":
            deactivate_tools(weather.tools.all())
        case "server off":
            McpServer.objects.update(is_active=False)
        case _:
            weather.tools.update(gone_at=weather.created_at)

    assert served() == []


def test_name_of_a_tool_of_this_installation_is_refused(weather: McpServer) -> None:
    make_tool(name="weather_draw")

    refused = switch_on(weather, "draw", "forecast")

    assert refused == {
        "draw": "the name weather_draw is taken by a tool of this installation; rename that first"
    }
    assert served() == ["weather_forecast"]


def test_name_of_a_served_tool_is_refused_to_others(weather: McpServer) -> None:
    require_free_name("weather_forecast", None)
    switch_on(weather, "forecast")

    with pytest.raises(DefinitionError, match="weather_forecast is served of another MCP server"):
        require_free_name("weather_forecast", None)


def test_name_of_a_builtin_tool_is_refused(weather: McpServer, settings: Any) -> None:
    settings.MCP_BUILTIN_TOOLS = ["all"]
    McpServer.objects.update(name="get")
    weather.tools.filter(name="draw").update(name="tags")

    assert "a built-in tool" in switch_on(weather, "tags")["tags"]


def test_name_of_another_servers_tool_is_refused(weather: McpServer, remote: RemoteServer) -> None:
    other = McpServer.objects.create(name="weather_a", server_url=remote.url)
    switch_on(weather, "forecast")
    weather.tools.filter(name="forecast").update(name="a_draw")
    read_tools(other)

    assert "taken by weather's a_draw" in switch_on(other, "draw")["draw"]


def test_changed_tool_stays_as_it_was_accepted_until_somebody_accepts_it(
    weather: McpServer,
) -> None:
    switch_on(weather, "forecast")
    tool = rewrite(weather, "forecast", description="Before.")

    [spec] = read_proxied_rows({}).specs
    assert (spec.description, count_tools(weather).changed) == ("Before.", 1)
    assert spec.seen is not None
    assert accept_changes([tool], "bob") == 1

    [spec] = read_proxied_rows({}).specs
    assert spec.description == "The weather of the next days."
    assert (spec.seen, count_tools(weather).changed) == (None, 0)


def test_tool_that_goes_back_to_what_was_accepted_is_not_changed(weather: McpServer) -> None:
    switch_on(weather, "forecast")
    weather.tools.filter(name="forecast").update(seen_digest="x", accepted_digest="y")
    assert count_tools(weather).changed == 1

    read_tools(weather)

    assert count_tools(weather).changed == 0


def test_later_reading_tells_of_new_gone_and_back(weather: McpServer) -> None:
    switch_on(weather, "forecast", "draw")
    weather.tools.filter(name="draw").update(name="paint")
    weather.tools.filter(name="wait").update(name="idle")

    read_tools(weather)

    assert count_tools(weather) == ToolCounts(all=5, active=1, new=4, gone=1)
    assert not weather.tools.filter(name="idle").exists()
    weather.tools.filter(name="draw").delete()
    weather.tools.filter(name="paint").update(name="draw")
    read_tools(weather)
    assert count_tools(weather) == ToolCounts(all=5, active=2, new=3)


def test_only_what_agents_see_moves_the_revision(weather: McpServer) -> None:
    before = RegistryRevision.current()
    read_tools(weather)
    McpServer.objects.update(state=ServerState.UNREACHABLE, trouble="x")
    assert RegistryRevision.current() == before

    switch_on(weather, "forecast")
    assert RegistryRevision.current() > before
    before = RegistryRevision.current()
    McpServer.objects.update(timeout_ms=500)
    assert RegistryRevision.current() > before


def test_unchanged_tools_are_not_read_again(weather: McpServer) -> None:
    switch_on(weather, "forecast")
    rows = read_proxied_rows({})

    assert read_proxied_rows(rows.fingerprints).specs == ()


def test_server_that_is_away_is_noted_and_hinders_no_other(weather: McpServer) -> None:
    McpServer.objects.create(name="away", server_url="http://127.0.0.1:1/mcp")

    assert {k: str(v) for k, v in read_due_servers().items()} == {
        "away": "the MCP server cannot be reached; retry later"
    }
    away = McpServer.objects.get(name="away")
    assert away.state == ServerState.UNREACHABLE
    since = away.unreachable_since
    read_due_servers(["away"])
    away.refresh_from_db()
    assert away.unreachable_since == since is not None


def test_private_address_is_refused(settings: Any) -> None:
    settings.HTTP_ALLOWED_HOSTS = []
    server = McpServer.objects.create(name="inner", server_url="https://10.0.0.1/mcp")

    with pytest.raises(ToolboxError, match="private network"):
        read_tools(server)


def test_token_of_either_kind_is_sent(weather: McpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEATHER_TOKEN", "sesame")
    weather.token_reference = "env:WEATHER_TOKEN"
    assert to_mcp_settings(weather).headers == (("Authorization", "Bearer sesame"),)

    weather.token_reference, weather.token = "", seal("stored", weather.token_identity())
    assert to_mcp_settings(weather).headers == (("Authorization", "Bearer stored"),)
    weather.server_url = "https://other.example/mcp"
    with pytest.raises(ConfigurationError, match="enter it again"):
        to_mcp_settings(weather)


@pytest.mark.parametrize(
    ("wanted", "seen"),
    [("header:X-API-Key", ("x-api-key", "{}")), ("query:key", ("query", "key={}"))],
)
def test_token_goes_where_the_server_wants_it(
    remote: RemoteServer,
    monkeypatch: pytest.MonkeyPatch,
    wanted: str,
    seen: tuple[str, str],
) -> None:
    monkeypatch.setattr(remote, "token", "sesame-street")
    monkeypatch.setattr(remote, "token_seen", seen)
    monkeypatch.setenv("WEATHER_TOKEN", "sesame-street")
    server = McpServer.objects.create(
        name="weather", server_url=remote.url, token_reference="env:WEATHER_TOKEN"
    )
    with pytest.raises(ToolboxError, match="refused the credentials"):
        read_tools(server)
    revision = RegistryRevision.objects.get().revision

    way, _, name = wanted.partition(":")
    McpServer.objects.update(authentication=way, authentication_name=name)
    server.refresh_from_db()

    assert RegistryRevision.objects.get().revision == revision + 1
    read_tools(server)
    assert server.tools.filter(name="forecast").exists()
    assert to_mcp_settings(server).secrets == ("sesame-street",)


def test_access_token_is_asked_for_and_replaced_when_the_server_refuses_it(
    remote: RemoteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "token", "first-token")
    monkeypatch.setenv("WEATHER_SECRET", "sesame-street")
    server = McpServer.objects.create(
        name="weather",
        server_url=remote.url,
        token_reference="env:WEATHER_SECRET",
        authentication="client_credentials",
        client_id="agents",
        token_url=f"http://127.0.0.1:{remote.port}/token",
    )

    async def read_twice() -> list[int]:
        channel = McpChannel(to_mcp_settings(server))
        statuses = []
        for token in ("first-token", "second-token"):
            monkeypatch.setattr(remote, "token", token)
            answer = await channel.open("GET", {}, b"", 1_000)
            await answer.close()
            statuses.append(answer.status)
        await channel.close()
        return statuses

    read_tools(server)
    assert server.tools.filter(name="forecast").exists()
    assert 401 not in async_to_sync(read_twice)()


def test_stored_token_is_rotated(weather: McpServer, settings: Any) -> None:
    weather.token = seal("stored", weather.token_identity())
    weather.save()
    settings.FIELD_ENCRYPTION_KEYS = [
        Fernet.generate_key().decode(),
        *settings.FIELD_ENCRYPTION_KEYS,
    ]

    assert rotate_passwords().rotated == 1
    weather.refresh_from_db()
    assert to_mcp_settings(weather).secrets == ("stored",)


def ingest(remote: RemoteServer, *more: str) -> list[str]:
    out = StringIO()
    call_command("tools", "ingest", remote.url, "--mcp", "--source", "weather", *more, stdout=out)
    return out.getvalue().splitlines()


def test_command_registers_reads_and_switches_on(remote: RemoteServer) -> None:
    assert ingest(remote) == ["5 tools, 0 on, 5 new, 0 changed, 0 gone, 0 refused"]
    assert ingest(remote, "--activate", "--only", "forecast") == [
        "weather_forecast: on",
        "5 tools, 1 on, 4 new, 0 changed, 0 gone, 0 refused",
    ]


def test_command_says_where_the_token_goes(
    remote: RemoteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEATHER_TOKEN", "sesame-street")

    ingest(remote, "--token-reference", "env:WEATHER_TOKEN", "--token-in", "header:X-API-Key")

    assert remote.seen_headers[-1]["x-api-key"] == "sesame-street"


def test_command_refuses_token_options_that_differ_from_the_registered_server(
    remote: RemoteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEATHER_TOKEN", "sesame-street")
    token = ("--token-reference", "env:WEATHER_TOKEN")
    ingest(remote, *token)

    assert ingest(remote, *token) == ingest(remote)
    with pytest.raises(CommandError, match="weather is registered with other settings"):
        ingest(remote, *token, "--token-in", "query:key")


def test_command_registers_a_client_that_asks_for_its_token(
    remote: RemoteServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "token", "first-token")
    monkeypatch.setenv("WEATHER_SECRET", "sesame-street")
    client = ("--client-id", "agents", "--token-reference", "env:WEATHER_SECRET")
    where = ("--token-url", f"http://127.0.0.1:{remote.port}/token", "--scope", "read")

    assert ingest(remote, *client, *where)[-1].startswith("5 tools, 0 on")

    server = McpServer.objects.get(name="weather")
    assert server.authentication == "client_credentials"
    assert (server.client_id, server.token_scope) == ("agents", "read")


def test_dry_run_writes_nothing(remote: RemoteServer) -> None:
    lines = ingest(remote, "--dry-run")

    assert "weather_forecast: 'The weather of the next days.'" in lines
    assert not McpServer.objects.exists()


@pytest.mark.parametrize(
    ("more", "text"),
    [
        pytest.param(["--source", "No Name"], "A small letter, then", id="name"),
        pytest.param(["--activate", "--only", "nothing"], "has no tool nothing", id="tool"),
        pytest.param(["--token-reference", "sesame"], "env:NAME or file:NAME", id="reference"),
        pytest.param(["--token-in", "cookie:a"], "not a valid choice", id="place"),
        pytest.param(["--token-in", "header"], "Name it, as the server's", id="no name"),
        pytest.param(["--client-id", "agents"], "client credentials are --token-url", id="client"),
        pytest.param(
            ["--token-in", "query:key", "--token-url", "https://a.example"],
            "none --token-in",
            id="two ways",
        ),
    ],
)
def test_what_is_wrong_is_told(remote: RemoteServer, more: list[str], text: str) -> None:
    with pytest.raises(CommandError, match=text):
        ingest(remote, *more)
