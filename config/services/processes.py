"""Starting child processes that cannot outlive their starter, and ending them."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import ConfigurationError

HERE = Path(__file__).parent
LAUNCH = (sys.executable, "-I", "-S", str(HERE / "launch.py"))


@dataclass(frozen=True)
class Account:
    """A user of the operating system, by numbers."""

    uid: int
    gid: int


@dataclass(frozen=True)
class Command:
    """What to run, as whom, and where its output goes.

    `argv[0]` is an absolute path, `environment` the whole environment (None: ours). `death_signal`
    is what the process gets when its starter dies without stopping it. `log` None discards output,
    `folder` is the working directory.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str] | None = None
    log: Path | None = None
    account: Account | None = None
    death_signal: signal.Signals = signal.SIGKILL
    folder: Path = Path("/")


@dataclass
class Keeper:
    """A small process that ends the watched ones, even after `kill -9` of this one, on any system."""

    process: subprocess.Popen[str] = field(init=False)

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - our own script
            [sys.executable, "-I", "-S", str(HERE / "keeper.py")],
            stdin=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def watch(self, pid: int, death_signal: signal.Signals) -> None:
        """From now on the process group `pid` dies with us."""
        self._order("watch", str(pid), str(int(death_signal)))

    def forget(self, pid: int) -> None:
        """The process has been waited for; its number may belong to somebody else soon."""
        self._order("forget", str(pid))

    def remove(self, path: Path) -> None:
        """Delete this file or directory after us."""
        self._order("remove", str(path))

    def close(self) -> None:
        """End what is still watched, delete what was named, and end the keeper."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.process.wait()

    def _order(self, *fields: str) -> None:
        if self.process.stdin is None:
            return
        # A keeper that somebody killed must not take us down; on Linux the kernel still helps.
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write("\t".join(fields) + "\n")
            self.process.stdin.flush()


def start(command: Command, keeper: Keeper) -> subprocess.Popen[bytes]:
    """The running process, leader of a session of its own, watched by the keeper.

    Call it from the main thread: Linux sends the death signal when the starting *thread* ends.
    """
    account = command.account or Account(-1, -1)
    numbers = (os.getpid(), int(command.death_signal), account.uid, account.gid)
    log = _open_log(command.log)
    try:
        process = subprocess.Popen(  # noqa: S603 - the command is the caller's
            [*LAUNCH, *map(str, numbers), *command.argv],
            env=command.environment,
            cwd=command.folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            umask=0o077,
        )
    finally:
        os.close(log)
    keeper.watch(process.pid, command.death_signal)
    return process


def _open_log(log: Path | None) -> int:
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    if log is not None:
        # On a full disk there may be no room for a new file; the service is wanted all the same.
        with contextlib.suppress(OSError):
            return os.open(log, flags, 0o600)
    return os.open(os.devnull, flags)


def run(command: Command) -> None:
    """Run to the end; raises ConfigurationError with the program's last words if it failed."""
    account = command.account or Account(-1, -1)
    numbers = (os.getpid(), int(command.death_signal), account.uid, account.gid)
    result = subprocess.run(  # noqa: S603 - the command is the caller's
        [*LAUNCH, *map(str, numbers), *command.argv],
        env=command.environment,
        cwd=command.folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        umask=0o077,
        check=False,
    )
    if result.returncode:
        name, words = Path(command.argv[0]).name, (result.stderr or result.stdout)[-2000:]
        raise ConfigurationError(f"{name} failed with status {result.returncode}:\n{words}")


def stop(process: subprocess.Popen[bytes], number: signal.Signals, timeout_s: float) -> bool:
    """End one process, first by `number`, then by SIGKILL to its group; True if it went by itself."""
    with contextlib.suppress(ProcessLookupError):
        process.send_signal(number)
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        kill_group(process.pid)
        process.wait()
        return False
    # What the service itself has started and left behind.
    kill_group(process.pid)
    return True


async def wait_for_end(process: subprocess.Popen[bytes], poll_s: float) -> None:
    """Return when the process has ended: Linux tells it, other systems are asked every `poll_s`."""
    if process.poll() is None and hasattr(os, "pidfd_open"):
        # Some containers refuse it.
        with contextlib.suppress(OSError):
            descriptor, ended = os.pidfd_open(process.pid), asyncio.Event()
            loop = asyncio.get_running_loop()
            try:
                loop.add_reader(descriptor, ended.set)
                await ended.wait()
            finally:
                loop.remove_reader(descriptor)
                os.close(descriptor)
    while process.poll() is None:  # noqa: ASYNC110 - there is no event
        await asyncio.sleep(poll_s)


def kill_group(leader: int) -> None:
    """SIGKILL to a whole process group; a group that is gone is fine."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def plain_environment() -> dict[str, str]:
    """For programs that are not ours: no PG* variable and no secret of this process gets there."""
    kept = ("LD_LIBRARY_PATH", "PYTHONHOME", "PYTHONPATH", "TMPDIR")
    found = {name: os.environ[name] for name in kept if name in os.environ}
    return {"PATH": os.defpath, "LANG": "C", "TZ": "UTC"} | found
