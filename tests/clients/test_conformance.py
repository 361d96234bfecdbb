"""The official conformance suite, on servers of our own factory; docs/conformance.md has the results."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from asgiref.sync import sync_to_async

from config.services.postgres import EmbeddedPostgres
from config.services.processes import Keeper
from mcp_runtime.server import Runtime
from tests.clients.conformance_fixture import register
from tests.clients.conftest import PACKAGES, Finished, load_demo_tools, run
from tests.mcp_runtime.conftest import listening
from tests.proxies import proxying

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.timeout(900),
    # Clients before 2026 may still ask for it.
    pytest.mark.filterwarnings("ignore:The logging capability is deprecated"),
]

SUITE = PACKAGES / "conformance"
SCENARIO_TIMEOUT_MS = 30_000
PATIENT = Path(__file__).with_name("patient.mjs")
PAGE = Path(__file__).parents[2] / "docs/conformance.md"

RunSuite = Callable[..., Awaitable[Finished]]


@pytest.fixture
async def run_suite(  # noqa: PLR0917 - fixtures
    node: Path, transactional_db: None, shop: EmbeddedPostgres, tmp_path: Path, keeper: Keeper
) -> RunSuite:
    """Runs the suite with some options against runtimes that serve the demo tools, behind a proxy or alone."""
    await sync_to_async(load_demo_tools)()

    async def run_suite(runtimes: list[Runtime], proxy: str, *options: str | Path) -> Finished:
        program = (SUITE / "dist/index.js", "server")
        limits = ("--timeout", str(SCENARIO_TIMEOUT_MS), "--output-dir", tmp_path / "results")
        async with fronted(runtimes, proxy, tmp_path, keeper) as url:
            arguments = (*program, "--url", url, *limits, *options)
            finished = await run(node, *arguments, cwd=tmp_path)
            if finished.code:
                # Some scenarios wait for half a second, which a busy machine may need.
                finished = await run(node, "--import", PATIENT.as_uri(), *arguments, cwd=tmp_path)
            return finished

    return run_suite


@asynccontextmanager
async def fronted(
    runtimes: list[Runtime], proxy: str, folder: Path, keeper: Keeper
) -> AsyncIterator[str]:
    """One address of all runtimes, through that proxy; without one, of the first."""
    async with AsyncExitStack() as stack:
        urls = [await stack.enter_async_context(listening(runtime)) for runtime in runtimes]
        if not proxy:
            yield urls[0]
            return
        upstreams = [urlsplit(url).netloc for url in urls]
        # Some of the suite's requests are made by hand, and know no TLS.
        opening = proxying(proxy, upstreams, folder, keeper, has_tls=False)
        site = await asyncio.to_thread(opening.__enter__)
        try:
            yield f"{site.url}/mcp"
        finally:
            await asyncio.to_thread(opening.__exit__, None, None, None)


def required_scenarios(revision: str) -> set[str]:
    """Names of the server's scenarios that the suite counts for a revision."""
    text = (SUITE / f"requirements/{revision}.yaml").read_text()
    section = text.partition("\nserver:\n")[2].partition("\nclient:\n")[0]
    return set(re.findall(r"^  - (\S+)$", section, re.MULTILINE))


@dataclass(frozen=True)
class Scenario:
    """One line of the suite's summary."""

    name: str
    passed_checks: int
    failed_checks: int


def summary(finished: Finished) -> list[Scenario]:
    """What was run, and how its checks ended."""
    lines = re.findall(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed$", finished.output, re.MULTILINE)
    return [Scenario(name, int(passed), int(failed)) for name, passed, failed in lines]


@pytest.mark.parametrize("mode", ["alone", "behind nginx", "behind HAProxy"])
@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
async def test_server_conforms(run_suite: RunSuite, revision: str, mode: str) -> None:
    proxy = mode.removeprefix("alone").removeprefix("behind ")
    runtimes = [Runtime(auth_required=False) for _ in range(2 if proxy else 1)]
    for runtime in runtimes:
        register(runtime, runtimes)
    expected = Path(__file__).parent / f"expected-{revision}.yml"

    finished = await run_suite(
        runtimes, proxy, "--requirements", revision, "--expected-failures", expected
    )

    assert finished.code == 0, finished.output + finished.errors
    assert_page_is_true(finished, revision, mode)


def assert_page_is_true(finished: Finished, revision: str, mode: str) -> None:
    """The figures are those of this run, and every failure, counted or not, is explained."""
    page, names = PAGE.read_text(), required_scenarios(revision)
    scenarios = summary(finished)
    required = [scenario for scenario in scenarios if scenario.name in names]
    good = sum(not scenario.failed_checks for scenario in required)
    passed = sum(scenario.passed_checks for scenario in required)
    failed = sum(scenario.failed_checks for scenario in required)
    explained = re.findall(r"`([a-z0-9*-]+)`", page)

    assert len(required) == len(names)
    row = rf"\| {revision} \| {mode} \| {good} of {len(names)} \| ([^|]*) \| {failed} \|"
    assert str(passed) in " ".join(re.findall(row, page)).split()
    for scenario in scenarios:
        assert not scenario.failed_checks or any(fnmatch(scenario.name, e) for e in explained)
