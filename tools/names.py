"""Names of tools: those that are taken, and by what."""

from django.conf import settings

from catalog.models import McpTool
from core.errors import DefinitionError
from core.ingest.remote_tools import served_name
from core.messages import Message, message
from tools.aliases import require_no_alias
from tools.builtin.registry import BUILTIN_NAMES, EVERY_TOOL
from tools.models import ToolDefinition


def require_free_name(name: str, tool: ToolDefinition | None) -> None:
    """Raise DefinitionError if a built-in or another tool than this one has the name."""
    if name in read_reserved_names():
        raise DefinitionError(
            message(
                "tool.builtin_name",
                "{name} is the name of a built-in tool; give this tool another name",
                name=name,
            )
        )
    if name in read_proxied_names():
        raise DefinitionError(
            message(
                "tool.proxied_name",
                "{name} is served of another MCP server; give this tool another name, or"
                " switch that one off",
                name=name,
            )
        )
    others = ToolDefinition.objects.filter(name=name).exclude(pk=tool.pk if tool else 0)
    if other := others.first():
        raise DefinitionError(explain_taken(name, is_archived=bool(other.archived_at)))
    require_no_alias(name, tool.pk if tool else None)


def explain_taken(name: str, *, is_archived: bool = False) -> Message:
    """Why no tool can have the name of another one."""
    if is_archived:
        return message(
            "tool.name_of_archived",
            "there is an archived tool called {name} already; give this one another name",
            name=name,
        )
    return message(
        "tool.name_taken",
        "there is a tool called {name} already; give this one another name",
        name=name,
    )


def read_reserved_names() -> frozenset[str]:
    """The names of the built-in tools that MCP_BUILTIN_TOOLS asks for."""
    choice = set(settings.MCP_BUILTIN_TOOLS)
    return BUILTIN_NAMES if EVERY_TOOL in choice else BUILTIN_NAMES & choice


def read_proxied_names() -> frozenset[str]:
    """The names under which tools of other MCP servers are served."""
    tools = McpTool.objects.served().values_list("server__name", "name")
    return frozenset(served_name(server, name) for server, name in tools)


def find_proxied_server(name: str) -> str | None:
    """The server that serves a tool under this name; None if there is none."""
    tools = McpTool.objects.served().values_list("server__name", "name")
    return next((server for server, own in tools if served_name(server, own) == name), None)
