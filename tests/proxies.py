"""The examples of deploy/ in Debian's own proxies, before runtimes of a test."""

import os
import re
import signal
import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from config.services.ports import choose_free_port
from config.services.processes import Command, Keeper, start, stop
from tests.certificates import make_certificate
from tests.debian import find_program
from tests.waiting import LIMIT_S, wait_until

DEPLOY = Path(__file__).parents[1] / "deploy"


@dataclass(frozen=True)
class Site:
    """Where a proxy listens, with its files, and the hosts and ports of the runtimes behind it."""

    folder: Path
    certificate: Path
    port: int
    plain_port: int
    upstreams: Sequence[str]
    has_tls: bool = True

    @property
    def url(self) -> str:
        """Where agents find it."""
        return f"http{'s' if self.has_tls else ''}://127.0.0.1:{self.port}"

    @property
    def trust(self) -> ssl.SSLContext:
        """What takes its certificate for good."""
        return ssl.create_default_context(cafile=str(self.certificate))

    def write(
        self, example: str, changes: dict[str, str], before: str = "", after: str = ""
    ) -> Path:
        """The example with these patterns replaced, each of which must be in it."""
        text = (DEPLOY / example).read_text()
        for pattern, replacement in changes.items():
            text, count = re.subn(pattern, lambda _match, new=replacement: new, text)  # type: ignore[misc]
            assert count, f"{pattern} is not in {example}"
        file = self.folder / Path(example).name
        file.write_text(before + text + after)
        return file


def nginx(site: Site) -> Command:
    program, environment = find_program("nginx")
    servers = "\n".join(f"server {one} max_fails=1 fail_timeout=2s;" for one in site.upstreams)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    paths = "".join(f"{kind}_temp_path {site.folder}/{kind};\n" for kind in kinds)
    user = "user root;\n" if os.geteuid() == 0 else ""
    file = site.write(
        "nginx/toolbuilder.conf",
        {
            r"server 127\.0\.0\.1:3003 .*;": servers,
            r"listen 443 ssl http2": f"listen {site.port} {'ssl http2' if site.has_tls else ''}",
            r"listen 80\b": f"listen {site.plain_port}",
            r"mcp\.example\.org": "127.0.0.1",
            r"/etc/ssl/toolbuilder/\w+\.pem": str(site.certificate),
        },
        before=(
            f"{user}pid {site.folder}/nginx.pid;\ndaemon off;\nerror_log stderr;\nevents {{}}\n"
            f"http {{\naccess_log off;\n{paths}"
        ),
        after="}\n",
    )
    command = (program, "-p", str(site.folder), "-c", str(file))
    return Command(command, environment, site.folder / "log")


def haproxy(site: Site) -> Command:
    program, environment = find_program("haproxy")
    servers = "\n    ".join(
        f"server runtime{number} {one}" for number, one in enumerate(site.upstreams)
    )
    address = f"bind 127.0.0.1:{site.port}"
    listening = {r"bind :443": address, r"/etc/haproxy/certificates": str(site.certificate)}
    if not site.has_tls:
        listening = {r"bind :443 .*": address, r"unless \{ ssl_fc \}": "if { always_false }"}
    file = site.write(
        "haproxy/haproxy.cfg",
        {
            r"bind :80\n": f"bind 127.0.0.1:{site.plain_port}\n",
            r"server \w+ 127\.0\.0\.1:3003": servers,
            r"mcp\.example\.org": "127.0.0.1",
            **listening,
        },
    )
    return Command((program, "-db", "-f", str(file)), environment, site.folder / "log")


def caddy(site: Site) -> Command:
    program, environment = find_program("caddy")
    # Its own certificates want a public name.
    options = f"admin off\n\tauto_https disable_redirects\n\thttp_port {site.plain_port}\n"
    tls = f"\ttls {site.certificate} {site.certificate}\n"
    file = site.write(
        "caddy/Caddyfile",
        {
            r"\n\{\n": f"\n{{\n\t{options}",
            r"\n\{\$MCP_NAME\} \{\n": f"\n{{$MCP_NAME}} {{\n{tls}",
            r"\n\{\$WEB_NAME\} \{\n": f"\n{{$WEB_NAME}} {{\n{tls}",
        },
    )
    names = {
        "MCP_NAME": site.url,
        "WEB_NAME": f"https://localhost:{site.port}",
        "MCP_UPSTREAM": " ".join(site.upstreams),
        "HOME": str(site.folder),
    }
    command = (program, "run", "--adapter", "caddyfile", "--config", str(file))
    return Command(command, environment | names, site.folder / "log")


PROXIES: dict[str, Callable[[Site], Command]] = {"nginx": nginx, "HAProxy": haproxy, "Caddy": caddy}


@contextmanager
def proxying(
    name: str, upstreams: Sequence[str], folder: Path, keeper: Keeper, *, has_tls: bool = True
) -> Iterator[Site]:
    """That proxy before the runtimes; without TLS only where a client knows none."""
    port = choose_free_port()
    plain = choose_free_port()
    site = Site(folder, make_certificate(folder), port, plain, upstreams, has_tls)
    process = start(PROXIES[name](site), keeper)

    def answers() -> bool:
        assert process.poll() is None, (folder / "log").read_text()
        try:
            url = f"{site.url}/healthz"
            return httpx.get(url, verify=site.trust, timeout=LIMIT_S).status_code == 200
        except httpx.TransportError:
            return False

    try:
        wait_until(answers)
        yield site
    finally:
        # Its workers go with it; asked nicely it would wait for streams.
        stop(process, signal.SIGKILL, timeout_s=LIMIT_S)
        keeper.forget(process.pid)
