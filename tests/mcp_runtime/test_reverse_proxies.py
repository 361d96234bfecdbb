"""The examples of deploy/ in Debian's own proxies: both eras get through them, and streams are not held back."""

import asyncio
import os
import re
import signal
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from asgiref.sync import sync_to_async
from fastmcp import Client
from fastmcp.client.transports import StreamableHttpTransport
from mcp.client.subscriptions import listen

from config.services.ports import choose_free_port
from config.services.processes import Command, Keeper, start, stop
from tests.certificates import make_certificate
from tests.debian import environment_of, unpack
from tests.factories import make_expression
from tests.mcp_runtime.conftest import ERAS, Serve
from tests.mcp_runtime.test_changes import ChangeListener
from tests.waiting import LIMIT_S, eventually, wait_until

DEPLOY = Path(__file__).parents[2] / "deploy"
pytestmark = pytest.mark.django_db(transaction=True)


@dataclass(frozen=True)
class Site:
    """Where a proxy listens, with its files, and the runtime behind it."""

    folder: Path
    certificate: Path
    port: int
    plain_port: int
    upstream: str


def nginx(site: Site) -> Command:
    folder, text = unpack("nginx"), (DEPLOY / "nginx/toolbuilder.conf").read_text()
    text = text.replace("127.0.0.1:3003", site.upstream).replace(
        "listen 443 ", f"listen {site.port} "
    )
    text = text.replace("listen 80;", f"listen {site.plain_port};").replace(
        "mcp.example.org", "127.0.0.1"
    )
    text = re.sub(r"/etc/ssl/toolbuilder/\w+\.pem", str(site.certificate), text)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{kind}_temp_path {site.folder}/{kind};\n" for kind in kinds)
    user = "user root;\n" if os.geteuid() == 0 else ""
    file = site.folder / "nginx.conf"
    file.write_text(
        f"{user}pid {site.folder}/nginx.pid;\ndaemon off;\nerror_log stderr;\nevents {{}}\n"
        f"http {{\naccess_log off;\n{paths}{text}}}\n"
    )
    program = (str(folder / "usr/sbin/nginx"), "-p", str(site.folder), "-c", str(file))
    return Command(program, environment_of(folder), site.folder / "log")


def haproxy(site: Site) -> Command:
    folder, text = unpack("haproxy"), (DEPLOY / "haproxy/haproxy.cfg").read_text()
    text = text.replace("bind :80\n", f"bind 127.0.0.1:{site.plain_port}\n").replace(
        "bind :443", f"bind 127.0.0.1:{site.port}"
    )
    text = text.replace("127.0.0.1:3003", site.upstream).replace(
        "/etc/haproxy/certificates", str(site.certificate)
    )
    text = text.replace("hdr(host) -i mcp.example.org", "hdr(host) -m beg 127.0.0.1")
    file = site.folder / "haproxy.cfg"
    file.write_text(text)
    program = (str(folder / "usr/sbin/haproxy"), "-db", "-f", str(file))
    return Command(program, environment_of(folder), site.folder / "log")


def caddy(site: Site) -> Command:
    folder, text = unpack("caddy"), (DEPLOY / "caddy/Caddyfile").read_text()
    # Its own certificates want a public name.
    options = f"{{\n\tadmin off\n\tauto_https disable_redirects\n\thttp_port {site.plain_port}\n"
    text = text.replace("{\n", options, 1)
    text = text.replace(
        "{$MCP_NAME} {\n", f"{{$MCP_NAME}} {{\n\ttls {site.certificate} {site.certificate}\n"
    )
    text = text.replace(
        "{$WEB_NAME} {\n", f"{{$WEB_NAME}} {{\n\ttls {site.certificate} {site.certificate}\n"
    )
    file = site.folder / "Caddyfile"
    file.write_text(text)
    names = {
        "MCP_NAME": f"https://127.0.0.1:{site.port}",
        "WEB_NAME": f"https://localhost:{site.port}",
        "MCP_UPSTREAM": site.upstream,
        "HOME": str(site.folder),
    }
    program = (
        str(folder / "usr/bin/caddy"),
        "run",
        "--adapter",
        "caddyfile",
        "--config",
        str(file),
    )
    return Command(program, environment_of(folder) | names, site.folder / "log")


PROXIES: dict[str, Callable[[Site], Command]] = {"nginx": nginx, "haproxy": haproxy, "caddy": caddy}


@contextmanager
def proxying(
    make: Callable[[Site], Command], upstream: str, folder: Path, keeper: Keeper
) -> Iterator[Site]:
    """The proxy before the runtime, with TLS."""
    port = choose_free_port()
    plain = choose_free_port(frozenset({port}))
    site = Site(folder, make_certificate(folder), port, plain, upstream)
    command = make(site)
    process = start(command, keeper)
    context = ssl.create_default_context(cafile=str(site.certificate))

    def answers() -> bool:
        assert process.poll() is None, (folder / "log").read_text()
        try:
            url = f"https://127.0.0.1:{port}/healthz"
            return httpx.get(url, verify=context, timeout=LIMIT_S).status_code == 200
        except httpx.TransportError:
            return False

    try:
        wait_until(answers)
        yield site
    finally:
        # Its workers go with it; asked nicely it would wait for streams.
        stop(process, signal.SIGKILL, timeout_s=LIMIT_S)
        keeper.forget(process.pid)


@pytest.mark.parametrize("name", PROXIES)
async def test_agents_of_both_eras_work_through_the_proxy_and_hear_at_once(  # noqa: PLR0917 - fixtures
    name: str, serve: Serve, psql: Callable[[str], None], tmp_path: Path, keeper: Keeper
) -> None:
    await sync_to_async(make_expression)(name="multiply")
    async with serve() as served:
        upstream = urlsplit(served.url).netloc
        opening = proxying(PROXIES[name], upstream, tmp_path, keeper)
        site = await asyncio.to_thread(opening.__enter__)
        try:
            await _check(site, served.token, psql)
        finally:
            await asyncio.to_thread(opening.__exit__, None, None, None)


async def _check(site: Site, token: str, psql: Callable[[str], None]) -> None:
    context = ssl.create_default_context(cafile=str(site.certificate))
    base = f"https://127.0.0.1:{site.port}"

    def client(era: str, **options: Any) -> Client[Any]:
        headers = {"Authorization": f"Bearer {token}"}
        transport = StreamableHttpTransport(f"{base}/mcp", headers=headers, verify=context)
        return Client(transport, mode=era, **options)

    for era in ERAS:
        async with client(era) as agent:
            assert (await agent.call_tool("multiply", {"a": 6, "b": 7})).data == 42

    listener = ChangeListener()
    async with (
        client("legacy", message_handler=listener) as legacy,
        client("2026-07-28") as modern,
        listen(modern.session, tools_list_changed=True) as events,
    ):
        await legacy.list_tools()

        async def is_told() -> bool:
            # The stream of the earlier era may not be open yet; the next edit is one more to be told of.
            psql("UPDATE h_custom_tool SET definition = definition || ' * 1'")
            await asyncio.wait([asyncio.ensure_future(listener.heard.wait())], timeout=2)
            return listener.heard.is_set()

        # Were anything held back, nothing would come before the streams end.
        await eventually(is_told)
        async with asyncio.timeout(LIMIT_S):
            assert type(await anext(aiter(events))).__name__ == "ToolsListChanged"

    async with httpx.AsyncClient(verify=context, timeout=LIMIT_S) as http:
        assert (await http.get(f"{base}/metrics")).status_code == 404
