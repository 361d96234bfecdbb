"""Checks of names, addresses and what browsers and agents are told."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from django.conf import settings
from django.core import checks

from config.deployment.findings import DeploymentFinding, caution, fault, fine
from config.services.options import LOOPBACK

WEB_LINE = "WEB_PUBLIC_URL=https://tools.example.org"
MCP_LINE = "MCP_PUBLIC_URL=https://mcp.example.org/mcp"
MIN_HSTS_S = 30 * 86_400
# The whole internet behind one of these is no proxy.
WIDEST_PREFIX = {4: 8, 6: 16}


def check_web_address() -> Iterator[DeploymentFinding]:
    """Whether people come by TLS, under a name that the pages answer to."""
    url = settings.WEB_PUBLIC_URL
    if not url:
        yield fault(
            "web-address",
            "WEB_PUBLIC_URL is not set: cookies are sent over plain HTTP, too, and the pages answer"
            " only to the names of ALLOWED_HOSTS.",
            WEB_LINE,
        )
    elif not settings.IS_HTTPS:
        yield fault(
            "web-address", f"{url} has no TLS: passwords and sessions can be read.", WEB_LINE
        )
    elif settings.SECURE_HSTS_SECONDS < MIN_HSTS_S:
        yield caution(
            "web-address",
            f"HSTS_SECONDS is {settings.SECURE_HSTS_SECONDS}: browsers soon forget to ask for TLS"
            " only.",
            f"HSTS_SECONDS={365 * 86_400}",
        )
    else:
        yield fine("web-address", f"People come to {url}; browsers keep to TLS.")


def check_web_hosts() -> Iterator[DeploymentFinding]:
    """Whether a page can be asked for under names that are not ours."""
    hosts = settings.ALLOWED_HOSTS
    if "*" in hosts:
        yield fault(
            "web-hosts",
            "ALLOWED_HOSTS has *: anybody's name in a link of ours would be believed.",
            "ALLOWED_HOSTS=tools.example.org,127.0.0.1,localhost",
        )
    else:
        yield fine("web-hosts", f"The pages answer to {', '.join(hosts)}.")


def check_mcp_address() -> Iterator[DeploymentFinding]:
    """Whether agents come by TLS, under a name that the runtimes answer to."""
    url = settings.MCP_PUBLIC_URL
    if not url:
        yield caution(
            "mcp-address",
            "MCP_PUBLIC_URL is not set: people are told the web side's name with MCP_PORT, and"
            " access tokens of an issuer cannot name their audience.",
            MCP_LINE,
        )
        return
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "https" and host not in LOOPBACK:
        yield fault("mcp-address", f"{url} has no TLS: keys can be read on their way.", MCP_LINE)
    if host not in LOOPBACK and not {host, parts.netloc, "*"} & set(settings.MCP_ALLOWED_HOSTS):
        allowed = ",".join([*settings.MCP_ALLOWED_HOSTS, host])
        yield fault(
            "mcp-address",
            f"Runtimes refuse the host {host} of MCP_PUBLIC_URL.",
            f"MCP_ALLOWED_HOSTS={allowed}",
        )
    elif parts.scheme == "https":
        yield fine("mcp-address", f"Agents come to {url}.")


def check_mcp_hosts() -> Iterator[DeploymentFinding]:
    """Whether agents need a key, and pages of other sites cannot reach the runtimes."""
    if settings.MCP_AUTH == "none":
        yield fault(
            "mcp-auth",
            "MCP_AUTH=none: whoever reaches the port calls every tool.",
            "MCP_AUTH=required",
        )
    if "*" in settings.MCP_ALLOWED_HOSTS:
        yield fault(
            "mcp-auth",
            "MCP_ALLOWED_HOSTS has *: a page of any site can reach a runtime through a browser.",
            "MCP_ALLOWED_HOSTS=mcp.example.org",
        )
    elif settings.MCP_AUTH == "required":
        yield fine("mcp-auth", "Agents need a key or a token.")


def check_proxies() -> Iterator[DeploymentFinding]:
    """Whether the proxy that ends TLS is believed, and nobody else."""
    networks = settings.TRUSTED_PROXIES
    wide = [str(one) for one in networks if one.prefixlen < WIDEST_PREFIX[one.version]]
    if wide:
        yield fault(
            "proxies",
            f"TRUSTED_PROXIES has {', '.join(wide)}: any client may say what its address is.",
            "TRUSTED_PROXIES=10.0.0.5",
        )
    elif not networks and settings.IS_HTTPS:
        yield fault(
            "proxies",
            "TRUSTED_PROXIES is not set: what the proxy says of TLS and of clients' addresses is not"
            " believed, so forms are refused and all clients seem to be one.",
            "TRUSTED_PROXIES=10.0.0.5",
        )
    else:
        yield fine("proxies", f"Proxies that are believed: {len(networks)}.")


def check_django() -> Iterator[DeploymentFinding]:
    """What Django's own `check --deploy` says."""
    found = [
        one for one in checks.run_checks(include_deployment_checks=True) if not one.is_silenced()
    ]
    for one in found:
        text = f"{one.id}: {' '.join(str(one.msg).split())}"
        make = fault if one.level >= checks.ERROR else caution
        yield make("django", text, " ".join(str(one.hint or "").split()))
    if settings.DEBUG:
        yield fault("django", "DEBUG is on: pages of faults show settings and code.", "DEBUG=off")
    elif not found:
        yield fine("django", "Django's own checks of a deployment find nothing.")
