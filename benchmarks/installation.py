"""An installation as the handbook makes it, for trials: Debian's PostgreSQL, and the processes of a checkout."""

import base64
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psycopg

from config.services.ports import choose_free_port
from config.services.postgres_home import choose_account
from config.services.processes import Account, Command, Keeper, plain_environment, run, start, stop
from tests.chaos.stage import Runtime, make_token
from tests.chaos.tools import ECHOES, insert_tool
from tests.debian import unpack
from tests.waiting import wait_until

PROJECT = Path(__file__).parents[1]
PASSWORD = "trial"  # noqa: S105 - nobody else gets there
TOOLS = ("near", "expression", "script")
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "shared_buffers": "64MB",
    "wal_receiver_status_interval": "1s",
}


@dataclass
class Cluster:
    """One server of Debian's PostgreSQL on 127.0.0.1:`port`, or a replica of another one."""

    folder: Path
    keeper: Keeper
    port: int = field(default_factory=choose_free_port)
    settings: dict[str, str] = field(default_factory=dict)
    process: "subprocess.Popen[bytes] | None" = None

    @property
    def account(self) -> Account | None:
        """The user that it runs as; PostgreSQL does not run as root."""
        return choose_account(self.folder) if os.geteuid() == 0 else None

    def dsn(self, database: str = "postgres", user: str = "postgres") -> str:
        """An address for psql."""
        return f"postgresql://{user}:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def make(self) -> None:
        """An empty server, running."""
        self._prepare_folder()
        secret = self.folder.with_suffix(".password")
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        options = ("--username=postgres", f"--pwfile={secret}", "--auth=scram-sha-256")
        self._run("initdb", "-D", str(self.folder), *options, "--encoding=UTF8", "--locale=C.UTF-8")
        self.start()

    def follow(self, primary: "Cluster") -> None:
        """A streaming replica of `primary`, running."""
        self._prepare_folder()
        place = ("-h", "127.0.0.1", "-p", str(primary.port), "-U", "postgres")
        options = ("--checkpoint=fast", "--write-recovery-conf")
        self._run("pg_basebackup", "-D", str(self.folder), *place, *options)
        self.start()

    def start(self) -> None:
        """Start it, and wait until a session can be opened."""
        settings = SETTINGS | {"port": str(self.port)} | self.settings
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        program = (str(debian_postgres() / "postgres"), "-D", str(self.folder), *options)
        log = self.folder.with_suffix(".log")
        command = Command(program, plain_environment(), log, self.account)
        process = self.process = start(command, self.keeper)

        def is_ready() -> bool:
            assert process.poll() is None, log.read_text()
            try:
                psycopg.connect(self.dsn(), connect_timeout=2).close()
            except psycopg.OperationalError:
                return False
            return True

        wait_until(is_ready)

    def kill(self) -> None:
        """As when its machine loses power, but that connections are refused and not silent."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """Stop it in order: what its replica has not got yet, it gets."""
        self._end(signal.SIGINT)

    def promote(self) -> None:
        """Make a primary of the replica."""
        self.ask("SELECT pg_promote()")

    def ask(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        """Rows, as the superuser."""
        with psycopg.connect(self.dsn(database), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def _end(self, number: signal.Signals) -> None:
        if self.process is not None:
            stop(self.process, number, 30)
            self.keeper.forget(self.process.pid)
            self.process = None

    def _prepare_folder(self) -> None:
        self.folder.mkdir(mode=0o700)
        if account := self.account:
            os.chown(self.folder, account.uid, account.gid)

    def _run(self, program: str, *arguments: str) -> None:
        environment = plain_environment() | {"PGPASSWORD": PASSWORD}
        path = str(debian_postgres() / program)
        run(Command((path, *arguments), environment, account=self.account))


def debian_postgres() -> Path:
    """The folder of the programs of Debian's PostgreSQL; one that is installed will do."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = installed or sorted(unpack("postgresql-15").glob("usr/lib/postgresql/*/bin"))
    return found[-1]


