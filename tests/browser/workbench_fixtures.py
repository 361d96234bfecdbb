"""The editor's page on a real table; modules take these by `pytest_plugins`, as the others need no table."""

from collections.abc import Iterator

import psycopg
import pytest
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from catalog.models import CatalogTable
from config.services.postgres import EmbeddedPostgres
from tests.browser.workbench_page import WorkbenchPage
from tests.catalog.rows import make_table
from tools.source_loop import shared_loop

HOSTILE = "<img src=x onerror=alert(1)>"
COLUMNS = {"id": "integer", "region": "text", "used_count": "integer", "day": "date"}


@pytest.fixture(scope="module")
def _shop_rows(embedded_postgres: EmbeddedPostgres) -> Iterator[None]:
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    with psycopg.connect(embedded_postgres.dsn("demo", "demo_owner"), autocommit=True) as owner:
        owner.execute(f"CREATE TABLE stock_level ({columns})".encode())
        owner.execute(
            "INSERT INTO stock_level SELECT n, CASE n % 2 WHEN 0 THEN 'KR' ELSE 'JP' END, n,"
            " '2026-01-01'::date + n FROM generate_series(1, 20) AS n"
        )
        owner.execute("GRANT SELECT ON stock_level TO demo_reader")
        yield
        owner.execute("DROP TABLE stock_level")


@pytest.fixture
def shop(transactional_db: None, _shop_rows: None) -> Iterator[CatalogTable]:
    """The table `stock_level` with twenty rows, of which the catalogue knows."""
    columns = {name: {"type_name": kind} for name, kind in COLUMNS.items()}
    yield make_table("stock_level", columns, source_comment=f"재고 {HOSTILE}")
    # An open connection would keep the table from being dropped.
    shared_loop().close()


@pytest.fixture
def workbench(signed_in: Page, live_server: LiveServer, shop: CatalogTable) -> WorkbenchPage:
    """The administrator's editor, on a tool or draft that `open` names."""
    return WorkbenchPage(signed_in, live_server.url)
