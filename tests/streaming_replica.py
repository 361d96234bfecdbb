"""A streaming replica of a PostgreSQL of the tests."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from config.services.ports import choose_free_port
from config.services.postgres import EmbeddedPostgres
from config.services.processes import Command, Keeper, plain_environment, run, start, stop
from tests.waiting import LIMIT_S, wait_until


@contextmanager
def replicating(server: EmbeddedPostgres, keeper: Keeper) -> Iterator[EmbeddedPostgres]:
    """A replica of the whole server, with its databases and roles, which follows it."""
    replica = replace(
        server,
        directory=server.directory.with_name(f"{server.directory.name}-replica"),
        port=choose_free_port(),
        log=server.log.with_suffix(".replica.log") if server.log else None,
    )
    home = server.home
    arguments = ("-D", str(replica.home.data), "-h", "127.0.0.1", "-p", str(server.port))
    options = ("-U", "postgres", "--checkpoint=fast", "--no-sync", "--write-recovery-conf")
    environment = plain_environment() | {"PGPASSWORD": server.passwords["superuser"]}
    program = str(home.binaries / "pg_basebackup")
    # It makes the folder itself, whose parent is closed to the user that it runs as.
    replica.home.data.mkdir(mode=0o700)
    if home.account:
        os.chown(replica.home.data, home.account.uid, home.account.gid)
    run(Command((program, *arguments, *options), environment, account=home.account))
    process = start(replica.command(), keeper)
    try:
        wait_until(lambda: process.poll() is not None or replica.is_ready())
        assert process.poll() is None, replica.log and replica.log.read_text()
        yield replica
    finally:
        stop(process, signal.SIGINT, timeout_s=LIMIT_S)
        keeper.forget(process.pid)
        shutil.rmtree(replica.home.data)
