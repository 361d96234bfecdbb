"""Other MCP servers: their tools read and kept, accepted, switched on and off by an administrator."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields

from asgiref.sync import async_to_sync
from django.db import transaction
from django.db.models import Count, F, Q
from django.utils import timezone

from catalog.mcp_servers.settings import (
    due_servers,
    note_reachable,
    note_unreachable,
    to_mcp_settings,
)
from catalog.models import McpServer, McpTool
from core.errors import ConfigurationError, DefinitionError, EditError, ToolboxError
from core.execution import TOOL_NAME
from core.ingest.remote_tools import (
    RemoteReading,
    from_document,
    read_remote_tools,
    served_name,
)
from core.messages import Message, message
from gateways.mcp_client.reader import ServerTools, read_server_tools
from toolbuilder.models import ToolDraft
from tools.models import ToolDefinition
from tools.names import read_reserved_names

# A server that says nothing must not hold a page, or the job of all servers, for its whole time-out.
MAX_READ_TIMEOUT_MS = 20_000
_FAULTS_KEPT = 100


@dataclass(frozen=True, slots=True)
class ToolCounts:
    """What a reading found beside what was accepted before; `new` are tools that nobody has accepted."""

    all: int = 0
    active: int = 0
    new: int = 0
    gone: int = 0
    changed: int = 0

    @property
    def has_news(self) -> bool:
        """Whether an administrator has something to decide."""
        return bool(self.new or self.gone or self.changed)


def read_tools(server: McpServer) -> RemoteReading:
    """Ask the server for its tools, and keep what it says; nothing new or changed is served by that.

    Raises ToolboxError; the server is then noted as not reachable.
    """
    try:
        if not server.is_active:
            raise ConfigurationError(
                message("mcp_server.off", "the server is switched off; switch it on first")
            )
        settings = to_mcp_settings(server)
        timeout_ms = min(settings.timeout_ms, MAX_READ_TIMEOUT_MS)
        listed = async_to_sync(read_server_tools)(settings, timeout_ms)
    except ToolboxError as error:
        note_unreachable(server.name, error.message)
        raise
    reading = read_remote_tools(listed.tools, server.name)
    _keep(server, listed, reading)
    note_reachable(server.name)
    return reading


def read_due_servers(names: Collection[str] = ()) -> dict[str, Message]:
    """Read the tools of every active server, or of these; the reasons for failures, by name."""
    failed: dict[str, Message] = {}
    for server in due_servers(names):
        try:
            read_tools(server)
        except ToolboxError as error:
            failed[server.name] = error.message
    return failed


def count_tools(server: McpServer) -> ToolCounts:
    """Its tools by what there is to do about them."""
    return count_all_tools([server]).get(server.pk, ToolCounts())


def count_all_tools(servers: Iterable[McpServer]) -> dict[int, ToolCounts]:
    """As `count_tools`, by the id of the server, with one query."""
    is_there, is_accepted = Q(gone_at=None), Q(accepted__isnull=False)
    is_same = Q(seen_digest=F("accepted_digest"))
    rows = (
        McpTool.objects.filter(server__in=servers)
        .values("server_id")
        .annotate(
            all=Count("pk", filter=is_there),
            active=Count("pk", filter=is_there & Q(is_active=True)),
            new=Count("pk", filter=is_there & ~is_accepted),
            gone=Count("pk", filter=~is_there & Q(is_active=True)),
            changed=Count("pk", filter=is_there & is_accepted & ~is_same & Q(is_active=True)),
        )
        .order_by()
    )
    names = [part.name for part in fields(ToolCounts)]
    return {row[0]: ToolCounts(*row[1:]) for row in rows.values_list("server_id", *names)}


@transaction.atomic
def activate_tools(
    tools: Iterable[McpTool], username: str
) -> tuple[list[McpTool], dict[str, Message]]:
    """Serve the tools as their server says them now: those that are, and the refusals of others, by name.

    A tool that was accepted before keeps what was accepted; `accept_changes` takes up the change.
    """
    chosen = list(
        McpTool.objects.select_for_update(of=["self"])
        .filter(pk__in=_keys(tools))
        .select_related("server")
    )
    taken = _read_taken(chosen)
    served: list[McpTool] = []
    refused: dict[str, Message] = {}
    for tool in chosen:
        name = served_name(tool.server.name, tool.name)
        try:
            _require_servable(tool, name, taken)
        except EditError as error:
            refused[tool.name] = error.message
            continue
        taken[name] = _owned(tool.server.name, tool.name)
        if tool.accepted is None:
            _accept(tool, username)
        tool.is_active = True
        served.append(tool)
    McpTool.objects.bulk_update(served, ["is_active", *_ACCEPTED], batch_size=500)
    return served, refused


def deactivate_tools(tools: Iterable[McpTool]) -> int:
    """No longer serve the tools; what was accepted of them is forgotten, so they are new again."""
    return McpTool.objects.filter(pk__in=_keys(tools), is_active=True).update(
        is_active=False, accepted=None, accepted_digest="", accepted_at=None, accepted_by=""
    )


@transaction.atomic
def accept_changes(tools: Iterable[McpTool], username: str) -> int:
    """Serve what the servers say of these tools now; how many were changed."""
    changed = list(
        McpTool.objects.with_change()
        .select_for_update()
        .filter(pk__in=_keys(tools), is_active=True)
    )
    for tool in changed:
        _accept(tool, username)
    McpTool.objects.bulk_update(changed, list(_ACCEPTED), batch_size=500)
    return len(changed)


def read_names_taken_from(server: McpServer) -> Mapping[str, Message]:
    """Who has the name already, by the name under which a tool of the server would be served."""
    return _read_taken(list(server.tools.filter(is_active=False)))


_SEEN = ("seen", "seen_digest", "gone_at", "accepted_digest")
_ACCEPTED = ("accepted", "accepted_digest", "accepted_at", "accepted_by")


@transaction.atomic
def _keep(server: McpServer, listed: ServerTools, reading: RemoteReading) -> None:
    known = {tool.name: tool for tool in server.tools.select_for_update()}
    seen = {tool.name: tool for tool in reading.tools}
    fresh = [
        McpTool(server=server, name=name, seen=tool.to_document(), seen_digest=tool.digest)
        for name, tool in seen.items()
        if name not in known
    ]
    # Another process may be reading the same list.
    McpTool.objects.bulk_create(fresh, batch_size=500, ignore_conflicts=True)
    changed: list[McpTool] = []
    for name, row in known.items():
        found = seen.get(name)
        if found is None or (row.seen_digest == found.digest and row.gone_at is None):
            continue
        row.seen, row.seen_digest, row.gone_at = found.to_document(), found.digest, None
        if row.accepted == row.seen:
            # The server went back to it, or digests were once made otherwise.
            row.accepted_digest = row.seen_digest
        changed.append(row)
    McpTool.objects.bulk_update(changed, _SEEN, batch_size=500)
    absent = [tool.pk for name, tool in known.items() if name not in seen]
    McpTool.objects.filter(pk__in=absent, is_active=False).delete()
    McpTool.objects.filter(pk__in=absent, gone_at=None).update(gone_at=timezone.now())
    McpServer.objects.filter(pk=server.pk).update(
        server_info=listed.server,
        protocol=listed.protocol,
        faults=[
            [
                text if isinstance(text, str) else text.to_json()
                for text in (fault.place, fault.text)
            ]
            for fault in reading.faults[:_FAULTS_KEPT]
        ],
        read_at=timezone.now(),
    )


def _accept(tool: McpTool, username: str) -> None:
    tool.accepted, tool.accepted_digest = tool.seen, tool.seen_digest
    tool.accepted_at, tool.accepted_by = timezone.now(), username


def _require_servable(tool: McpTool, name: str, taken: Mapping[str, Message]) -> None:
    if tool.gone_at is not None:
        raise EditError(
            message("mcp_server.tool_gone", "the server no longer has it; read its tools again")
        )
    if not TOOL_NAME.fullmatch(name):
        raise EditError(
            message(
                "mcp_server.tool_name",
                "{name} is no name of a tool: 1 to 64 letters, digits, _ and -",
                name=name,
            )
        )
    if name in taken:
        raise EditError(
            message(
                "mcp_server.name_taken",
                "the name {name} is taken by {owner}; rename that first",
                name=name,
                owner=taken[name],
            )
        )
    try:
        from_document(tool.seen)
    except DefinitionError as error:
        raise EditError(error.message) from error


def _read_taken(chosen: Collection[McpTool]) -> dict[str, Message]:
    """Who has each name: tools of this installation, built-in ones, and active ones of other servers."""
    names = {served_name(tool.server.name, tool.name) for tool in chosen}
    found = dict.fromkeys(
        names & read_reserved_names(), message("mcp_server.builtin_tool", "a built-in tool")
    )
    for model in (ToolDefinition, ToolDraft):
        rows = model.objects.filter(name__in=names).values_list("name", flat=True)
        found |= dict.fromkeys(rows, message("mcp_server.own_tool", "a tool of this installation"))
    others = McpTool.objects.filter(is_active=True).exclude(pk__in=_keys(chosen))
    for server, name in others.values_list("server__name", "name"):
        if (other := served_name(server, name)) in names:
            found[other] = _owned(server, name)
    return found


def _owned(server: str, tool: str) -> Message:
    return message("mcp_server.owned_tool", "{server}'s {tool}", server=server, tool=tool)


def _keys(tools: Iterable[McpTool]) -> list[int]:
    return [tool.pk for tool in tools]
