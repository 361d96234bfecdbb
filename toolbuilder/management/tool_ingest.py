"""The action `ingest` of `manage.py tools`: tools from an OpenAPI document, or of another MCP server."""

from argparse import ArgumentParser
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from asgiref.sync import async_to_sync
from django.core.exceptions import ValidationError

from catalog.mcp_servers.settings import to_mcp_settings
from catalog.models import Authentication, McpServer
from core.errors import EditError
from core.ingest.remote_tools import read_remote_tools, served_name
from gateways.mcp_client.reader import read_server_tools
from toolbuilder.management.tool_arguments import add_without_review
from toolbuilder.taking_up.ingesting import (
    IngestKind,
    apply_ingest,
    find_service,
    plan_ingest,
    read_openapi_text,
    save_service,
)
from toolbuilder.taking_up.mcp_servers import (
    MAX_READ_TIMEOUT_MS,
    activate_tools,
    count_tools,
    read_tools,
)
from toolbuilder.taking_up.operations import keep_operations

WriteLine = Callable[[str], object]

# How an MCP server learns who calls.
_TOKEN_OPTIONS = (
    ("--token-reference", "env:NAME", "the MCP server's token"),
    (
        "--token-in",
        "header:NAME|query:NAME",
        "where the MCP server wants its token (default: Authorization: Bearer)",
    ),
    (
        "--token-url",
        "URL",
        "where its token is asked for by OAuth 2.0 client credentials; the token reference is the"
        " client's secret",
    ),
    ("--client-id", "ID", "for --token-url"),
    ("--scope", "SCOPE", "for --token-url"),
)
_TOKEN_OF = attrgetter(
    "token_reference",
    "authentication",
    "authentication_name",
    "token_url",
    "client_id",
    "token_scope",
)


def add_ingest(actions: Any) -> None:
    """Declare the action's arguments."""
    ingest: ArgumentParser = actions.add_parser(
        "ingest",
        help="make inactive tools of the operations of an OpenAPI document, or of an MCP server",
    )
    ingest.add_argument(
        "file",
        metavar="FILE",
        help="JSON or YAML; - is standard input; with --mcp the server's URL",
    )
    ingest.add_argument(
        "--source", required=True, metavar="NAME", help="the HTTP service, or the MCP server"
    )
    ingest.add_argument(
        "--mcp",
        action="store_true",
        help="FILE is the URL of an MCP server, whose tools are proxied",
    )
    for option, metavar, text in _TOKEN_OPTIONS:
        ingest.add_argument(option, default="", metavar=metavar, help=text)
    ingest.add_argument(
        "--activate", action="store_true", help="serve the MCP server's tools, or those of --only"
    )
    ingest.add_argument(
        "--server", default="", metavar="URL", help="its address (default: the document's)"
    )
    ingest.add_argument(
        "--only", nargs="+", default=[], metavar="TAG|NAME", help="only these operations"
    )
    ingest.add_argument("--dry-run", action="store_true", help="only tell what would change")
    ingest.add_argument("--as", default="", metavar="USER", help="whose rights count")
    ingest.add_argument("--note", default="", help="kept with each version")
    add_without_review(ingest)


def ingest_document(text: str, options: dict[str, Any], write: WriteLine) -> int:
    """Take the document up, or say what that would do; how many operations were refused.

    Raises ToolboxError.
    """
    reading = read_openapi_text(text)
    source = find_service(options["source"], options["server"], reading)
    reading = reading.at(source.server_url)
    plan = plan_ingest(reading, source, options["only"])
    for fault in plan.faults:
        write(f"left out: {fault}")
    for tool in plan.gone:
        write(f"{tool.name}: gone from the document; the tool was left as it is")
    if options["dry_run"]:
        for planned in plan.operations:
            operation = planned.operation
            route = f"{operation.method.upper()} {operation.path}"
            write(f"{planned.snapshot.name}: {planned.kind} ({route})")
        write(", ".join(f"{count:,} {kind}" for kind, count in plan.counts.items()))
        return 0
    save_service(source)
    keep_operations(source, reading.operations)
    kinds = {planned.snapshot.name: planned.kind for planned in plan.operations}
    refused = 0
    outcomes = apply_ingest(
        plan.operations,
        options["as"],
        note=options["note"],
        unreviewed_because=options["without_review"].strip(),
    )
    for outcome in outcomes:
        if outcome.refusal:
            refused += 1
            write(f"{outcome.name}: refused: {outcome.refusal}")
        elif outcome.version:
            write(f"{outcome.name}: {kinds[outcome.name]}, version {outcome.version}")
    added, changed = plan.count(IngestKind.NEW), plan.count(IngestKind.CHANGED)
    write(
        f"{added:,} new, {changed:,} changed, {len(plan.gone):,} gone, {refused:,} refused;"
        " new tools are inactive until somebody switches them on."
    )
    return refused


