"""An edit is found by its meaning while a long run is under way."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from catalog.changes import tables_changed
from catalog.documents.indexing import INDEXING_LOCK
from catalog.documents.portions import take_lock
from catalog.models import CatalogColumn
from tests.catalog.described_tables import make_table
from tests.catalog.documents.conftest import Indexing, indexing
from tests.catalog.documents.test_command import VARIABLES
from tests.processes import dying_with_us
from tests.waiting import LIMIT_S, wait_until

__all__ = ["indexing"]

PROJECT = Path(__file__).parents[3]


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
            dying_with_us(sys.executable, "-m", "celery", "-A", "config.celery", *arguments),
            cwd=PROJECT,
            env=environment,
            stdout=output,
            stderr=output,
        )
    try:
        wait_until(lambda: process.poll() is not None or " ready." in log.read_text())
        assert process.poll() is None, log.read_text()
        yield
    finally:
        process.terminate()
        process.wait(LIMIT_S)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("worker")
def test_edit_is_found_during_a_long_run(indexing: Indexing) -> None:
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
    wait_until(lambda: indexing.find("weight in kilograms", 1) == [key])
    # The long run has not ended: its lock is held until here.
    other.close()
