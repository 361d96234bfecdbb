"""Closing a process in for good: it can compute and talk over one channel, and nothing else.

Only Linux on x86_64 and aarch64; needs no privileges. The process must have a single thread.
"""

import contextlib
import ctypes
import os
import platform
import resource
import signal
import struct
import sys

from core.errors import ConfigurationError
from core.messages import Message, message
from gateways.scripts.sandbox_filter import ARCHITECTURES, filter_program, system_calls

NOBODY = 65_534
# The server's own work goes first when a script computes for long.
NICENESS = 5

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_SECCOMP = 22
_PR_SET_NO_NEW_PRIVS = 38
_SECCOMP_MODE_FILTER = 2
_LANDLOCK_VERSION = 1
# Landlock's versions that added a right over files, beyond the 13 of the first.
_LANDLOCK_ADDITIONS = (2, 3, 5)

_libc = ctypes.CDLL(None, use_errno=True)


def missing_support() -> Message | None:
    """Why no process can be sandboxed on this system, or None."""
    if sys.platform != "linux":
        return message(
            "scripts.need_linux", "they need Linux (this is {system})", system=sys.platform
        )
    if platform.machine() not in ARCHITECTURES or sys.maxsize < 2**32:
        known = " or ".join(ARCHITECTURES)
        return message(
            "scripts.need_processor",
            "they need a 64-bit processor of kind {known} (this is {machine})",
            known=known,
            machine=platform.machine(),
        )
    return None


def enter_sandbox(*, channel: int, memory_bytes: int, cpu_s: int, parent_pid: int) -> None:
    """Close this process in; there is no way back. Whether it holds is for `find_leak` to say.

    `channel` is the one file descriptor that stays open; `memory_bytes` bounds the address space of the
    process, `cpu_s` its processor time over its whole life; it dies with its parent, `parent_pid`.
    Raises ConfigurationError when the kernel refuses.
    """
    # closerange() of an empty range closes every file there is.
    if channel > 0:
        os.closerange(0, channel)
    os.closerange(channel + 1, max(65_536, resource.getrlimit(resource.RLIMIT_NOFILE)[0]))
    os.chdir("/")
    with contextlib.suppress(PermissionError):  # It leads a session already.
        os.setsid()
    os.nice(NICENESS)
    _drop_root()
    forbid_new_rights()
    # After the change of user, because changing credentials clears it.
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:
        sys.exit("the parent has ended")
    _forbid_files()
    _limit_resources(memory_bytes, cpu_s)
    filter_system_calls(filter_program(platform.machine(), channel))


def forbid_new_rights() -> None:
    """No program that this process would start gains a right, and nobody looks into its memory."""
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_DUMPABLE, 0)


def find_landlock_rights() -> int:
    """All rights over files that the kernel's Landlock knows, as bits; 0 where it has none."""
    version = system_call("landlock_create_ruleset", None, 0, _LANDLOCK_VERSION)
    if version < 1:
        return 0
    return (1 << (13 + sum(version >= addition for addition in _LANDLOCK_ADDITIONS))) - 1


def system_call(name: str, *arguments: int | bytes | None) -> int:
    """What the kernel answers to a raw call: -1 for an error, which ctypes.get_errno() names."""
    number = system_calls(platform.machine())[name]
    values = [
        ctypes.c_long(value) if isinstance(value, int) else ctypes.c_char_p(value)
        for value in (number, *arguments)
    ]
    return int(_libc.syscall(*values))


def _drop_root() -> None:
    """Root passes many limits, so it becomes nobody; where that is forbidden, the filter holds alone."""
    if os.geteuid() != 0:
        return
    with contextlib.suppress(OSError):
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)


def _forbid_files() -> None:
    """Refuse every file, port and signal by Landlock too, where the kernel has it."""
    version = system_call("landlock_create_ruleset", None, 0, _LANDLOCK_VERSION)
    if version < 1:
        return
    rights = find_landlock_rights()
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    attributes = struct.pack("=QQQ", rights, 0b11, 0b11)[:size]
    ruleset = system_call("landlock_create_ruleset", attributes, size, 0)
    if ruleset >= 0:
        system_call("landlock_restrict_self", ruleset, 0)
        os.close(ruleset)


def _limit_resources(memory_bytes: int, cpu_s: int) -> None:
    bounds = {
        resource.RLIMIT_AS: memory_bytes,
        resource.RLIMIT_CPU: cpu_s,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: 0,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_MEMLOCK: 0,
    }
    for name, bound in bounds.items():
        resource.setrlimit(name, (bound, bound))


def filter_system_calls(program: bytes) -> None:
    """Have the kernel judge every further call of this process by a filter program."""
    steps = ctypes.create_string_buffer(program, len(program))
    # struct sock_fprog: the number of steps, and their address behind the padding.
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(steps))
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, header)


def _prctl(option: int, value: int, pointer: bytes | None = None) -> None:
    arguments = (ctypes.c_ulong(value), ctypes.c_char_p(pointer), ctypes.c_ulong(0))
    if _libc.prctl(option, *arguments, ctypes.c_ulong(0)) != 0:
        problem = os.strerror(ctypes.get_errno())
        raise ConfigurationError(
            message(
                "scripts.sandbox_refused",
                "the kernel refuses to close the sandbox: {reason}",
                reason=str(problem),
            )
        )
