"""Reads of what is served of other MCP servers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db import connection

from catalog.mcp_servers.settings import to_mcp_settings
from catalog.models import McpServer, McpTool
from core.errors import ConfigurationError, DefinitionError
from core.ingest.remote_tools import from_document, served_name
from core.messages import Message
from core.proxied import ProxiedSpec
from gateways.http.settings import HttpSettings

CHUNK_SIZE = 500

# A row's xmin changes with each write by any program; a server's limits are part of each tool.
_FINGERPRINTS = """
SELECT tool.id, concat_ws(' ', tool.xmin, server.name, server.timeout_ms, server.byte_limit)
FROM h_mcp_server_tool tool JOIN h_mcp_server server ON server.id = tool.server_id
WHERE tool.is_active AND server.is_active AND tool.gone_at IS NULL AND tool.accepted IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class ProxiedRows:
    """What changed: `fingerprints` of every served tool and `specs` of the changed ones, by the row's id.

    `servers` are the settings, and `refused` the reasons of servers that cannot be called, by name.
    """

    servers: Mapping[str, HttpSettings] = field(default_factory=dict)
    refused: Mapping[str, Message] = field(default_factory=dict)
    fingerprints: Mapping[int, str] = field(default_factory=dict)
    specs: tuple[ProxiedSpec, ...] = ()


def read_proxied_rows(known: Mapping[int, str]) -> ProxiedRows:
    """The served tools whose fingerprint is not the `known` one. A bad row leaves out that tool alone."""
    servers: dict[str, HttpSettings] = {}
    refused: dict[str, Message] = {}
    for row in McpServer.objects.filter(is_active=True):
        try:
            servers[row.name] = to_mcp_settings(row)
        except ConfigurationError as error:
            refused[row.name] = error.message
    with connection.cursor() as cursor:
        cursor.execute(_FINGERPRINTS)
        fingerprints = dict(cursor.fetchall())
    changed = [id_ for id_, value in fingerprints.items() if known.get(id_) != value]
    specs: list[ProxiedSpec] = []
    rows = McpTool.objects.served().filter(pk__in=changed).select_related("server").order_by("pk")
    for tool in rows.iterator(CHUNK_SIZE):
        try:
            specs.append(make_proxied_spec(tool))
        except DefinitionError:
            # The server's page shows it, where reading the tools again repairs the row.
            continue
    return ProxiedRows(servers, refused, fingerprints, tuple(specs))


def make_proxied_spec(tool: McpTool) -> ProxiedSpec:
    """The tool as it is served. Raises DefinitionError."""
    server = tool.server
    return ProxiedSpec(
        id=tool.pk,
        name=served_name(server.name, tool.name),
        server=server.name,
        accepted=from_document(tool.accepted or {}),
        seen=from_document(tool.seen) if tool.has_changed else None,
        byte_limit=server.byte_limit,
        timeout_ms=server.timeout_ms,
    )
