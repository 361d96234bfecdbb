"""Rows of data sources, and the real databases that they lead to."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cryptography.fernet import Fernet

from access.encryption import seal
from catalog.models import DataSource
from config.services.postgres import EmbeddedPostgres
from tests.people import _english, admin

__all__ = ["_english", "admin"]

MakeSource = Callable[..., DataSource]


@pytest.fixture(autouse=True)
def keys(settings: Any) -> list[str]:
    """The keys of this test, of which the first encrypts."""
    settings.FIELD_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    return list(settings.FIELD_ENCRYPTION_KEYS)


@pytest.fixture
def make_source(db: None) -> MakeSource:
    """Makes a row; `secret` becomes its stored password."""

    def make(name: str = "sales", *, secret: str = "", **columns: Any) -> DataSource:
        source = DataSource(
            **{"name": name, "host": "h", "database": "d", "username": "u", **columns}
        )
        source.password = seal(secret, source.password_identity()) if secret else ""
        source.save()
        return source

    return make


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A SQLite file with a table."""
    path = tmp_path / "shop.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE item (id INTEGER)")
    connection.close()
    return path


@pytest.fixture
def address(embedded_postgres: EmbeddedPostgres) -> Callable[[str], dict[str, Any]]:
    """The columns that lead to the demo database as a role: demo_reader, demo_owner, superuser."""

    def columns(role: Any) -> dict[str, Any]:
        parts = urlsplit(embedded_postgres.dsn("demo", role))
        return {
            "host": parts.hostname,
            "port": parts.port,
            "database": "demo",
            "username": parts.username,
            "secret": parts.password,
        }

    return columns
