"""The address under which agents reach the served side."""

from django.conf import settings
from django.http import HttpRequest


def mcp_url(request: HttpRequest) -> str:
    """What agents are told: MCP_PUBLIC_URL where it is set, else this machine's own address."""
    return settings.MCP_PUBLIC_URL or local_mcp_url(request)


def local_mcp_url(request: HttpRequest) -> str:
    """The MCP port of the host that the page was asked of, as `manage.py up` prints it."""
    host = request.get_host()
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return f"{request.scheme}://{name}:{settings.MCP_PORT}/mcp"
