"""Closes a process in that runs DuckDB: it reads some files, writes to one folder, and talks to its server.

Weaker than the sandbox of scripts: DuckDB needs threads, files and its own temporary ones. What the kernel
lacks is left out; DuckDB's own settings refuse the same, and the limits hold everywhere.
"""

import errno
import os
import platform
import resource
import signal
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

from gateways.scripts.sandbox import (
    NICENESS,
    filter_system_calls,
    find_landlock_rights,
    forbid_new_rights,
    system_call,
)
from gateways.scripts.sandbox_filter import ARCHITECTURES, refusing_program

OPEN_FILES = 256
_AT_LEAST_ONE_GIGABYTE = 1_000_000_000
_READ_FILE, _WRITE_FILE, _READ_FOLDER = 1 << 2, 1 << 1, 1 << 3
_REMOVE_FOLDER, _REMOVE_FILE, _MAKE_FOLDER, _MAKE_FILE = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_TRUNCATE = 1 << 14
_BELOW_PATH = 1
_O_PATH = 0o10000000
# DuckDB asks how much memory and how many processors it may have, and ends where it may not ask.
_ALWAYS_READABLE = tuple(
    map(Path, ("/proc/self", "/proc/meminfo", "/sys/fs/cgroup", "/sys/devices/system/cpu"))
)


def enter_cage(
    *, readable: Sequence[Path], writable: Sequence[Path], memory_bytes: int, file_bytes: int
) -> None:
    """Close this process in, before it has threads; there is no way back.

    `readable` files, and all below `readable` folders, can be read, and all below `writable` ones written,
    each file up to `file_bytes`. The address space grows by `memory_bytes` at most.
    """
    os.chdir("/")
    os.nice(NICENESS)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit(memory_bytes, file_bytes)
    if sys.platform != "linux" or platform.machine() not in ARCHITECTURES:
        return
    forbid_new_rights()
    _restrict_files(readable, writable)
    filter_system_calls(refusing_program(platform.machine()))


def _limit(memory_bytes: int, file_bytes: int) -> None:
    mapped = 0
    try:
        mapped = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except OSError:
        mapped = _AT_LEAST_ONE_GIGABYTE
    bounds = {
        resource.RLIMIT_AS: mapped + memory_bytes,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: OPEN_FILES,
    }
    for name, bound in bounds.items():
        hard = resource.getrlimit(name)[1]
        kept = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.setrlimit(name, (kept, kept))
    # A write beyond the limit is an error that DuckDB reports, not the end of the process.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)


def _restrict_files(readable: Sequence[Path], writable: Sequence[Path]) -> None:
    """Refuse every other file by Landlock, where the kernel has it."""
    rights = find_landlock_rights()
    if not rights:
        return
    attributes = struct.pack("=Q", rights)
    ruleset = system_call("landlock_create_ruleset", attributes, len(attributes), 0)
    if ruleset < 0:
        return
    reading = _READ_FILE | _READ_FOLDER
    writing = reading | _WRITE_FILE | _REMOVE_FOLDER | _REMOVE_FILE | _MAKE_FOLDER | _MAKE_FILE
    for paths, wanted in (
        ((*readable, *_ALWAYS_READABLE), reading),
        (writable, writing | _TRUNCATE),
    ):
        for path in paths:
            _allow(ruleset, path, wanted & rights)
    system_call("landlock_restrict_self", ruleset, 0)
    os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        place = os.open(path, _O_PATH | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in {errno.ENOENT, errno.ENOTDIR, errno.EACCES}:
            return  # What is not there cannot be read either.
        raise
    if not path.is_dir():
        rights &= _READ_FILE | _WRITE_FILE | _TRUNCATE
    rule = struct.pack("=Qi", rights, place)
    system_call("landlock_add_rule", ruleset, _BELOW_PATH, rule, 0)
    os.close(place)
