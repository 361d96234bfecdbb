"""Turns itself into a service: `launch.py PARENT_PID DEATH_SIGNAL UID GID COMMAND...`.

Run as a script by `processes.start`, before any of the project can be imported; a preexec function
would run Python between fork and exec of a process that has threads. UID and GID are -1 to keep.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def become_user(uid: int, gid: int) -> None:
    """Drop root for good; nothing happens for -1."""
    if uid < 0:
        return
    os.setgroups([gid])
    os.setgid(gid)
    os.setuid(uid)


def reset_signals() -> None:
    """Give every signal its default meaning, and block none.

    Commands inherit what is ignored: SIGINT and SIGQUIT by a shell for its background jobs, SIGPIPE by
    Python itself. PostgreSQL would then not pass a SIGQUIT on to its sessions.
    """
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        if signal.getsignal(number) is not signal.SIG_DFL:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def die_with(parent: int, death_signal: int) -> None:
    """Ask Linux for `death_signal` when the parent dies; elsewhere the keeper does it alone."""
    if sys.platform != "linux":
        return
    # Set after the change of user, because changing credentials clears it.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, death_signal, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit("the parent ended before the service started")


def main(arguments: list[str]) -> None:
    """Become the command; the process id stays."""
    parent, death_signal, uid, gid = (int(argument) for argument in arguments[:4])
    reset_signals()
    become_user(uid, gid)
    die_with(parent, death_signal)
    os.execv(arguments[4], arguments[4:])  # noqa: S606 - the command comes from the supervisor


if __name__ == "__main__":
    main(sys.argv[1:])