@dataclass
class Installation:
    """Programs of checkouts on one application's database and one data source."""

    folder: Path
    keeper: Keeper
    token: str = field(default_factory=make_token)
    database_url: str = ""
    source: Cluster = field(init=False)
    runtimes: list[Runtime] = field(default_factory=list)

    def make_databases(self, primary: Cluster) -> None:
        """The application's database with its role, as the handbook has it, and a data source on a server of its own."""
        primary.ask(f"CREATE ROLE toolbuilder LOGIN PASSWORD '{PASSWORD}'")
        primary.ask("CREATE DATABASE toolbuilder OWNER toolbuilder")
        self.source = Cluster(self.folder / "source", self.keeper)
        self.source.make()
        self.source.ask(f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'")
        self.source.ask("CREATE DATABASE shop")
        self.database_url = self.database_url or primary.dsn("toolbuilder", "toolbuilder")

    @property
    def variables(self) -> dict[str, str]:
        """The environment of all processes."""
        return plain_environment() | {
            "DATABASE_URL": self.database_url,
            "REDIS_URL": "",
            "SECRET_KEY": self.token,
            "FIELD_ENCRYPTION_KEYS": base64.urlsafe_b64encode(self.token.encode()[:32]).decode(),
            "TOOLBUILDER_DATA_DIR": str(self.folder),
            "LOG_LEVEL": "warning",
            # The balancer of docs/operation.md looks once a second, and twice before it believes.
            "MCP_DRAIN_S": "3",
            "POSTGRESQL_DB_HOST": "127.0.0.1",
            "POSTGRESQL_DB_PORT": str(self.source.port),
            "POSTGRESQL_DB_NAME": "shop",
            "POSTGRESQL_DB_USER": "reader",
            "POSTGRESQL_DB_PASS": PASSWORD,
        }

    def manage(self, *arguments: str, checkout: Path = PROJECT) -> None:
        """Run a command of manage.py to its end."""
        argv = (sys.executable, str(checkout / "manage.py"), *arguments)
        run(Command(argv, self.variables, folder=checkout))

    def fill(self, checkout: Path = PROJECT) -> None:
        """Tables, the user `admin`, a key, and a few tools."""
        argv = (sys.executable, str(checkout / "manage.py"), "bootstrap")
        secrets = {"TOOLBUILDER_API_KEY": self.token, "TOOLBUILDER_ADMIN_PASSWORD": PASSWORD}
        run(Command(argv, self.variables | secrets, folder=checkout))
        with psycopg.connect(self.database_url) as connection:
            for name in TOOLS:
                insert_tool(connection, ECHOES[name])

    def runtime_command(self, port: int, checkout: Path = PROJECT) -> Command:
        """`runmcp` of a checkout."""
        argv = (sys.executable, str(checkout / "manage.py"), "runmcp", "--port", str(port))
        return Command(argv, self.variables, self.folder / f"mcp-{port}.log", folder=checkout)

    async def start_runtime(self, checkout: Path = PROJECT) -> Runtime:
        """A runtime of a checkout, serving."""
        port = choose_free_port()
        command = self.runtime_command(port, checkout)
        runtime = Runtime(port, self.token, command, self.keeper)
        self.runtimes.append(runtime)
        await runtime.start()
        return runtime

    @contextmanager
    def serving_pages(self, checkout: Path = PROJECT, **more: str) -> Iterator[str]:
        """The address of `runweb` of a checkout."""
        port = choose_free_port()
        argv = (sys.executable, str(checkout / "manage.py"), "runweb", "--port", str(port))
        log = self.folder / f"web-{port}.log"
        process = start(Command(argv, self.variables | more, log, folder=checkout), self.keeper)
        url = f"http://127.0.0.1:{port}"

        def answers() -> bool:
            assert process.poll() is None, log.read_text()
            try:
                return httpx.get(f"{url}/healthz", timeout=10).status_code == 200
            except httpx.TransportError:
                return False

        try:
            wait_until(answers)
            yield url
        finally:
            stop(process, signal.SIGTERM, 15)
            self.keeper.forget(process.pid)


def sign_in(url: str, password: str) -> httpx.Client:
    """The browser of the user `admin`."""
    browser = httpx.Client(base_url=url, follow_redirects=True, timeout=30)
    browser.get("/sign-in/")
    form = {"username": "admin", "password": password}
    form["csrfmiddlewaretoken"] = browser.cookies["csrftoken"]
    assert browser.post("/sign-in/", data=form, headers={"Referer": url}).status_code == 200
    assert "sessionid" in browser.cookies
    return browser


@contextmanager
def installing() -> Iterator[Installation]:
    """A folder for an installation; at the end all its processes end, and the folder goes."""
    folder = Path(tempfile.mkdtemp(prefix="toolbuilder-trial-"))
    folder.chmod(0o755)
    keeper = Keeper()
    keeper.remove(folder)
    try:
        yield Installation(folder, keeper)
    finally:
        keeper.close()
        shutil.rmtree(folder, ignore_errors=True)
