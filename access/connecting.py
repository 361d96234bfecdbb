"""The address under which agents reach the served side, and what a person types into a client to connect it."""

import json
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


def mcp_url(request: HttpRequest) -> str:
    """What agents are told: MCP_PUBLIC_URL if it is set, else this machine's own address."""
    return settings.MCP_PUBLIC_URL or local_mcp_url(request)


def endpoint_url(toolset: str = "") -> str:
    """The public address of an endpoint, which tokens name as their audience; never the Host header."""
    url: str = settings.MCP_PUBLIC_URL or f"http://127.0.0.1:{settings.MCP_PORT}/mcp"
    return url.rstrip("/") + (f"/{toolset}" if toolset else "")


def endpoint_audiences(toolset: str = "") -> frozenset[str]:
    """A token for the endpoint of all tools is good at that of each toolset, not the other way round."""
    return frozenset((endpoint_url(toolset), endpoint_url()))


def local_mcp_url(request: HttpRequest) -> str:
    """The MCP port of the host that the page was asked of, as `manage.py up` prints it."""
    host = request.get_host()
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return f"{request.scheme}://{name}:{settings.MCP_PORT}/mcp"


def page_url(request: HttpRequest, path: str) -> str:
    """The address of one of our pages as others reach it: WEB_PUBLIC_URL, else where this one was asked of."""
    own: str = settings.WEB_PUBLIC_URL
    return f"{own}{path}" if own else request.build_absolute_uri(path)


@dataclass(frozen=True, slots=True)
class Connection:
    """How one client is connected; `where` says where `text` goes."""

    id: str
    client: str
    where: str | Promise
    text: str


def describe_connections(url: str, token: str) -> list[Connection]:
    """Ready configurations of the clients that people use, with the address and the key in them."""
    header = f"Authorization: Bearer {token}"
    command = f'claude mcp add --transport http toolbuilder {url} --header "{header}"'
    return [
        Connection("claude-code", "Claude Code", _("In a terminal"), command),
        Connection(
            "claude-desktop", "Claude Desktop", "claude_desktop_config.json", _desktop(url, token)
        ),
        Connection("cursor", "Cursor", "~/.cursor/mcp.json", _json_file("mcpServers", url, token)),
        Connection("vs-code", "VS Code", ".vscode/mcp.json", _json_file("servers", url, token)),
        Connection("python", "Python", _("With the package fastmcp"), _python(url, token)),
        Connection("adk", "Google ADK", _("In the agent's module"), _adk(url, token)),
    ]


def _desktop(url: str, token: str) -> str:
    server = {
        "command": "npx",
        # Claude Desktop on Windows splits arguments at blanks; the header's value has one.
        "args": ["-y", "mcp-remote", url, "--header", "Authorization:${AUTH}"],
        "env": {"AUTH": f"Bearer {token}"},
    }
    return json.dumps({"mcpServers": {"toolbuilder": server}}, indent=2)


def _json_file(root: str, url: str, token: str) -> str:
    kind = {"type": "http"} if root == "servers" else {}
    server = {**kind, "url": url, "headers": {"Authorization": f"Bearer {token}"}}
    return json.dumps({root: {"toolbuilder": server}}, indent=2)


def _python(url: str, token: str) -> str:
    return f"""import asyncio

from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport

transport = StreamableHttpTransport("{url}", headers={{"Authorization": "Bearer {token}"}})


async def main():
    async with Client(transport) as client:
        print([tool.name for tool in await client.list_tools()])


asyncio.run(main())"""


def _adk(url: str, token: str) -> str:
    return f"""from google.adk.agents import LlmAgent
from google.adk.tools.mcp_tool import McpToolset, StreamableHTTPConnectionParams

root_agent = LlmAgent(
    name="assistant",
    model="gemini-2.5-flash",
    tools=[
        McpToolset(
            connection_params=StreamableHTTPConnectionParams(
                url="{url}",
                headers={{"Authorization": "Bearer {token}"}},
            )
        )
    ],
)"""
