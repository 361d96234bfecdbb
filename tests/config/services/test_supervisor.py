"""The supervisor with small real children."""

import asyncio
import os
import re
import signal
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from config.services.leftovers import start_time
from config.services.processes import Command, Keeper
from config.services.supervisor import RestartPolicy, Service, Supervisor
from core.errors import ConfigurationError
from tests.config.services.conftest import wait_until

QUICK = RestartPolicy(limit=3, window_s=60, first_delay_s=0.01)
STAYS = """
trap 'echo stopped {name} >> diary; exit 0' TERM
echo started {name} >> diary
while :; do sleep 0.02; done
"""
STAYS_AGAINST_TERM = "trap '' TERM; echo started {name} >> diary; while :; do sleep 0.02; done"


@dataclass
class Stage:
    """Shell scripts as services that write what they do into one diary."""

    folder: Path
    keeper: Keeper
    services: list[Service] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    pids: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, script: str, *needs: str, is_awaited: bool = True) -> None:
        text = script.format(name=name)
        log = self.folder / f"{name}.log"
        command = Command(("/bin/sh", "-c", text), log=log, folder=self.folder)
        service = Service(
            name,
            lambda: command,
            lambda: f"started {name}" in self.diary(),
            needs=frozenset(needs),
            ready_timeout_s=60,
            awaited=is_awaited,
        )
        self.services.append(service)

    def diary(self) -> list[str]:
        file = self.folder / "diary"
        return file.read_text().splitlines() if file.exists() else []

    async def run(self, when_up: Callable[[], None]) -> None:
        def record(pids: dict[str, int]) -> None:
            self.pids |= pids

        supervisor = Supervisor(self.services, self.keeper, self.said.append, QUICK, record)
        await supervisor.run(when_up)


@pytest.fixture
def stage(tmp_path: Path, keeper: Keeper) -> Stage:
    return Stage(tmp_path, keeper)


async def test_job_that_nobody_awaits_may_fail(stage: Stage) -> None:
    stage.add("server", STAYS)
    stage.add("job", "echo ran {name} >> diary; exit 3", "server", is_awaited=False)
    job = stage.services.pop()
    # It is prepared when it has ended.
    stage.services.append(replace(job, runs_once=True, prepare=interrupt))

    await stage.run(lambda: None)

    assert "ran job" in stage.diary()
    assert stage.diary().count("started server") == 1


def interrupt(number: signal.Signals = signal.SIGTERM) -> None:
    os.kill(os.getpid(), number)


async def test_services_start_after_their_needs_and_stop_before_them(stage: Stage) -> None:
    stage.add("web", STAYS, "schema")
    stage.add("schema", STAYS, "database")
    stage.add("database", STAYS)

    await stage.run(interrupt)

    assert stage.diary() == [
        *("started database", "started schema", "started web"),
        *("stopped web", "stopped schema", "stopped database"),
    ]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_signal_stops_everything(stage: Stage, number: signal.Signals) -> None:
    stage.add("web", STAYS)

    await stage.run(lambda: interrupt(number))

    assert stage.diary()[-1] == "stopped web"
    assert start_time(stage.pids["web"]) is None


async def test_second_interrupt_kills_what_does_not_stop(stage: Stage) -> None:
    stage.add("web", STAYS_AGAINST_TERM)

    def interrupt_twice() -> None:
        interrupt()
        asyncio.get_running_loop().call_later(0.2, interrupt, signal.SIGINT)

    await stage.run(interrupt_twice)

    assert "killing everything" in stage.said
    assert start_time(stage.pids["web"]) is None


@pytest.mark.parametrize("is_told", [True, False], ids=["told", "asked"])
async def test_dead_service_is_started_again_and_that_is_said(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, is_told: bool
) -> None:
    if not is_told:
        # As on systems that tell nobody of an end.
        monkeypatch.delattr(os, "pidfd_open", raising=False)
    stage.add(
        "web",
        "echo run >> runs; echo started web >> diary; sleep 0.2\n"
        "[ $(wc -l < runs) -gt 2 ] || exit 7\n" + STAYS,
    )
    stage.add("witness", "until [ $(wc -l < runs) -gt 2 ]; do sleep 0.02; done\n" + STAYS)

    await stage.run(interrupt)

    assert "web ended with status 7; starting it again in 0.01 s (1 of 3)" in stage.said


async def test_service_that_keeps_dying_ends_all_with_its_last_words(stage: Stage) -> None:
    stage.add("web", "echo started web >> diary; sleep 0.1; echo no luck; exit 3")
    stage.add("database", STAYS)

    with pytest.raises(ConfigurationError) as failure:
        await stage.run(lambda: None)

    assert "web ended with status 3, 4 times within 60 s; giving up" in str(failure.value)
    assert "| no luck" in str(failure.value)
    assert stage.diary()[-1] == "stopped database"


async def test_service_that_ends_during_its_start_is_not_tried_again(stage: Stage) -> None:
    stage.add("web", "echo bad option; exit 2")

    with pytest.raises(ConfigurationError, match="web ended with status 2 during its start") as it:
        await stage.run(lambda: None)

    assert "| bad option" in str(it.value)


async def test_service_that_is_not_ready_in_time_is_shown_with_its_last_words(stage: Stage) -> None:
    stage.add("web", "echo still thinking; while :; do sleep 0.02; done")
    stage.services = [replace(stage.services[0], ready_timeout_s=2)]

    with pytest.raises(ConfigurationError, match="web was not ready within 2 s") as failure:
        await stage.run(lambda: None)

    assert "| still thinking" in str(failure.value)


async def test_last_words_are_of_this_start_only(stage: Stage) -> None:
    (stage.folder / "web.log").write_text("of another day\n")
    stage.add("web", "echo today; exit 2")

    with pytest.raises(ConfigurationError) as failure:
        await stage.run(lambda: None)

    assert "of another day" not in str(failure.value)


async def test_nothing_waits_for_a_service_that_is_not_awaited(stage: Stage) -> None:
    stage.add("web", STAYS)
    stage.add("beat", "while :; do sleep 0.02; done", is_awaited=False)

    await stage.run(interrupt)

    assert "stopped web" in stage.diary()


async def test_grandchildren_go_with_their_service(stage: Stage) -> None:
    stage.add("web", "sleep 1000 & echo $! > grandchild\n" + STAYS)

    await stage.run(interrupt)

    grandchild = int((stage.folder / "grandchild").read_text())
    assert wait_until(lambda: start_time(grandchild) is None)


async def test_needs_in_a_circle_are_refused_before_anything_starts(stage: Stage) -> None:
    stage.add("hen", STAYS, "egg")
    stage.add("egg", STAYS, "hen")

    with pytest.raises(ValueError, match=re.escape("go in a circle")):
        await stage.run(interrupt)

    assert stage.diary() == []
