"""Clearing what a PostgreSQL server that was killed has left in its data folder."""

import contextlib
import os
import signal
import time
from pathlib import Path

TIMEOUT_S = 5.0


def clear_leftovers(data: Path) -> None:
    """End every process that still works in `data`, then drop its `postmaster.pid`.

    Only for the owner of the cluster's lock. In a container a stale file may name a process that
    has the same number today, and the server would refuse to start. The file must not go while a
    session of the old server is alive: two servers on one cluster destroy it.
    """
    pid_file = data / "postmaster.pid"
    if not pid_file.exists():
        return
    end_processes_in(data)
    # If a server may still be alive, the new one decides itself.
    if Path("/proc/self").exists():
        is_live = bool(find_processes_in(data))
    else:
        try:
            os.kill(int(pid_file.read_text().split("\n", 1)[0]), 0)
            is_live = True
        except PermissionError:
            is_live = True
        except (ValueError, ProcessLookupError):
            is_live = False
    if not is_live:
        pid_file.unlink(missing_ok=True)


def end_processes_in(folder: Path) -> None:
    """Stop, and after a while kill, the processes whose working directory is `folder` (Linux)."""
    deadline = time.monotonic() + TIMEOUT_S
    number = signal.SIGQUIT
    while pids := find_processes_in(folder):
        if time.monotonic() > deadline - TIMEOUT_S / 2:
            number = signal.SIGKILL
        for pid in pids:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        if time.monotonic() > deadline:
            return
        time.sleep(0.05)


def find_processes_in(folder: Path) -> list[int]:
    """The processes whose working directory is `folder`; always empty on systems without /proc."""
    pids = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (entry / "cwd").readlink() != folder:
                continue
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            if state != "Z":
                pids.append(int(entry.name))
    return pids
