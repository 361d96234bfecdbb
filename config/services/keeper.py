"""Outlives its starter for a moment: kills the watched processes once standard input closes.

Run as a script by `processes.Keeper`. One order a line, fields separated by tabs:
`watch PID SIGNAL` (a leader of its own process group), `forget PID`, `remove PATH` (a file, or a
directory with all that is in it).
"""

import contextlib
import os
import shutil
import signal
import sys
import time

GRACE_SECONDS = 1.0


def signal_group(leader: int, number: int) -> None:
    """Send to the whole process group of `leader`; a group that is gone is fine."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, number)


def is_alive(leader: int) -> bool:
    """True while any process of the group exists."""
    try:
        os.killpg(leader, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def end(watched: dict[int, int]) -> None:
    """Signal every group in its own way, wait a moment, then kill what is left."""
    for leader, number in watched.items():
        signal_group(leader, number)
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline and any(is_alive(leader) for leader in watched):
        time.sleep(0.02)
    for leader in watched:
        signal_group(leader, signal.SIGKILL)


def follow_orders(watched: dict[int, int], paths: list[str]) -> None:
    """Fill both from standard input until the starter is gone."""
    for line in sys.stdin:
        order, *fields = line.rstrip("\n").split("\t")
        if order == "watch":
            watched[int(fields[0])] = int(fields[1])
        elif order == "forget":
            watched.pop(int(fields[0]), None)
        elif order == "remove":
            paths.append(fields[0])


def main() -> None:
    """Follow the orders, then clean up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    watched: dict[int, int] = {}
    paths: list[str] = []
    follow_orders(watched, paths)
    # Files first: they say that we are running. Directories may still be written to.
    for path in paths:
        with contextlib.suppress(OSError):
            os.unlink(path)  # noqa: PTH108 - pathlib would triple the start time
    end(watched)
    for path in paths:
        shutil.rmtree(path, ignore_errors=True)


if __name__ == "__main__":
    main()
