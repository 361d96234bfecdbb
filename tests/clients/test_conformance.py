"""The official conformance suite, on servers of our own factory; docs/conformance.md has the results."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async

from config.services.postgres import EmbeddedPostgres
from mcp_runtime.server import Runtime
from tests.clients.conformance_fixture import register
from tests.clients.conftest import PACKAGES, Finished, load_demo_tools, run
from tests.mcp_runtime.conftest import listening

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.timeout(900),
    # Clients before 2026 may still ask for it.
    pytest.mark.filterwarnings("ignore:The logging capability is deprecated"),
]

SUITE = PACKAGES / "conformance"
SCENARIO_TIMEOUT_MS = 30_000
PAGE = Path(__file__).parents[2] / "docs/conformance.md"

RunSuite = Callable[..., Awaitable[Finished]]


@pytest.fixture
async def run_suite(
    node: Path, transactional_db: None, shop: EmbeddedPostgres, tmp_path: Path
) -> RunSuite:
    """Runs the suite with some options against a runtime that serves the demo tools."""
    await sync_to_async(load_demo_tools)()

    async def run_suite(runtime: Runtime, *options: str | Path) -> Finished:
        program = (node, SUITE / "dist/index.js", "server")
        limits = ("--timeout", str(SCENARIO_TIMEOUT_MS), "--output-dir", tmp_path / "results")
        async with listening(runtime) as url:
            return await run(*program, "--url", url, *limits, *options, cwd=tmp_path)

    return run_suite


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


@pytest.mark.parametrize("mode", ["sessions", "stateless"])
@pytest.mark.parametrize("revision", ["2026-07-28", "2025-11-25"])
async def test_server_conforms(run_suite: RunSuite, revision: str, mode: str) -> None:
    runtime = Runtime(auth_required=False, stateless=mode == "stateless")
    register(runtime)
    expected = Path(__file__).parent / f"expected-{revision}-{mode}.yml"

    finished = await run_suite(runtime, "--requirements", revision, "--expected-failures", expected)

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
    assert f"| {revision} | {mode} | {good} of {len(names)} | {passed} | {failed} |" in page
    for scenario in scenarios:
        assert not scenario.failed_checks or any(fnmatch(scenario.name, e) for e in explained)


async def test_bare_runtime_is_safe_from_dns_rebinding(run_suite: RunSuite) -> None:
    runtime = Runtime(auth_required=False)

    finished = await run_suite(runtime, "--scenario", "dns-rebinding-protection")

    assert finished.code == 0, finished.output + finished.errors
    assert "2/2" in finished.output, finished.output