def ingest_server(url: str, options: dict[str, Any], write: WriteLine) -> int:
    """Register the server and read its tools, or say what it has; how many were refused.

    Raises ToolboxError.
    """
    server = _find_server(options["source"], url, options)
    if options["dry_run"]:
        settings = to_mcp_settings(server)
        timeout_ms = min(settings.timeout_ms, MAX_READ_TIMEOUT_MS)
        listed = async_to_sync(read_server_tools)(settings, timeout_ms)
        reading = read_remote_tools(listed.tools, server.name)
        for fault in reading.faults:
            write(f"left out: {fault}")
        for tool in reading.tools:
            write(f"{served_name(server.name, tool.name)}: {tool.description[:100]!r}")
        write(
            f"{len(reading.tools):,} tools, {len(reading.faults):,} left out; nothing was written"
        )
        return 0
    server.save()
    for fault in read_tools(server).faults:
        write(f"left out: {fault}")
    refused = _activate(server, options, write) if options["activate"] else 0
    counts = count_tools(server)
    write(
        f"{counts.all:,} tools, {counts.active:,} on, {counts.new:,} new, {counts.changed:,} changed,"
        f" {counts.gone:,} gone, {refused:,} refused"
    )
    return refused


def _find_server(name: str, url: str, options: dict[str, Any]) -> McpServer:
    """The registered server of that name, or a new one, not saved; raises EditError if it is another."""
    asked = McpServer(name=name, server_url=url, token_reference=options["token_reference"])
    way, client = options["token_in"], [options["token_url"], options["client_id"]]
    if any((*client, options["scope"])):
        if way or not all((*client, options["token_reference"])):
            raise EditError(
                "client credentials are --token-url, --client-id and, for the client's secret,"
                " --token-reference; some services want --scope, none --token-in"
            )
        asked.authentication = Authentication.CLIENT_CREDENTIALS
        asked.token_url, asked.client_id = client
        asked.token_scope = options["scope"]
    elif way:
        asked.authentication, _, asked.authentication_name = way.partition(":")
    found = McpServer.objects.filter(name=name).first()
    if found is None:
        try:
            asked.full_clean(exclude=["token"])
        except ValidationError as error:
            raise EditError(" ".join(error.messages)) from error
    elif found.server_url != url:
        raise EditError(
            f"{name} has another address; change it on the server's page, or choose a new name"
        )
    elif _TOKEN_OF(asked) not in (_TOKEN_OF(found), _TOKEN_OF(McpServer())):
        raise EditError(
            f"{name} is registered with other settings of its token; change them on the server's page,"
            " or leave the token options out"
        )
    server = found or asked
    to_mcp_settings(server)
    return server


def _activate(server: McpServer, options: dict[str, Any], write: WriteLine) -> int:
    tools = server.tools.filter(gone_at=None, is_active=False)
    only = options["only"]
    if unknown := set(only) - set(server.tools.values_list("name", flat=True)):
        raise EditError(f"the server has no tool {', '.join(sorted(unknown))[:200]}")
    served, refused = activate_tools(tools.filter(name__in=only) if only else tools, options["as"])
    for tool in served:
        write(f"{served_name(server.name, tool.name)}: on")
    for name, reason in refused.items():
        write(f"{name}: refused: {reason}")
    return len(refused)
