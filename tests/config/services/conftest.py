"""A data folder that any user may reach, and waiting."""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from config.services.processes import Keeper
from tests.waiting import LIMIT_S


@pytest.fixture
def data_dir(keeper: Keeper) -> Iterator[Path]:
    """An empty folder for one test; pytest's own is closed to the user that PostgreSQL runs as."""
    folder = Path(tempfile.mkdtemp(prefix="toolbuilder-data-"))
    keeper.remove(folder)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def wait_until(is_true: Callable[[], object], timeout_s: float = LIMIT_S) -> bool:
    """False if it did not become true in time."""
    deadline = time.monotonic() + timeout_s
    while not is_true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
