"""The system calls that the kernel lets a sandboxed process make, as a seccomp filter program."""

import struct
from collections.abc import Iterable, Mapping
from types import MappingProxyType

KILL = 0x8000_0000
REFUSE = 0x0005_0001  # The call fails with EPERM.
MISSING = 0x0005_0026  # It fails with ENOSYS, so that the C library takes the older call.
ALLOW = 0x7FFF_0000

PROT_EXEC = 0x4

# How the kernel calls the architectures, by platform.machine(); both are little-endian.
ARCHITECTURES = MappingProxyType({"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7})

# Only on the file descriptor of the channel.
CHANNEL_CALLS = ("read", "write")
# Only without PROT_EXEC: no code but what was loaded before the sandbox closed can run.
MEMORY_CALLS = ("mmap", "mprotect")
# What CPython needs in order to compute: memory, locks, clocks, signals of its own, and its end.
ALLOWED_CALLS = (
    "munmap", "brk", "mremap", "madvise", "futex", "getrusage", "clock_gettime", "clock_getres",
    "gettimeofday", "getrandom", "getpid", "sched_yield", "rt_sigaction", "rt_sigprocmask",
    "rt_sigreturn", "sigaltstack", "restart_syscall", "rseq", "exit", "exit_group",
)  # fmt: skip
# Calls that no Python program makes by accident: whoever makes one is breaking out, and must not get
# a second attempt. Everything else fails with EPERM, so that the proof can try it and go on.
HOSTILE_CALLS = (
    "ptrace", "process_vm_readv", "process_vm_writev", "execveat", "memfd_create", "bpf",
    "userfaultfd", "perf_event_open", "io_uring_setup", "seccomp", "personality", "unshare", "setns",
    "mount", "pivot_root", "chroot", "keyctl", "add_key", "request_key", "pidfd_open", "pidfd_getfd",
    "open_by_handle_at", "init_module", "finit_module", "kexec_load",
)  # fmt: skip
# What a program that opens files and starts threads still does not need; they fail with EPERM.
REFUSED_CALLS = ("socket", "kill", "execve", "setuid", "sethostname")
_THREAD = 0x0001_0000

# (x86_64, aarch64), from the kernel's unistd headers.
_NUMBERS = {
    "read": (0, 63),
    "write": (1, 64),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "sched_yield": (24, 124),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "getpid": (39, 172),
    "exit": (60, 93),
    "gettimeofday": (96, 169),
    "getrusage": (98, 165),
    "sigaltstack": (131, 132),
    "futex": (202, 98),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "exit_group": (231, 94),
    "getrandom": (318, 278),
    "rseq": (334, 293),
    "socket": (41, 198),
    "clone": (56, 220),
    "execve": (59, 221),
    "kill": (62, 129),
    "prctl": (157, 167),
    "openat": (257, 56),
    "prlimit64": (302, 261),
    "ptrace": (101, 117),
    "personality": (135, 92),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "mount": (165, 40),
    "init_module": (175, 105),
    "kexec_load": (246, 104),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "perf_event_open": (298, 241),
    "open_by_handle_at": (304, 265),
    "setns": (308, 268),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "finit_module": (313, 273),
    "seccomp": (317, 277),
    "memfd_create": (319, 279),
    "bpf": (321, 280),
    "execveat": (322, 281),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "pidfd_open": (434, 434),
    "pidfd_getfd": (438, 438),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
    "landlock_add_rule": (445, 445),
    "clone3": (435, 435),
    "setuid": (105, 146),
    "sethostname": (170, 161),
}

# Codes of the kernel's classic BPF, and offsets into its struct seccomp_data.
_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER_OFFSET, _ARCHITECTURE_OFFSET, _ARGUMENTS_OFFSET = 0, 4, 16
_X32_BIT = 0x4000_0000
# fork and vfork, which aarch64 has not.
_FORKS = (57, 58)


def system_calls(machine: str) -> Mapping[str, int]:
    """Numbers by name, for a key of ARCHITECTURES."""
    column = list(ARCHITECTURES).index(machine)
    return {name: numbers[column] for name, numbers in _NUMBERS.items()}


def filter_program(machine: str, channel: int) -> bytes:
    """The filter as an array of struct sock_filter; only `channel` can be read and written.

    Calls of another architecture, the 32-bit and x32 ones of x86_64 included, end the process: their
    numbers mean other things.
    """
    numbers = system_calls(machine)
    program = _begin(machine)
    channel_test = [_load_argument(0), _step(_EQUAL, channel, jump_if_not=1)]
    for name in CHANNEL_CALLS:
        program += _rule(
            numbers[name], [*channel_test, _step(_RETURN, ALLOW), _step(_RETURN, REFUSE)]
        )
    memory_test = [_load_argument(2), _step(_ANY_BIT, PROT_EXEC, jump_if_not=1)]
    for name in MEMORY_CALLS:
        program += _rule(
            numbers[name], [*memory_test, _step(_RETURN, REFUSE), _step(_RETURN, ALLOW)]
        )
    program += _rules((numbers[name] for name in ALLOWED_CALLS), ALLOW)
    program += _rules((numbers[name] for name in HOSTILE_CALLS), KILL)
    return b"".join([*program, _step(_RETURN, REFUSE)])


def refusing_program(machine: str) -> bytes:
    """A filter that lets through all but what breaks out: other programs, processes and connections.

    Threads are allowed. Calls of another architecture end the process, as in `filter_program`.
    """
    numbers = system_calls(machine)
    program = _begin(machine)
    thread_test = [_load_argument(0), _step(_ANY_BIT, _THREAD, jump_if_not=1)]
    program += _rule(
        numbers["clone"], [*thread_test, _step(_RETURN, ALLOW), _step(_RETURN, REFUSE)]
    )
    program += _rule(numbers["clone3"], [_step(_RETURN, MISSING)])
    program += _rules((numbers[name] for name in REFUSED_CALLS), REFUSE)
    if machine == "x86_64":
        program += _rules(_FORKS, REFUSE)
    program += _rules((numbers[name] for name in HOSTILE_CALLS), KILL)
    return b"".join([*program, _step(_RETURN, ALLOW)])


def _begin(machine: str) -> list[bytes]:
    """The steps that end a process of another architecture, and load the number of the call."""
    return [
        _step(_LOAD, _ARCHITECTURE_OFFSET),
        _step(_EQUAL, ARCHITECTURES[machine], jump_if_not=2),
        _step(_LOAD, _NUMBER_OFFSET),
        _step(_AT_LEAST, _X32_BIT, jump_if_not=1),
        _step(_RETURN, KILL),
    ]


def _rules(numbers: Iterable[int], action: int) -> list[bytes]:
    return [step for number in numbers for step in _rule(number, [_step(_RETURN, action)])]


def _rule(number: int, steps: list[bytes]) -> list[bytes]:
    """The steps for one call; they end the filter, all other calls go on behind them."""
    return [_step(_EQUAL, number, jump_if_not=len(steps)), *steps]


def _load_argument(index: int) -> bytes:
    # The low half: the kernel takes descriptors as 32-bit, and the flags that matter are there.
    return _step(_LOAD, _ARGUMENTS_OFFSET + 8 * index)


def _step(code: int, operand: int, jump_if_not: int = 0) -> bytes:
    return struct.pack("=HBBI", code, 0, jump_if_not, operand)
