"""The proof that a sandbox holds, tried from the inside by the very acts that it must refuse."""

import ctypes
import errno
import os
import signal

from gateways.scripts.sandbox import system_call
from gateways.scripts.sandbox_filter import PROT_EXEC

_AT_FDCWD = -100
_AF_INET, _SOCK_STREAM = 2, 1
_PROT_READ = 0x1
_MAP_PRIVATE_ANONYMOUS = 0x22
_RLIMIT_AS = 9
_PAGE = 4_096


def find_leak(memory_bytes: int) -> str | None:
    """What a closed sandbox lets through although it must not, in words, or None if it holds.

    Takes a fraction of a millisecond. Harmless in a process without any sandbox.
    """
    acts: dict[str, tuple[str, tuple[int | bytes | None, ...]]] = {
        "read a file": ("openat", (_AT_FDCWD, b"/", os.O_RDONLY, 0)),
        "open a connection": ("socket", (_AF_INET, _SOCK_STREAM, 0)),
        "send a signal": ("kill", (os.getpid(), 0)),
        "start a program": ("execve", (None, None, None)),
        "raise its limits": ("prlimit64", (0, _RLIMIT_AS, None, None)),
        "change its own rules": ("prctl", (0, 0, 0, 0, 0)),
        "run code of its own": (
            "mmap",
            (None, _PAGE, _PROT_READ | PROT_EXEC, _MAP_PRIVATE_ANONYMOUS, -1, 0),
        ),
    }
    for deed, (name, arguments) in acts.items():
        if not _is_refused(name, *arguments):
            return f"a script could {deed}"
    if not _is_fork_refused():
        return "a script could start processes"
    return None if _is_memory_limited(memory_bytes) else "a script could take all memory"


def _is_refused(name: str, *arguments: int | bytes | None) -> bool:
    """Whether the filter refuses; errors of the call itself have other numbers."""
    ctypes.set_errno(0)
    return system_call(name, *arguments) == -1 and ctypes.get_errno() == errno.EPERM


def _is_fork_refused() -> bool:
    child = system_call("clone", int(signal.SIGCHLD), 0, 0, 0, 0)
    if child == 0:
        os._exit(0)
    return child == -1 and ctypes.get_errno() == errno.EPERM


def _is_memory_limited(memory_bytes: int) -> bool:
    try:
        bytearray(2 * memory_bytes)
    except MemoryError:
        return True
    return False
