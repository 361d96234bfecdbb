"""`manage.py scan_catalog` as people and services call it."""

import os
import signal
from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.utils import timezone

from catalog.models import CatalogScan, ScanState
from tests.catalog.scans.conftest import Database, after_portions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_default")]


@pytest.fixture
def no_default(settings: Any) -> None:
    """A default source that is not set."""
    settings.POSTGRESQL_DB_HOST = ""


def run(*arguments: str) -> tuple[list[str], list[str]]:
    """Lines of standard output and of standard error."""
    output, errors = StringIO(), StringIO()
    call_command("scan_catalog", *arguments, stdout=output, stderr=errors)
    return output.getvalue().splitlines(), errors.getvalue().splitlines()


def refuse(act: Callable[[], object]) -> int:
    with pytest.raises(SystemExit) as caught:
        act()
    return int(str(caught.value.code))


def test_every_source_is_scanned(shop_database: Database) -> None:
    output, errors = run()

    assert output[-1] == "shop: 2 new, 0 changed, 0 gone."
    assert errors == []


def test_named_source_is_scanned(shop_database: Database) -> None:
    assert run("shop")[0][-1] == "shop: 2 new, 0 changed, 0 gone."


def test_unknown_name_is_answered_with_the_known_ones(shop_database: Database) -> None:
    with pytest.raises(CommandError, match=r"shp is no data source .*; known: shop") as caught:
        run("shp")

    assert caught.value.returncode == 2


def test_source_that_was_scanned_is_not_scanned_for_the_first_time(
    shop_database: Database,
) -> None:
    run("--if-never")

    assert run("--if-never") == ([], [])
    assert CatalogScan.objects.count() == 1


def test_failure_is_told_in_the_exit_code(shop_database: Database) -> None:
    shop_database.path.unlink()

    assert refuse(run) == 1
    assert CatalogScan.objects.get().state == ScanState.FAILED


def test_scan_of_another_process_is_left_to_it(shop_database: Database) -> None:
    CatalogScan.objects.create(
        source=shop_database.source, state=ScanState.RUNNING, heartbeat_at=timezone.now()
    )

    assert refuse(run) == 4


@pytest.mark.usefixtures("small_portions", "steady_pulse")
def test_interruption_cancels_the_scan(shop_database: Database) -> None:
    shop_database.execute("CREATE TABLE t1 (id INTEGER); CREATE TABLE t2 (id INTEGER);")

    def interrupt() -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with after_portions(1, interrupt):
        code = refuse(run)

    assert code == 130
    assert CatalogScan.objects.get().state == ScanState.CANCELLED
