"""Nothing is left when the supervisor dies, in whatever way."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.services.leftovers import ProcessRecord, _start_time_by_ps, start_time
from config.services.processes import Command, Keeper, start
from tests.config.services.conftest import wait_until

SMALL = [sys.executable, "-m", "tests.config.services.small_supervisor"]
PROCESSES = 4


@pytest.fixture
def supervisor(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([*SMALL, str(tmp_path)], start_new_session=True)
    assert wait_until(lambda: len(read_pids(tmp_path)) == PROCESSES)
    assert wait_until((tmp_path / "up").exists)
    yield process
    process.kill()
    process.wait()


def read_pids(folder: Path) -> list[int]:
    file = folder / "pids"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def are_gone(pids: list[int]) -> bool:
    return not any(start_time(pid) for pid in pids)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_children_and_grandchildren_end(
    supervisor: subprocess.Popen[bytes], tmp_path: Path, number: signal.Signals
) -> None:
    supervisor.send_signal(number)

    assert wait_until(lambda: are_gone(read_pids(tmp_path)))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells children of a parent's death")
def test_children_end_even_if_the_keeper_was_killed_first(
    supervisor: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    children = read_pids(tmp_path)[1::2]
    os.kill(int((tmp_path / "keeper").read_text()), signal.SIGKILL)

    supervisor.kill()

    assert wait_until(lambda: are_gone(children))


def test_next_start_ends_what_a_killed_run_left(tmp_path: Path, keeper: Keeper) -> None:
    left = start(Command(("/bin/sh", "-c", "echo up > up; sleep 1000"), folder=tmp_path), keeper)
    assert wait_until((tmp_path / "up").exists)
    record = ProcessRecord(tmp_path / "processes.json")
    record.write({"web": left.pid})

    assert record.reap() == ["web"]
    assert left.wait() == -signal.SIGQUIT
    assert not record.file.exists()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_services_have_default_signals_whatever_their_starter_ignores(
    tmp_path: Path, keeper: Keeper
) -> None:
    numbers = (signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGPIPE)
    before = {number: signal.signal(number, signal.SIG_IGN) for number in numbers}
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2})
    try:
        log = tmp_path / "status"
        service = start(Command(("/bin/cat", "/proc/self/status"), log=log), keeper)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        for number, handler in before.items():
            signal.signal(number, handler)

    assert service.wait() == 0
    status = dict(line.split(":\t", 1) for line in log.read_text().splitlines())
    # 32 and 33 are the C library's own: what a starter ignores of them, nobody can set back.
    settable = sum(1 << (number - 1) for number in signal.valid_signals())
    assert (int(status["SigIgn"], 16) & settable, int(status["SigBlk"], 16)) == (0, 0)


def test_start_times_by_ps_tell_processes_apart() -> None:
    assert _start_time_by_ps(os.getpid())
    assert _start_time_by_ps(2**22 + 1) is None


def test_a_reused_process_number_is_left_alone(tmp_path: Path) -> None:
    stranger = subprocess.Popen(["/bin/sleep", "1000"], start_new_session=True)
    record = ProcessRecord(tmp_path / "processes.json")
    record.file.write_text(f'{{"web": [{stranger.pid}, "another time"]}}')

    assert record.reap() == []
    assert stranger.poll() is None
    stranger.kill()
    stranger.wait()


def test_keeper_deletes_what_it_was_told_of(tmp_path: Path) -> None:
    folder, file = tmp_path / "temporary", tmp_path / "addresses"
    (folder / "inside").mkdir(parents=True)
    file.touch()
    keeper = Keeper()
    keeper.remove(folder)
    keeper.remove(file)

    keeper.close()

    assert list(tmp_path.iterdir()) == []
