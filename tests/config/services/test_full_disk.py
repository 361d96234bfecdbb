"""One whole installation on a disk that fills up, and has room again."""

import asyncio
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from config.services.ports import choose_free_port
from config.services.readiness import answers_http
from tests.config.services.conftest import wait_until
from tests.config.services.test_up import Installation

DISK_MEBIBYTES = 600


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A file system of its own in memory."""
    folder = Path(tempfile.mkdtemp(prefix="toolbuilder-disk-"))
    options = f"size={DISK_MEBIBYTES}m,mode=755"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        if subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("this user may not mount; tests/config/services/test_disk.py has the parts")
        try:
            yield folder
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def installation(small_disk: Path) -> Iterator[Installation]:
    installation = Installation(small_disk / "data", choose_free_port(), choose_free_port())
    try:
        installation.start()
        yield installation
    finally:
        installation.stop()


def fill(disk: Path) -> Path:
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(1024 * 1024))
        except OSError:
            return ballast


@pytest.mark.slow
async def test_full_disk_takes_down_what_needs_it_and_nothing_for_good(
    installation: Installation, small_disk: Path
) -> None:
    assert installation.process is not None
    # A key that was never used cannot be told from a wrong one once its database has fallen.
    assert await installation.call("multiply_numbers", num1=5, num2=3) == "15"
    ballast = fill(small_disk)

    for _ in range(50):
        assert await installation.call("multiply_numbers", num1=5, num2=3) == "15"
        assert "hong" in await installation.call("get_user_daily_limit", user_name="hong")
    fallen = ("postgres", "valkey", "chroma", "web", "beat")
    pids = installation.pids_by_name()
    for name in fallen:
        # It may have fallen by itself.
        with suppress(ProcessLookupError):
            os.kill(pids[name], signal.SIGKILL)
    for _ in range(10):
        assert await installation.call("multiply_numbers", num1=5, num2=3) == "15"
        assert "1 2" in await installation.call("sanitize_for_csv", text="1\u00a02")
        await asyncio.sleep(1)
    assert installation.process.poll() is None

    ballast.unlink()

    assert await back(installation)
    assert installation.process.poll() is None
    assert await asyncio.to_thread(wait_until, lambda: is_recorded(installation, fallen, pids))


async def back(installation: Installation) -> bool:
    """Waits until all of it answers as before."""
    async with asyncio.timeout(120):
        while "hong" not in await installation.call("get_user_daily_limit", user_name="hong"):
            pass
    web = installation.port_web
    return await asyncio.to_thread(wait_until, lambda: answers_http("127.0.0.1", web, "/healthz"))


def is_recorded(installation: Installation, names: tuple[str, ...], before: dict[str, int]) -> bool:
    """Whether the services run as other processes now, and that is written down."""
    pids = installation.pids_by_name()
    return all(pids.get(name, before[name]) != before[name] for name in names)
