"""What the web side keeps open: shared by runs, closed when idle, outdated or at the end."""

import asyncio
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from catalog.sources.settings import SourceSettings
from core.errors import (
    DataSourceUnavailableError,
    DeadlineExceededError,
    DefinitionError,
    StoppedError,
)
from core.messages import foreign
from gateways.sqlite.settings import SqliteSettings
from tests.waiting import LIMIT_S, wait_until
from tools import source_loop
from tools.source_loop import SourceLoop
from tools.sources import Sources

PROJECT = Path(__file__).parents[2]
PROGRAM = """
import django
django.setup()
from tools.source_loop import shared_loop
from tools.sources import Sources
shared_loop().run(Sources.script_runner, None, timeout_s=60)
"""
FILES_PROGRAM = """
import sys
from pathlib import Path
import django
django.setup()
from catalog.sources.settings import SourceSettings
from gateways.duckdb.settings import FilesSettings
from tools.source_loop import shared_loop
settings = SourceSettings(usable={"shop": FilesSettings(path=Path(sys.argv[1]))})
shared_loop().run(lambda sources: sources.get("shop").server_version(), settings, timeout_s=60)
"""


@pytest.fixture
def read(tmp_path: Path) -> SourceSettings:
    path = tmp_path / "shop.db"
    sqlite3.connect(path).close()
    return SourceSettings(
        usable={"shop": SqliteSettings(path=path)}, refused={"bad": foreign("mend it")}
    )


@pytest.fixture
def loop() -> Iterator[SourceLoop]:
    loop = SourceLoop()
    yield loop
    loop.close()


async def version(sources: Sources) -> str:
    return await sources.get("shop").server_version()


def test_runs_share_what_is_open(loop: SourceLoop, read: SourceSettings) -> None:
    first, second = (loop.run(version, read, timeout_s=LIMIT_S) for _ in range(2))

    assert first == second
    assert loop.open_count == 1


def test_changed_settings_open_the_source_anew(
    loop: SourceLoop, read: SourceSettings, tmp_path: Path
) -> None:
    loop.run(version, read, timeout_s=LIMIT_S)
    read.usable["shop"] = SqliteSettings(path=tmp_path / "none.db")

    with pytest.raises(DataSourceUnavailableError):
        loop.run(version, read, timeout_s=LIMIT_S)


def test_idle_source_is_closed(read: SourceSettings) -> None:
    loop = SourceLoop(idle_s=0.1)
    loop.run(version, read, timeout_s=LIMIT_S)

    wait_until(lambda: loop.open_count == 0)

    loop.close()


@pytest.mark.parametrize(
    ("name", "reason"), [("bad", "mend it"), ("none", "there is no data source 'none'")]
)
def test_source_that_cannot_be_used_says_why(
    loop: SourceLoop, read: SourceSettings, name: str, reason: str
) -> None:
    async def get(sources: Sources) -> object:
        return sources.get(name)

    with pytest.raises(DefinitionError, match=reason):
        loop.run(get, read, timeout_s=LIMIT_S)


async def wait(sources: Sources) -> None:
    await asyncio.Event().wait()


def test_deadline_ends_a_run(loop: SourceLoop, read: SourceSettings) -> None:
    with pytest.raises(DeadlineExceededError, match=r"no answer within 0\.05 seconds"):
        loop.run(wait, read, timeout_s=0.05)


def test_end_of_the_loop_stops_its_runs(read: SourceSettings) -> None:
    threads_before = set(threading.enumerate())
    loop = SourceLoop()
    loop.run(version, read, timeout_s=LIMIT_S)
    ended: list[str] = []

    def run() -> None:
        with pytest.raises(StoppedError):
            loop.run(wait, read, timeout_s=LIMIT_S, key="one")
        ended.append("stopped")

    thread = threading.Thread(target=run)
    thread.start()
    wait_until(lambda: "one" in loop._running)
    loop.close()
    thread.join(LIMIT_S)

    assert ended == ["stopped"]
    wait_until(lambda: not set(threading.enumerate()) - threads_before)


def test_closed_loop_starts_anew(loop: SourceLoop, read: SourceSettings) -> None:
    loop.run(version, read, timeout_s=LIMIT_S)
    loop.close()

    assert loop.run(version, read, timeout_s=LIMIT_S)


def test_loop_that_is_slow_to_end_leaves_the_next_one_alone(
    loop: SourceLoop, read: SourceSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_loop, "_CLOSE_WITHIN_S", 0.05)
    began, released = threading.Event(), threading.Event()

    async def end_slowly(_sources: Sources) -> None:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            while not released.is_set():  # noqa: ASYNC110 - set by another thread
                await asyncio.sleep(0)

    def run() -> None:
        with suppress(StoppedError):
            loop.run(end_slowly, read, timeout_s=LIMIT_S)

    runner = threading.Thread(target=run)
    runner.start()
    began.wait(LIMIT_S)
    loop.close()

    assert loop.run(version, read, timeout_s=LIMIT_S)
    loop.close()
    # Nobody waits for what does not end.
    runner.join(LIMIT_S / 2)
    is_over = not runner.is_alive()
    released.set()

    assert is_over


def test_program_that_has_run_a_script_ends_without_a_word() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={"DJANGO_SETTINGS_MODULE": "config.settings"},
        cwd=PROJECT,
        capture_output=True,
        check=False,
        timeout=LIMIT_S,
    )

    assert (done.returncode, done.stderr) == (0, b"")


def test_program_that_has_read_files_ends_without_a_word_and_leaves_nothing(tmp_path: Path) -> None:
    files, temporary = tmp_path / "files", tmp_path / "temporary"
    files.mkdir()
    temporary.mkdir()
    (files / "shops.csv").write_text("id,name\n1,Seoul\n")

    done = subprocess.run(
        [sys.executable, "-c", FILES_PROGRAM, str(files)],
        env={"DJANGO_SETTINGS_MODULE": "config.settings", "TMPDIR": str(temporary)},
        cwd=PROJECT,
        capture_output=True,
        check=False,
        timeout=LIMIT_S,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert list(temporary.iterdir()) == []
