"""The stage of the runs: two clusters, proxies before them, and runtimes that are started again."""

import asyncio
import base64
import secrets
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import httpx
import psycopg

from config.services.ports import choose_free_port
from config.services.postgres import EmbeddedPostgres, random_passwords
from config.services.processes import Command, Keeper, kill_group, plain_environment, run, start
from tests.chaos.proxy import FaultyProxy
from tests.chaos.tools import write_tools
from tests.waiting import eventually

PROJECT = Path(__file__).parents[2]
MANAGE = (sys.executable, str(PROJECT / "manage.py"))
POOL_SIZES = {"near": 4, "distant": 4, "narrow": 1}
NARROW_WAIT_MS = 500
_SOURCES = """
INSERT INTO h_data_source (name, engine, host, port, database, username, password_reference,
    path, pool_size, max_wait_ms) VALUES
('distant', 'postgresql', '127.0.0.1', %(proxy)s, 'demo', 'demo_reader', 'env:CHAOS_PASSWORD', '', 4, 5000),
('narrow', 'postgresql', '127.0.0.1', %(direct)s, 'demo', 'demo_reader', 'env:CHAOS_PASSWORD', '', 1, %(wait)s),
('lite', 'sqlite', '', 5432, '', '', '', %(path)s, 4, 5000)"""

# Ten thousand tools on a machine that does much else take minutes.
START_WITHIN_S = 600.0


