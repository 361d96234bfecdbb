"""Debian's PgBouncer in transaction mode, in front of a PostgreSQL of the tests."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.services.ports import choose_free_port
from config.services.postgres import EmbeddedPostgres
from config.services.processes import Command, Keeper, start, stop
from tests.debian import environment_of, unpack
from tests.waiting import LIMIT_S, wait_until


@contextmanager
def pooling(
    server: EmbeddedPostgres, keeper: Keeper, passwords: dict[str, str], log: Path
) -> Iterator[int]:
    """The port where all databases of the server are, for these users; a session for each transaction."""
    # Where the user of PostgreSQL can get, for PgBouncer does not run as root either.
    place, port = server.home.data.parent, choose_free_port()
    folder = place / "pgbouncer"
    if not folder.exists():
        shutil.copytree(unpack("pgbouncer"), folder, symlinks=True)
    users, file = place / "users.txt", place / "pgbouncer.ini"
    users.write_text("".join(f'"{name}" "{secret}"\n' for name, secret in passwords.items()))
    file.write_text(
        f"[databases]\n* = host=127.0.0.1 port={server.port}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n"
        f"auth_type = plain\nauth_file = {users}\npool_mode = transaction\n"
        "default_pool_size = 3\nignore_startup_parameters = extra_float_digits,options\n"
    )
    account = server.home.account
    if account:
        for path in (users, file):
            os.chown(path, account.uid, account.gid)
    program = (str(folder / "usr/sbin/pgbouncer"), str(file))
    process = start(Command(program, environment_of(folder), log, account), keeper)
    try:
        wait_until(lambda: process.poll() is not None or "listening on" in log.read_text())
        assert process.poll() is None, log.read_text()
        yield port
    finally:
        stop(process, signal.SIGINT, timeout_s=LIMIT_S)
        keeper.forget(process.pid)
