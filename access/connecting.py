"""What a person types into a client of agents to connect it with a key."""

import json
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Connection:
    """How one client is connected; `where` says where `text` goes."""

    id: str
    client: str
    where: str | Promise
    text: str


def describe_connections(url: str, token: str) -> list[Connection]:
    """Ready configurations of the clients that people use, with the address and the key in them."""
    return [
        Connection("claude-code", "Claude Code", _("In a terminal"), _claude_code(url, token)),
        Connection(
            "claude-desktop", "Claude Desktop", "claude_desktop_config.json", _desktop(url, token)
        ),
        Connection("cursor", "Cursor", "~/.cursor/mcp.json", _json_file("mcpServers", url, token)),
        Connection("vs-code", "VS Code", ".vscode/mcp.json", _json_file("servers", url, token)),
        Connection("python", "Python", _("With the package fastmcp"), _python(url, token)),
        Connection("adk", "Google ADK", _("In the agent's module"), _adk(url, token)),
    ]


def _claude_code(url: str, token: str) -> str:
    return (
        f"claude mcp add --transport http toolbuilder {url}"
        f' --header "Authorization: Bearer {token}"'
    )


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
