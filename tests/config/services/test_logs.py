"""Logs are kept small while services write to them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.services.disk import LogRotation
from config.services.processes import Command, Keeper, start
from config.services.readiness import LogWatch
from tests.config.services.conftest import wait_until


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "web.log"


def test_log_of_a_running_service_is_emptied_and_goes_on(log: Path, keeper: Keeper) -> None:
    script = "while read word; do echo $word; done < orders"
    orders = log.with_name("orders")
    os.mkfifo(orders)
    service = start(Command(("/bin/sh", "-c", script), log=log, folder=log.parent), keeper)
    with orders.open("w") as pipe:
        print("first", file=pipe, flush=True)
        assert wait_until(lambda: log.exists() and log.read_text() == "first\n")

        LogRotation(log.parent, max_bytes=3, kept=1).rotate()
        print("second", file=pipe, flush=True)

        assert wait_until(lambda: log.read_text() == "second\n")
    assert log.with_name("web.log.1").read_text() == "first\n"
    assert log.with_name("web.log.1").stat().st_mode & 0o777 == 0o600
    service.wait()


def test_so_many_older_files_are_kept(log: Path) -> None:
    for number in range(5):
        log.write_text(f"text {number}")
        LogRotation(log.parent, max_bytes=3, kept=2).rotate()

    assert names(log.parent) == ["web.log", "web.log.1", "web.log.2"]
    assert log.with_name("web.log.1").read_text() == "text 4"
    assert log.with_name("web.log.2").read_text() == "text 3"
    assert log.read_text() == ""


def test_no_older_file_may_be_kept(log: Path) -> None:
    log.write_text("text")

    LogRotation(log.parent, max_bytes=3, kept=0).rotate()

    assert names(log.parent) == ["web.log"]
    assert log.read_text() == ""


@pytest.mark.parametrize("max_bytes", [0, 4], ids=["no limit", "just small enough"])
def test_small_log_is_left_alone(log: Path, max_bytes: int) -> None:
    log.write_text("text")

    LogRotation(log.parent, max_bytes, kept=2).rotate()

    assert names(log.parent) == ["web.log"]
    assert log.read_text() == "text"


def test_log_that_cannot_be_copied_is_kept(log: Path) -> None:
    log.write_text("text")
    program = (
        "import resource, signal, sys; from pathlib import Path;"
        " from config.services.disk import LogRotation;"
        " resource.setrlimit(resource.RLIMIT_FSIZE, (1, 1));"
        " LogRotation(Path(sys.argv[1]), 3, 2).rotate()"
    )
    subprocess.run([sys.executable, "-c", program, str(log.parent)], check=True)

    assert names(log.parent) == ["web.log"]
    assert log.read_text() == "text"


def test_word_in_an_emptied_log_is_found(log: Path) -> None:
    log.write_text("a long day before")
    watch = LogWatch(log, " ready.")
    watch.mark()

    log.write_text("I am ready.")

    assert watch.says()
