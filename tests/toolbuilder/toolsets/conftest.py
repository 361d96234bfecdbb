"""No other test's index of tools."""

from collections.abc import Iterator

import pytest

from toolbuilder.search_lab.index import shared_keeper
from tools.source_loop import shared_loop


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    shared_keeper.cache_clear()
    yield
    shared_loop().close()
