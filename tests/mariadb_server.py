"""A real MariaDB for tests, with data, socket and port of its own; the fixture `mariadb` shares one."""

import asyncio
import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from config.services.ports import choose_free_port
from config.services.processes import Command, Keeper, start, stop
from gateways.mysql.connecting import open_connection
from gateways.mysql.settings import MysqlSettings
from tests.certificates import make_certificate
from tests.plugin import DIRECTORY
from tests.waiting import LIMIT_S, wait_until

# Where `make test` puts it, and what Debian calls the folders in there.
FETCHED = Path(__file__).parent / "gateways/mysql/.mariadb"
# "mysql_" before MariaDB 11, "mariadb_" since.
_SYSTEM_TABLES = ("*_system_tables.sql", "*_performance_tables.sql", "*_system_tables_data.sql")
_ADMIN, READER = "test_admin", "reader"
HOST = "127.0.0.1"


@dataclass
class MariadbServer:
    """One server; `admin` may do everything, `reader(database)` reads one database.

    It speaks TLS with those who ask, by a certificate for its address.
    """

    directory: Path
    keeper: Keeper
    port: int = field(default_factory=choose_free_port)
    password: str = field(default_factory=lambda: secrets.token_hex(8))
    process: subprocess.Popen[bytes] | None = None

    @property
    def admin(self) -> MysqlSettings:
        """For tests' own tables, with every right."""
        return self._settings(_ADMIN, "mysql")

    def reader(self, database: str) -> MysqlSettings:
        """A role that may read this database and nothing else."""
        return self._settings(READER, database)

    async def execute(self, *statements: str, database: str = "mysql") -> None:
        """Run these as the administrator."""
        connection = await open_connection(self._settings(_ADMIN, database))
        try:
            for statement in statements:
                await connection.query(statement)
        finally:
            connection.close()

    def run(self, *statements: str, database: str = "mysql") -> None:
        """The same, from a test or fixture that may run in a loop."""
        with ThreadPoolExecutor(1) as threads:
            threads.submit(asyncio.run, self.execute(*statements, database=database)).result()

    def make_database(self, name: str, *statements: str) -> MysqlSettings:
        """A new database with what the statements make; the settings of a role that reads it."""
        grant = f"GRANT SELECT ON `{name}`.* TO '{READER}'@'{HOST}'"
        asyncio.run(self.execute(f"CREATE DATABASE `{name}` CHARACTER SET utf8mb4", grant))
        # As many servers of that name are set up.
        asyncio.run(self.execute("SET sql_mode = ''", *statements, database=name))
        return self.reader(name)

    def start(self) -> None:
        """Make the system tables once, and wait until the server takes connections."""
        # It looks whether it is there already.
        subprocess.run(["sh", str(FETCHED.with_name("get_mariadb.sh")), str(FETCHED)], check=True)
        data = self.directory / "data"
        if not data.exists():
            data.mkdir(parents=True)
            self._make_tables(data)
        certificate = make_certificate(self.directory)
        options = [
            *(f"--ssl-cert={certificate}", f"--ssl-key={certificate}"),
            *("--skip-name-resolve", f"--bind-address={HOST}", f"--port={self.port}"),
            *(f"--socket={self.directory}/socket", f"--pid-file={self.directory}/pid"),
            *("--performance-schema=OFF", "--skip-log-bin", "--max-connections=200"),
            *("--innodb-flush-log-at-trx-commit=0", f"--init-file={self.directory}/accounts.sql"),
            f"--tmpdir={self.directory}",
        ]
        (self.directory / "accounts.sql").write_text(
            f"CREATE USER IF NOT EXISTS '{_ADMIN}'@'{HOST}' IDENTIFIED BY '{self.password}';\n"
            f"GRANT ALL ON *.* TO '{_ADMIN}'@'{HOST}' WITH GRANT OPTION;\n"
            f"CREATE USER IF NOT EXISTS '{READER}'@'{HOST}' IDENTIFIED BY '{self.password}';\n"
        )
        log = self.directory / "log"
        command = Command(self._command(options), environment=_environment(), log=log)
        self.process = start(command, self.keeper)
        wait_until(lambda: self._has_ended() or self._listens())
        assert not self._has_ended(), f"MariaDB ended at its start:\n{log.read_text()[-2000:]}"

    def stop(self) -> None:
        """End it as an operator does."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it without a warning."""
        self._end(signal.SIGKILL)

    def freeze(self) -> None:
        """Let it accept connections and say nothing."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED | os.WNOWAIT)

    def thaw(self) -> None:
        """Let it go on after `freeze`."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGCONT)

    def _settings(self, user: str, database: str) -> MysqlSettings:
        return MysqlSettings(
            host=HOST,
            port=self.port,
            database=database,
            user=user,
            password=self.password,
            extra={"sslmode": "disable"},
        )

    def _make_tables(self, data: Path) -> None:
        share = find_share()
        scripts = [next(share.glob(name)).read_text() for name in _SYSTEM_TABLES]
        done = subprocess.run(  # noqa: PLW1510 - what it says is shown
            self._command(["--bootstrap", "--skip-grant-tables"]),
            input="\n".join(["create database mysql;", "use mysql;", *scripts]),
            env=_environment(),
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
        )
        assert done.returncode == 0, done.stderr[-2000:]

    def _command(self, options: Sequence[str]) -> tuple[str, ...]:
        share = find_share()
        return (
            str(find_server()),
            "--no-defaults",
            f"--datadir={self.directory}/data",
            f"--lc-messages-dir={share}",
            f"--character-sets-dir={share}/charsets",
            f"--user={getpass.getuser()}",
            *("--innodb-log-file-size=8M", "--innodb-buffer-pool-size=32M", "--key-buffer-size=1M"),
            *options,
        )

    def _listens(self) -> bool:
        with socket.socket() as connection:
            return connection.connect_ex((HOST, self.port)) == 0

    def _has_ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def _end(self, number: signal.Signals) -> None:
        if self.process is not None:
            stop(self.process, number, timeout_s=LIMIT_S)
            self.keeper.forget(self.process.pid)
            self.process = None


def find_server() -> Path:
    """The server in PATH, or the one that was fetched."""
    found = shutil.which("mariadbd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    path = Path(found) if found else FETCHED / "usr/sbin/mariadbd"
    assert path.exists(), "there is no MariaDB"
    return path


def find_share() -> Path:
    """The folder with the server's scripts and messages."""
    root = find_server().parent.parent / "share"
    return next(root / name for name in ("mysql", "mariadb") if (root / name / "charsets").exists())


def _environment() -> dict[str, str]:
    """Where the fetched server finds what was fetched with it."""
    libraries = [str(path) for path in (FETCHED / "usr/lib").glob("*-linux-gnu*")]
    return {"PATH": os.environ.get("PATH", ""), "LD_LIBRARY_PATH": ":".join(libraries)}


@pytest.fixture(scope="session")
def mariadb(keeper: Keeper) -> Iterator[MariadbServer]:
    """The run's MariaDB; tests make databases of their own on it."""
    server = MariadbServer(DIRECTORY / "mariadb", keeper)
    server.start()
    yield server
    server.stop()
