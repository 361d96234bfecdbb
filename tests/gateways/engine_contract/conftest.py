"""Each registered engine in turn, with its stand and a source on it."""

from collections.abc import AsyncIterator
from importlib import import_module

import pytest
import pytest_asyncio

from gateways.engine import Engine, OpenedSource
from gateways.engines import ENGINES, open_source
from tests.gateways.engine_contract.stands import Stand


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each registered engine in turn."""
    return ENGINES[request.param]


@pytest.fixture(scope="module")
def stand(
    engine: Engine, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Stand:
    """Made by the module `stand` among the tests of the engine's package."""
    package = engine.settings.__module__.split(".")[1]
    folder = tmp_path_factory.mktemp("contract")
    make_stand = import_module(f"tests.gateways.{package}.stand").make_stand
    stand: Stand = make_stand(engine.name, folder, request)
    return stand


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def source(stand: Stand) -> AsyncIterator[OpenedSource]:
    """Kept open, as a runtime keeps it: a process of DuckDB takes a third of a second to start."""
    source = open_source(stand.settings)
    yield source
    await source.close()
