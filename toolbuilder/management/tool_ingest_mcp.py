"""The action `ingest --mcp` of `manage.py tools`: another MCP server registered and its tools read."""

from collections.abc import Callable
from typing import Any

from asgiref.sync import async_to_sync
from django.core.exceptions import ValidationError

from catalog.mcp_servers.settings import to_mcp_settings
from catalog.models import McpServer
from core.errors import EditError
from core.ingest.remote_tools import read_remote_tools, served_name
from gateways.mcp_client.reader import read_server_tools
from toolbuilder.taking_up.mcp_servers import (
    MAX_READ_TIMEOUT_MS,
    activate_tools,
    count_tools,
    read_tools,
)

Tell = Callable[[str], object]


def ingest_server(url: str, options: dict[str, Any], tell: Tell) -> int:
    """Register the server and read its tools, or tell what it has; how many were refused.

    Raises ToolboxError.
    """
    server = _find_server(options["source"], url, options["token_reference"])
    if options["dry_run"]:
        return _tell_tools(server, tell)
    server.save()
    for fault in read_tools(server).faults:
        tell(f"left out: {fault}")
    refused = _activate(server, options, tell) if options["activate"] else 0
    counts = count_tools(server)
    tell(
        f"{counts.all:,} tools, {counts.active:,} on, {counts.new:,} new, {counts.changed:,} changed,"
        f" {counts.gone:,} gone, {refused:,} refused"
    )
    return refused


def _find_server(name: str, url: str, token_reference: str) -> McpServer:
    """The server of that name; one that is not there is made, not saved."""
    found = McpServer.objects.filter(name=name).first()
    if found is None:
        found = McpServer(name=name, server_url=url, token_reference=token_reference)
    elif found.server_url != url:
        raise EditError(
            f"{name} has another address; change it on the server's page, or choose a new name"
        )
    try:
        found.full_clean(exclude=["token"])
    except ValidationError as error:
        raise EditError(" ".join(error.messages)) from error
    to_mcp_settings(found)
    return found


def _tell_tools(server: McpServer, tell: Tell) -> int:
    settings = to_mcp_settings(server)
    timeout_ms = min(settings.timeout_ms, MAX_READ_TIMEOUT_MS)
    reading = read_remote_tools(
        async_to_sync(read_server_tools)(settings, timeout_ms).tools, server.name
    )
    for fault in reading.faults:
        tell(f"left out: {fault}")
    for tool in reading.tools:
        tell(f"{served_name(server.name, tool.name)}: {tool.description[:100]!r}")
    tell(f"{len(reading.tools):,} tools, {len(reading.faults):,} left out; nothing was written")
    return 0


def _activate(server: McpServer, options: dict[str, Any], tell: Tell) -> int:
    tools = server.tools.filter(gone_at=None, is_active=False)
    only = options["only"]
    if unknown := set(only) - set(server.tools.values_list("name", flat=True)):
        raise EditError(f"the server has no tool {', '.join(sorted(unknown))[:200]}")
    served, refused = activate_tools(tools.filter(name__in=only) if only else tools, options["as"])
    for tool in served:
        tell(f"{served_name(server.name, tool.name)}: on")
    for name, reason in refused.items():
        tell(f"{name}: refused: {reason}")
    return len(refused)
