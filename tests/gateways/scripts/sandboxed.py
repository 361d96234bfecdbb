"""Runs any Python inside the sandbox, which the script processes themselves never do.

`python -I -S sandboxed.py PROJECT MEMORY_BYTES CODE`; what the code prints is on standard output.
"""

import sys

sys.path.insert(0, sys.argv[1])

import ctypes
import errno
import os
import resource
import signal
import socket
import subprocess

from gateways.scripts.sandbox import enter_sandbox, system_call
from gateways.scripts.sandbox_proof import find_leak

STDOUT = 1
PARENT = os.getppid()
NAMES = {
    "ctypes": ctypes,
    "errno": errno,
    "find_leak": find_leak,
    "os": os,
    "parent": PARENT,
    "resource": resource,
    "signal": signal,
    "socket": socket,
    "subprocess": subprocess,
    "system_call": system_call,
}


def main() -> None:
    """Only standard output stays open."""
    memory_bytes, code = int(sys.argv[2]), compile(sys.argv[3], "<code>", "exec")
    enter_sandbox(channel=STDOUT, memory_bytes=memory_bytes, cpu_s=60, parent_pid=PARENT)
    try:
        exec(code, NAMES)  # noqa: S102 - that is what this program is for
    except BaseException as error:  # noqa: BLE001 - the test asks what it was
        print(type(error).__name__, getattr(error, "errno", ""))  # noqa: T201
    sys.stdout.flush()
    os._exit(0)


main()
