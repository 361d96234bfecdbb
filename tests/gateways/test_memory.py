"""Free memory goes back to the system."""

import platform
from pathlib import Path

import pytest

from gateways.memory import give_back_memory


def resident_kib() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="another C library")
def test_what_is_free_below_something_in_use_goes_back() -> None:
    blocks = [b"x" * 60_000 for _ in range(1_000)]
    kept = [b"y" * 600 for _ in range(100)]
    before = resident_kib()
    del blocks

    assert give_back_memory()

    assert resident_kib() < before - 30_000
    assert kept
