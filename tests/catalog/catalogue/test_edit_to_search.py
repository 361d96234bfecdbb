"""An edit is found by its meaning within seconds while a worker runs."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from catalog.catalogue_changes import tables_changed
from catalog.documents.indexing import INDEXING_LOCK
from catalog.documents.portions import take_lock
from catalog.models import CatalogColumn
from tests.catalog.catalogue.described_tables import make_table
from tests.catalog.documents.conftest import Indexing, indexing
from tests.catalog.documents.test_command import VARIABLES

__all__ = ["indexing"]

PROJECT = Path(__file__).parents[3]
STARTED_WITHIN_S = 60
VISIBLE_WITHIN_S = 5


@pytest.fixture
def worker(indexing: Indexing, redis_url: str, settings: Any, tmp_path: Path) -> Iterator[None]:
    """A worker of its own process on this test's database and servers."""
    settings.REDIS_URL = settings.CELERY_BROKER_URL = redis_url
    database = connection.settings_dict
    dsn = (
        f"postgresql://{database['USER']}:{database['PASSWORD']}@{database['HOST']}"
        f":{database['PORT']}/{database['NAME']}"
    )
    chosen = {name: str(getattr(settings, name)) for name in VARIABLES}
    environment = {**os.environ, **chosen, "DATABASE_URL": dsn, "REDIS_URL": redis_url}
    arguments = ("worker", "--pool", "threads", "--concurrency", "2", "--loglevel", "INFO")
    log = tmp_path / "worker.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "config.celery", *arguments],
            cwd=PROJECT,
            env=environment,
            stdout=output,
            stderr=output,
        )
    try:
        _wait_until_ready(process, log)
        yield
    finally:
        process.terminate()
        process.wait(20)


def _wait_until_ready(process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + STARTED_WITHIN_S
    while " ready." not in log.read_text():
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < deadline, log.read_text()
        time.sleep(0.1)


def seconds_until_found(indexing: Indexing, text: str, key: str) -> float:
    start = time.monotonic()
    while time.monotonic() - start < VISIBLE_WITHIN_S:
        if indexing.find(text, 1) == [key]:
            return time.monotonic() - start
        time.sleep(0.1)
    raise AssertionError(f"not found after {VISIBLE_WITHIN_S} s")


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("worker")
def test_edit_is_found_within_seconds_during_a_long_run(indexing: Indexing) -> None:
    many = make_table("many", columns=[f"column_{number}" for number in range(300)])
    table = make_table()
    tables_changed([many.pk, table.pk])
    indexing.run()
    other = take_lock(INDEXING_LOCK)
    CatalogColumn.objects.filter(table=many).update(description="scanned")

    with transaction.atomic():
        tables_changed([many.pk])
    with transaction.atomic():
        CatalogColumn.objects.filter(table=table, name="email").update(
            description="weight in kilograms"
        )
        tables_changed([table.pk])

    key = "catalogue:main_db/public.users.email"
    assert seconds_until_found(indexing, "weight in kilograms", key) < VISIBLE_WITHIN_S
    other.close()
