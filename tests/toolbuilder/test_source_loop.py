"""What the web side keeps open: shared by runs, closed when idle, outdated or at the end."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from catalog.sources import SourceSettings
from core.errors import (
    DataSourceUnavailableError,
    DeadlineExceededError,
    DefinitionError,
    StoppedError,
)
from gateways.sqlite.settings import SqliteSettings
from toolbuilder.source_loop import OpenSources, SourceLoop


@pytest.fixture
def read(tmp_path: Path) -> SourceSettings:
    path = tmp_path / "shop.db"
    sqlite3.connect(path).close()
    return SourceSettings(usable={"shop": SqliteSettings(path=path)}, refused={"bad": "mend it"})


@pytest.fixture
def loop() -> Iterator[SourceLoop]:
    loop = SourceLoop()
    yield loop
    loop.close()


async def version(sources: OpenSources) -> str:
    return await sources.ask("shop", lambda source: source.server_version())


def test_runs_share_what_is_open(loop: SourceLoop, read: SourceSettings) -> None:
    first, second = (loop.run(version, read, timeout_s=5) for _ in range(2))

    assert first == second
    assert loop.open_count == 1


def test_changed_settings_open_the_source_anew(
    loop: SourceLoop, read: SourceSettings, tmp_path: Path
) -> None:
    loop.run(version, read, timeout_s=5)
    read.usable["shop"] = SqliteSettings(path=tmp_path / "none.db")

    with pytest.raises(DataSourceUnavailableError):
        loop.run(version, read, timeout_s=5)


def test_idle_source_is_closed(read: SourceSettings) -> None:
    loop = SourceLoop(idle_s=0.1)
    loop.run(version, read, timeout_s=5)

    deadline = time.monotonic() + 5
    while loop.open_count and time.monotonic() < deadline:
        time.sleep(0.02)

    assert loop.open_count == 0
    loop.close()


@pytest.mark.parametrize(
    ("name", "reason"), [("bad", "mend it"), ("none", "there is no data source 'none'")]
)
def test_source_that_cannot_be_used_says_why(
    loop: SourceLoop, read: SourceSettings, name: str, reason: str
) -> None:
    async def get(sources: OpenSources) -> object:
        return sources.get(name)

    with pytest.raises(DefinitionError, match=reason):
        loop.run(get, read, timeout_s=5)


async def wait(sources: OpenSources) -> None:
    await asyncio.sleep(30)


def test_deadline_ends_a_run(loop: SourceLoop, read: SourceSettings) -> None:
    with pytest.raises(DeadlineExceededError, match=r"no answer within 0\.05 seconds"):
        loop.run(wait, read, timeout_s=0.05)


def test_end_of_the_loop_stops_its_runs(read: SourceSettings) -> None:
    loop = SourceLoop()
    loop.run(version, read, timeout_s=5)
    ended: list[str] = []

    def run() -> None:
        with pytest.raises(StoppedError):
            loop.run(wait, read, timeout_s=20, key="one")
        ended.append("stopped")

    thread = threading.Thread(target=run)
    thread.start()
    while "one" not in loop._running:
        time.sleep(0.01)
    loop.close()
    thread.join(5)

    assert ended == ["stopped"]
    assert not [one for one in threading.enumerate() if one.name == "sources" and one.is_alive()]


def test_closed_loop_starts_anew(loop: SourceLoop, read: SourceSettings) -> None:
    loop.run(version, read, timeout_s=5)
    loop.close()

    assert loop.run(version, read, timeout_s=5)
