"""The supervisor while nothing can be written."""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.services.disk import explain_full_disk
from tests.config.services.conftest import wait_until

SMALL = [sys.executable, "-m", "tests.config.services.small_supervisor"]
pytestmark = pytest.mark.skipif(
    not hasattr(resource, "prlimit"), reason="only Linux limits other processes"
)


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([*SMALL, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert wait_until((tmp_path / "up").exists)
    assert wait_until(lambda: len(starts(tmp_path)) == 2)
    yield process
    process.terminate()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def starts(folder: Path) -> list[Path]:
    return list(folder.glob("start-*"))


def recorded(folder: Path) -> dict[str, int]:
    entries = json.loads((folder / "processes.json").read_text())
    return {name: pid for name, (pid, _) in entries.items()}


def allow_file_size(process: subprocess.Popen[str], size: int) -> None:
    """A limit of 0 is as a full disk for everything that the process and its children write."""
    _, hard = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, hard))


def test_services_that_fall_on_a_full_disk_come_back_when_there_is_room(
    supervisor: subprocess.Popen[str], tmp_path: Path
) -> None:
    before = recorded(tmp_path)
    allow_file_size(supervisor, 0)
    os.kill(before["one"], signal.SIGKILL)

    # Far more deaths than the policy lets a service have.
    assert wait_until(lambda: len(starts(tmp_path)) > 10)
    assert supervisor.poll() is None
    assert recorded(tmp_path) == before

    allow_file_size(supervisor, resource.RLIM_INFINITY)

    assert wait_until(lambda: recorded(tmp_path).get("one", before["one"]) != before["one"])
    assert recorded(tmp_path)["other"] == before["other"]
    assert supervisor.poll() is None


def test_reason_of_the_wait_is_said_once(supervisor: subprocess.Popen[str], tmp_path: Path) -> None:
    allow_file_size(supervisor, 0)
    os.kill(recorded(tmp_path)["one"], signal.SIGKILL)
    assert wait_until(lambda: len(starts(tmp_path)) > 5)

    supervisor.terminate()
    said = supervisor.communicate()[0].splitlines()

    reasons = [line for line in said if "nothing more can be written to" in line]
    assert len(reasons) == 1
    assert reasons[0].startswith("one was killed by SIGKILL; nothing more can be written to")
    assert sum("process ids cannot be written down" in line for line in said) == 1


def test_folder_with_room_is_no_obstacle(tmp_path: Path) -> None:
    assert explain_full_disk([tmp_path]) == ""


def test_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    gone = tmp_path / "gone"

    reason = f"nothing more can be written to {gone} (No such file or directory)"
    assert explain_full_disk([tmp_path, gone]) == reason
