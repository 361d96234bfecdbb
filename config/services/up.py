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
from config.services.disk import LogRotation, explain_full_disk
from config.services.embedded import EmbeddedBuilder
from config.services.leftovers import ProcessRecord
from config.services.options import Options
from config.services.ports import is_free
from config.services.processes import Keeper
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
        needed = [
            ("web", options.port_web, options.host, "choose another with --port-web"),
            ("mcp", options.port_mcp, options.host, "choose another with --port-mcp"),
        ]
        advice = f"end the program that uses it, or delete {stored} to choose new ports"
        for name, port in self.application.embedded.ports.items():
            needed.append((name, port, "127.0.0.1", advice))
        deadline = time.monotonic() + patience_s
        for name, port, host, advice in needed:
            while not is_free(port, host):
                if time.monotonic() > deadline:
                    raise ConfigurationError(f"port {port} ({name}) is already in use; {advice}")
                time.sleep(0.05)

    def run(self) -> None:
        """Until a signal stops it."""
        embedded = self.application.embedded
        for notice in embedded.notices:
            self.say(f"note: {notice}")
        self.say(f"starting; logs are in {self.directory.logs}")
        keeper = Keeper()
        # Their existence says that everything answers, so they go with us even after `kill -9`.
        for file in self.directory.shared_files:
            keeper.remove(file)
        folders = list(dict.fromkeys((self.directory.root, *embedded.folders)))
        supervisor = Supervisor(
            [*embedded.services, *self.application.services()],
            keeper,
            self.say,
            record=self.record.write,
            find_obstacle=partial(explain_full_disk, folders),
            do_chores=LogRotation(self.directory.logs, *env.log_limits()).rotate,
        )
        try:
            write_private_json(self.directory.environment_file, self.application.variables)
            asyncio.run(supervisor.run(self._announce))
        finally:
            keeper.close()
        self.say("stopped")

    def _announce(self) -> None:
        """Everything answers: write the addresses down and say them."""
        secrets, embedded = self.application.secrets, self.application.embedded
        web, mcp = self.options.web_url, self.options.mcp_url
        database_url = (
            self.options.outside.get("DATABASE_URL") or embedded.variables["DATABASE_URL"]
        )
        endpoints = {
            "web": web,
            "mcp": mcp,
            "api_key": secrets.api_key,
            "admin_user": ADMIN_USER,
            "admin_password": secrets.admin_password,
            "demo_dsn": embedded.demo_dsn,
            "database_url": database_url,
        }
        write_private_json(self.directory.endpoints_file, endpoints)
        self.say(
            SUMMARY.format(
                seconds=time.monotonic() - self.began,
                web=web,
                user=ADMIN_USER,
                mcp=mcp,
                key=secrets.api_key,
                endpoints=self.directory.endpoints_file,
            )
        )


SUMMARY = """
Toolbuilder is up, after {seconds:.1f} s.

  Web      {web}   (user {user}; the password is in the file below)
  MCP      {mcp}
  Claude   claude mcp add --transport http toolbuilder {mcp} --header "Authorization: Bearer {key}"
  All of it, keys and passwords too: {endpoints}

Ctrl-C stops everything.
"""
