"""One stage for all scenarios, whose proxies live in the loop of the whole folder."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.chaos.report import report_lines
from tests.chaos.stage import Runtime, Stage


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def stage() -> AsyncIterator[Stage]:
    """Two clusters, proxies before them, and the application's rows; started once."""
    async with Stage() as stage:
        yield stage


@pytest_asyncio.fixture(scope="package", loop_scope="package")
async def first_runtime(stage: Stage) -> Runtime:
    return await stage.start_runtime()


@pytest_asyncio.fixture(loop_scope="package")
async def runtime(first_runtime: Runtime) -> Runtime:
    """`runmcp` on the tools of the runs, alive whatever the test before has done to it."""
    if first_runtime.process.poll() is not None:
        await first_runtime.start()
    return first_runtime


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if lines := report_lines():
        terminalreporter.section("calls under faults")
        for line in lines:
            terminalreporter.write_line(line)
