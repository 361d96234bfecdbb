"""Each registered engine in turn, with its stand and a source on it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from gateways.engine import Engine, OpenedSource
from gateways.engines import ENGINES, open_source
from tests.gateways.engine_contract.stands import (
    Stand,
    stand_on_duckdb,
    stand_on_files,
    stand_on_mariadb,
    stand_on_postgresql,
    stand_on_sqlite,
)

_STANDS: dict[str, Any] = {
    "postgresql": lambda request, _folder: stand_on_postgresql(
        request.getfixturevalue("embedded_postgres")
    ),
    "sqlite": lambda _request, folder: stand_on_sqlite(folder),
    "duckdb": lambda _request, folder: stand_on_duckdb(folder),
    "files": lambda _request, folder: stand_on_files(folder),
    "mysql": lambda request, _folder: stand_on_mariadb(request.getfixturevalue("mariadb")),
}


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each registered engine in turn."""
    return ENGINES[request.param]


@pytest.fixture(scope="module")
def stand(
    engine: Engine, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Stand:
    folder: Path = tmp_path_factory.mktemp("contract")
    stand: Stand = _STANDS[engine.name](request, folder)
    return stand


@pytest_asyncio.fixture
async def source(stand: Stand) -> AsyncIterator[OpenedSource]:
    source = open_source(stand.settings)
    yield source
    await source.close()
