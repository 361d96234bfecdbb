"""The sandbox of script processes: every hostile act is tried inside a real one."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gateways.scripts.sandbox import missing_support
from gateways.scripts.sandbox_filter import (
    ALLOW,
    ARCHITECTURES,
    KILL,
    REFUSE,
    filter_program,
    system_calls,
)
from gateways.scripts.sandbox_proof import find_leak
from tests.gateways.scripts.filter_machine import decide

pytestmark = pytest.mark.skipif(missing_support() is not None, reason="the sandbox needs Linux")

PROJECT = Path(__file__).parents[3]
PROGRAM = Path(__file__).with_name("sandboxed.py")
MEMORY_BYTES = 256_000_000
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}


def run_inside(code: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-I", "-S", str(PROGRAM), str(PROJECT), str(MEMORY_BYTES), code]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("open('/etc/hostname')", id="open a file"),
        pytest.param("open('/tmp/x', 'w')", id="make a file"),
        pytest.param("open('/proc/self/environ')", id="read its environment"),
        pytest.param("os.listdir('/')", id="list a directory"),
        pytest.param("os.stat('/')", id="ask for a file"),
        pytest.param("os.unlink('/tmp/x')", id="delete a file"),
        pytest.param("os.chdir('/tmp')", id="change the directory"),
        pytest.param("socket.socket()", id="make an internet socket"),
        pytest.param("socket.socket(socket.AF_UNIX)", id="make a local socket"),
        pytest.param("socket.socketpair()", id="make a pair of sockets"),
        pytest.param("socket.socket(fileno=1).connect(('127.0.0.1', 1))", id="connect"),
        pytest.param("os.pipe()", id="make a pipe"),
        pytest.param("os.dup(1)", id="copy a file descriptor"),
        pytest.param("os.read(0, 1)", id="read another descriptor"),
        pytest.param("os.write(2, b'x')", id="write another descriptor"),
        pytest.param("os.fork()", id="fork"),
        pytest.param("os.execv('/bin/sh', ['sh'])", id="start a program"),
        pytest.param("os.posix_spawn('/bin/sh', ['sh'], {})", id="spawn a program"),
        pytest.param("os.kill(parent, 0)", id="signal its parent"),
        pytest.param("os.kill(os.getpid(), signal.SIGTERM)", id="signal itself"),
        pytest.param("os.killpg(0, 0)", id="signal its group"),
        pytest.param("os.setuid(0)", id="become root"),
        pytest.param("os.nice(-1)", id="take more time"),
        pytest.param("signal.setitimer(signal.ITIMER_REAL, 1)", id="set a timer"),
    ],
)
def test_system_call_is_refused(code: str) -> None:
    assert re.search(
        r"(PermissionError|OSError|itimer_error|ItimerError) 1\n", run_inside(code).stdout
    )


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("resource.setrlimit(resource.RLIMIT_AS, (-1, -1))", id="memory"),
        pytest.param("resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))", id="files"),
    ],
)
def test_limit_cannot_be_raised(code: str) -> None:
    # Python says ValueError for the kernel's EPERM here.
    assert run_inside(code).stdout.split() in (["ValueError"], ["PermissionError", "1"])


def test_module_that_was_not_imported_before_cannot_be() -> None:
    assert run_inside("import http.server").stdout.split()[0] in {
        "ModuleNotFoundError",
        "PermissionError",
    }


@pytest.mark.parametrize(
    "call",
    [
        pytest.param("mmap', None, 4096, 5, 0x22, -1, 0", id="map memory that can be run"),
        pytest.param("mprotect', 0, 4096, 5", id="let memory be run"),
        pytest.param("prctl', 22, 0, 0, 0, 0", id="undo the filter"),
        pytest.param("prctl', 1, 0, 0, 0, 0", id="outlive the parent"),
        pytest.param("prctl', 4, 1, 0, 0, 0", id="become open to debuggers"),
    ],
)
def test_raw_call_is_refused(call: str) -> None:
    answer = run_inside(f"print(system_call('{call}), ctypes.get_errno() == errno.EPERM)")

    assert answer.stdout == "-1 True\n"


@pytest.mark.parametrize(
    "call",
    [
        pytest.param("ptrace', 16, parent, 0, 0", id="debug its parent"),
        pytest.param("process_vm_readv', parent, 0, 0, 0, 0, 0", id="read its parent's memory"),
        pytest.param("process_vm_writev', parent, 0, 0, 0, 0, 0", id="write its parent's memory"),
        pytest.param("bpf', 0, 0, 0", id="load a program into the kernel"),
        pytest.param("io_uring_setup', 1, 0", id="call behind the filter's back"),
        pytest.param("memfd_create', b'x', 0", id="make a file in memory"),
        pytest.param("unshare', 0x10000000", id="enter a new namespace"),
    ],
)
def test_call_that_only_attackers_make_ends_the_process(call: str) -> None:
    done = run_inside(f"system_call('{call})\nprint('alive')")

    assert (done.stdout, done.returncode) == ("", -signal.SIGSYS)


def test_memory_beyond_the_limit_is_an_error_and_the_process_goes_on() -> None:
    done = run_inside("try:\n    [0] * (1 << 27)\nexcept MemoryError:\n    print('refused', 1 + 1)")

    assert done.stdout == "refused 2\n"


def test_ordinary_computing_goes_on() -> None:
    code = "print(sum(range(10**6)), len(str(2**9999)), len(bytearray(10**8)), sorted({3, 1, 2}))"

    assert run_inside(code).stdout == "499999500000 3010 100000000 [1, 2, 3]\n"


def test_proof_finds_no_leak_inside() -> None:
    assert run_inside(f"print(find_leak({MEMORY_BYTES}))").stdout == "None\n"


def test_proof_finds_a_leak_outside() -> None:
    assert find_leak(MEMORY_BYTES) == "a script could read a file"


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_numbers_are_those_of_the_kernel(machine: str) -> None:
    if not HEADERS[machine].exists():
        pytest.skip("the kernel's headers are not installed")
    text = HEADERS[machine].read_text()
    found = {
        name: int(number)
        for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)
    }

    known = system_calls(machine)

    assert {name: found.get(name) for name in known} == known


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize(
    ("name", "arguments", "action"),
    [
        ("read", (7,), ALLOW),
        ("read", (8,), REFUSE),
        ("write", (7,), ALLOW),
        ("write", (2,), REFUSE),
        ("mmap", (0, 4096, 3), ALLOW),
        ("mmap", (0, 4096, 7), REFUSE),
        ("mprotect", (0, 4096, 1), ALLOW),
        ("mprotect", (0, 4096, 4), REFUSE),
        ("futex", (), ALLOW),
        ("exit_group", (), ALLOW),
        ("openat", (), REFUSE),
        ("socket", (), REFUSE),
        ("execve", (), REFUSE),
        ("ptrace", (), KILL),
        ("process_vm_readv", (), KILL),
    ],
)
def test_filter_decides_on_each_architecture(
    machine: str, name: str, arguments: tuple[int, ...], action: int
) -> None:
    program = filter_program(machine, channel=7)

    assert decide(program, ARCHITECTURES[machine], system_calls(machine)[name], arguments) == action


@pytest.mark.parametrize(
    ("architecture", "number"),
    [
        pytest.param(0x4000_0003, 3, id="32-bit"),
        pytest.param(ARCHITECTURES["aarch64"], 63, id="another architecture"),
        pytest.param(ARCHITECTURES["x86_64"], 0x4000_0000, id="x32"),
    ],
)
def test_filter_ends_calls_of_another_architecture(architecture: int, number: int) -> None:
    assert decide(filter_program("x86_64", channel=7), architecture, number, (7,)) == KILL
