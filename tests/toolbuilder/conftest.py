"""Browsers of people with and without rights, and a table in the database and in the catalogue."""

from collections.abc import Iterator

import psycopg
import pytest

from catalog.models import CatalogTable
from catalog.sources.settings import SourceSettings, read_sources
from config.services.postgres import EmbeddedPostgres
from tests.catalog.rows import make_table
from tests.people import _english, admin, staff_with
from tools.source_loop import shared_loop

__all__ = ["_english", "admin", "staff_with"]

COLUMNS = {
    "id": "integer",
    "region": "text",
    "used_count": "integer",
    "day": "date",
    "price": "numeric",
    "tags": "text[]",
    "is_open": "boolean",
}


@pytest.fixture(scope="module")
def _stock_rows(embedded_postgres: EmbeddedPostgres) -> Iterator[None]:
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    with psycopg.connect(embedded_postgres.dsn("demo", "demo_owner"), autocommit=True) as owner:
        owner.execute(f"CREATE TABLE stock_level ({columns})".encode())
        owner.execute(
            "INSERT INTO stock_level SELECT n, CASE n % 2 WHEN 0 THEN 'KR' ELSE 'JP' END, n,"
            " '2026-01-01'::date + n, n + 0.5, ARRAY['a'], true FROM generate_series(1, 20) AS n"
        )
        owner.execute("GRANT SELECT ON stock_level TO demo_reader")
        yield
        owner.execute("DROP TABLE stock_level")


@pytest.fixture
def stock(db: None, _stock_rows: None) -> Iterator[CatalogTable]:
    """The table `stock_level`, of which the catalogue knows."""
    columns = {name: {"type_name": kind} for name, kind in COLUMNS.items()}
    yield make_table("stock_level", columns, description="Stock by day.")
    # An open connection would keep the table from being dropped.
    shared_loop().close()


@pytest.fixture
def sources(stock: CatalogTable) -> SourceSettings:
    """All data sources as they are read for a request."""
    return read_sources()
