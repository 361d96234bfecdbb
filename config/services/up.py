"""`manage.py up`: everything that runs on this machine, from the lock to the last goodbye."""

import asyncio
import os
import signal
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from config import env
from config.services.application import Application
from config.services.embedded import EmbeddedBuilder
from config.services.leftovers import ProcessRecord
from config.services.logs import LogRotation
from config.services.options import Options
from config.services.ports import is_free
from config.services.processes import Keeper
from config.services.room import explain_full_disk
from config.services.state import (
    DataDirectory,
    hold_lock,
    is_locked,
    read_lock_pid,
    write_private_json,
)
from config.services.supervisor import Say, Supervisor
from core.errors import ConfigurationError

ADMIN_USER = "admin"
STOP_TIMEOUT_S = 15.0
PATIENCE_AFTER_KILL_S = 3.0


def run_up(options: Options, say: Say) -> None:
    """Start everything, say where it is, and return when it has been stopped.

    Raises ConfigurationError, with nothing left running, if it cannot start or cannot be kept.
    """
    began = time.monotonic()
    directory = DataDirectory(options.data_dir.resolve())
    directory.create()
    with hold_lock(directory.lock_file):
        record = ProcessRecord(directory.root / "processes.json")
        # The processes of a run that was killed may need a moment to go.
        patience_s = PATIENCE_AFTER_KILL_S if record.file.exists() else 0.0
        if names := record.reap():
            say(f"ended what an earlier run had left: {', '.join(names)}")
        for file in directory.shared_files:
            file.unlink(missing_ok=True)
        installation = Installation(options, directory, record, say, began)
        installation.check_ports(patience_s)
        installation.run()


def stop_running(data_dir: Path, say: Say) -> None:
    """Stop the `up` of this data folder and wait for it; fine if there is none."""
    file = DataDirectory(data_dir.resolve()).lock_file
    pid = read_lock_pid(file)
    if not is_locked(file) or pid is None:
        say("nothing is running")
        return
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_TIMEOUT_S
    while is_locked(file):
        if time.monotonic() > deadline:
            raise ConfigurationError(f"process {pid} does not stop; end it with `kill -9 {pid}`")
        time.sleep(0.05)
    say("stopped")


@dataclass
class Installation:
    """One run of all services, by the holder of the folder's lock."""

    options: Options
    directory: DataDirectory
    record: ProcessRecord
    say: Say
    began: float
    application: Application = field(init=False)

    def __post_init__(self) -> None:
        secrets = self.directory.load_secrets()
        ports = self.directory.load_ports()
        embedded = EmbeddedBuilder(self.options, self.directory, secrets, ports).build()
        self.application = Application(self.options, self.directory, secrets, embedded)

    def check_ports(self, patience_s: float) -> None:
        """ConfigurationError, with the port and what to do, if one that we need is taken."""
        options, stored = self.options, self.directory.root / "ports.json"
        wanted = [
            ("web", options.port_web, options.host, "choose another with --port-web"),
            ("mcp", options.port_mcp, options.host, "choose another with --port-mcp"),
        ]
        advice = f"end the program that uses it, or delete {stored} to choose new ports"
        for name, port in self.application.embedded.ports.items():
            wanted.append((name, port, "127.0.0.1", advice))
        deadline = time.monotonic() + patience_s
        for name, port, host, advice in wanted:
            if not _becomes_free(port, host, deadline):
                raise ConfigurationError(f"port {port} ({name}) is already in use; {advice}")

    def run(self) -> None:
        """Until a signal stops it."""
        for notice in self.application.embedded.notices:
            self.say(f"note: {notice}")
        self.say(f"starting; logs are in {self.directory.logs}")
        keeper = Keeper()
        # Their existence says that everything answers, so they go with us even after `kill -9`.
        for file in self.directory.shared_files:
            keeper.remove(file)
        try:
            asyncio.run(self._supervise(keeper))
        finally:
            keeper.close()
        self.say("stopped")

    async def _supervise(self, keeper: Keeper) -> None:
        services = [*self.application.embedded.services, *self.application.services()]
        folders = list(dict.fromkeys((self.directory.root, *self.application.embedded.folders)))
        supervisor = Supervisor(
            services,
            keeper,
            self.say,
            record=self.record.write,
            find_obstacle=partial(explain_full_disk, folders),
            do_chores=LogRotation(self.directory.logs, *env.log_limits()).rotate,
        )
        write_private_json(self.directory.environment_file, self.application.variables)
        await supervisor.run(self._tell)

    def _tell(self) -> None:
        """Everything answers: write the addresses down and say them."""
        write_private_json(self.directory.endpoints_file, self._endpoints())
        seconds = time.monotonic() - self.began
        secrets, options = self.application.secrets, self.options
        self.say(
            SUMMARY.format(
                seconds=seconds,
                web=options.web_url,
                user=ADMIN_USER,
                mcp=options.mcp_url,
                key=secrets.api_key,
                endpoints=self.directory.endpoints_file,
            )
        )

    def _endpoints(self) -> dict[str, str | None]:
        secrets, embedded = self.application.secrets, self.application.embedded
        outside = self.options.outside
        return {
            "web": self.options.web_url,
            "mcp": self.options.mcp_url,
            "api_key": secrets.api_key,
            "admin_user": ADMIN_USER,
            "admin_password": secrets.admin_password,
            "demo_dsn": embedded.demo_dsn,
            "database_url": outside.get("DATABASE_URL") or embedded.variables["DATABASE_URL"],
        }


SUMMARY = """
Toolbuilder is up, after {seconds:.1f} s.

  Web      {web}   (user {user}; the password is in the file below)
  MCP      {mcp}
  Claude   claude mcp add --transport http toolbuilder {mcp} --header "Authorization: Bearer {key}"
  All of it, keys and passwords too: {endpoints}

Ctrl-C stops everything.
"""


def _becomes_free(port: int, host: str, deadline: float) -> bool:
    while not is_free(port, host):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
