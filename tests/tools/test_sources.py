"""What is opened for the runs of an event loop ends with it."""

import asyncio
import os

import pytest

from gateways.scripts.sandbox import missing_support
from tests.gateways.scripts.processes import children
from tests.waiting import eventually
from tools.sources import Sources


@pytest.mark.skipif(missing_support() is not None, reason="the sandbox needs Linux")
async def test_script_processes_serve_others_where_who_had_them_started_has_left() -> None:
    before, sources = set(children(os.getpid())), Sources()
    first = asyncio.create_task(sources.script_runner())
    await eventually(lambda: set(children(os.getpid())) > before)

    first.cancel()
    runner = await sources.script_runner()

    runner.check()
    assert len(set(children(os.getpid())) - before) == 1, "a fork server for each caller"
    await sources.close()
    assert set(children(os.getpid())) == before