@dataclass
class Runtime:
    """`manage.py runmcp` at `url`; the test is its supervisor and starts it again."""

    port: int
    token: str
    command: Command
    keeper: Keeper
    process: subprocess.Popen[bytes] = field(init=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    async def start(self) -> None:
        """Start it and wait until it serves."""
        self.process = start(self.command, self.keeper)
        await eventually(self.is_healthy, START_WITHIN_S)

    def kill(self) -> None:
        """`kill -9` of this process alone, as the system does when memory is short."""
        self.process.kill()
        self.process.wait()
        self.keeper.forget(self.process.pid)

    async def stop(self) -> None:
        """SIGTERM, as a supervisor does."""
        self.process.send_signal(signal.SIGTERM)
        try:
            await asyncio.to_thread(self.process.wait, 15)
        finally:
            kill_group(self.process.pid)
            self.keeper.forget(self.process.pid)

    async def health(self) -> dict[str, Any]:
        """What /healthz says to a key; empty when nobody answers."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with httpx.AsyncClient(timeout=10, headers=headers) as http:
            try:
                answer = await http.get(self.url.replace("/mcp", "/healthz"))
            except httpx.TransportError:
                return {}
        return dict(answer.json()) | {"status_code": answer.status_code}

    async def status(self, token: str) -> int:
        """The HTTP status of a request with another key."""
        async with httpx.AsyncClient(
            timeout=10, headers={"Authorization": f"Bearer {token}"}
        ) as http:
            return (await http.post(self.url, json={})).status_code

    async def is_healthy(self) -> bool:
        assert self.process.poll() is None, f"runmcp ended:\n{last_words(self.command.log)}"
        return (await self.health()).get("status_code") == 200

    def children(self) -> list[int]:
        """Process ids of its descendants, nearest first."""
        return list(_descendants(self.process.pid))

    def descriptor_count(self) -> int:
        """Open files and sockets of the process."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))


def make_token() -> str:
    """A token in the form of an API key."""
    return f"mcp_{secrets.token_hex(4)}_{secrets.token_hex(32)}"


class Stage:
    """Opened once for all runs; a keeper ends and deletes everything even after a `kill -9`."""

    def __init__(self) -> None:
        # Programs without Django use this module, too.
        self.token = make_token()
        self.directory = Path(tempfile.gettempdir()) / f"toolbuilder-chaos-{secrets.token_hex(6)}"
        self.keeper = Keeper()
        self.application = self._cluster("application")
        self.source = self._cluster("source")
        self.application_proxy = FaultyProxy(self.application.port, choose_free_port())
        self.source_proxy = FaultyProxy(self.source.port, choose_free_port())
        # The kernel ends a server with the thread that started it, so these live on.
        self._servant = ThreadPoolExecutor(2, thread_name_prefix="clusters")
        self._runtimes: list[Runtime] = []

    async def __aenter__(self) -> Self:
        self.directory.mkdir(mode=0o755)
        self.keeper.remove(self.directory)
        try:
            clusters = (self.application, self.source)
            starts = (self.in_background(each.start, self.keeper) for each in clusters)
            await asyncio.gather(*starts)
            await self.in_background(self._fill)
            await self.application_proxy.__aenter__()
            await self.source_proxy.__aenter__()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        for runtime in self._runtimes:
            if runtime.process.poll() is None:
                await runtime.stop()
        for proxy in (self.application_proxy, self.source_proxy):
            await proxy.__aexit__()
        for cluster in (self.application, self.source):
            await self.in_background(cluster.stop, self.keeper)
        self._servant.shutdown()
        self.keeper.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    async def in_background(self, verb: Callable[..., object], *arguments: object) -> None:
        """Do what blocks while the proxies go on forwarding."""
        await asyncio.get_running_loop().run_in_executor(self._servant, verb, *arguments)

    async def start_runtime(self, database: str = "toolbuilder") -> Runtime:
        """A new runtime on a database of the application's cluster, seen through the proxy."""
        port = choose_free_port()
        log = self.directory / f"runtime-{port}.log"
        arguments = (*MANAGE, "runmcp", "--port", str(port))
        variables = self._variables(self.application_dsn(database, proxied=True))
        command = Command(arguments, variables, log, folder=PROJECT)
        runtime = Runtime(port, self.token, command, self.keeper)
        self._runtimes.append(runtime)
        await runtime.start()
        return runtime

    @property
    def living_count(self) -> int:
        """How many runtimes run now."""
        return sum(runtime.process.poll() is None for runtime in self._runtimes)

    def application_dsn(self, database: str = "toolbuilder", *, proxied: bool = False) -> str:
        dsn = self.application.dsn(database)
        direct, through = f":{self.application.port}/", f":{self.application_proxy.port}/"
        return dsn.replace(direct, through) if proxied else dsn

    def copy_application(self, database: str) -> None:
        """Another application's database, with the same key, data sources and tools."""
        admin = self.application.dsn("postgres", "superuser")
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(
                f"CREATE DATABASE {database} TEMPLATE chaos_template OWNER app".encode()
            )

    def ask_source(self, query: str) -> list[tuple[Any, ...]]:
        """Rows of a query on the data source's cluster, as its superuser."""
        return _fetch(self.source.dsn("demo", "superuser"), query)

    def ask_application(
        self, query: str, arguments: list[object] | None = None, database: str = "toolbuilder"
    ) -> list[tuple[Any, ...]]:
        """Rows of a query on the application's database."""
        return _fetch(self.application_dsn(database), query, arguments)

    def _cluster(self, name: str) -> EmbeddedPostgres:
        return EmbeddedPostgres(
            self.directory / name,
            choose_free_port(),
            random_passwords(),
            for_tests=True,
            log=self.directory / f"{name}.log",
        )

    def _fill(self) -> None:
        path = self.directory / "lite.db"
        with closing(sqlite3.connect(path)) as file:
            file.execute("CREATE TABLE some (id INTEGER)")
        key = {"TOOLBUILDER_API_KEY": self.token}
        variables = self._variables(self.application.dsn()) | key
        run(Command((*MANAGE, "bootstrap"), variables, folder=PROJECT))
        values: dict[str, object] = {"path": str(path), "wait": NARROW_WAIT_MS}
        values |= {"proxy": self.source_proxy.port, "direct": self.source.port}
        with psycopg.connect(self.application.dsn()) as connection:
            connection.execute(_SOURCES, values)
        write_tools(self.application.dsn())
        admin = self.application.dsn("postgres", "superuser")
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute("CREATE DATABASE chaos_template TEMPLATE toolbuilder OWNER app")

    def _variables(self, database: str) -> dict[str, str]:
        return plain_environment() | {
            "DATABASE_URL": database,
            # Nobody listens there: the runtime has to do without Redis in every run.
            "REDIS_URL": "redis://127.0.0.1:1/0",
            "SECRET_KEY": self.token,
            "FIELD_ENCRYPTION_KEYS": base64.urlsafe_b64encode(self.token.encode()[:32]).decode(),
            "TOOLBUILDER_DATA_DIR": str(self.directory),
            "LOG_LEVEL": "warning",
            "CHAOS_PASSWORD": self.source.passwords["demo_reader"],
            "POSTGRESQL_DB_HOST": "127.0.0.1",
            "POSTGRESQL_DB_PORT": str(self.source.port),
            "POSTGRESQL_DB_NAME": "demo",
            "POSTGRESQL_DB_USER": "demo_reader",
            "POSTGRESQL_DB_PASS": self.source.passwords["demo_reader"],
        }


def last_words(log: Path | None) -> str:
    """The end of a log."""
    return "\n".join(log.read_text(errors="replace").splitlines()[-25:]) if log else ""


def _fetch(dsn: str, query: str, arguments: list[object] | None = None) -> list[tuple[Any, ...]]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        return connection.execute(query.encode(), arguments).fetchall()


def _descendants(pid: int) -> "list[int]":
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *_descendants(int(child))]
    return found
