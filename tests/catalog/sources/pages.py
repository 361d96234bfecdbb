"""What a browser sends to the pages of data sources."""

from collections.abc import Callable
from typing import Any

from catalog.models import DataSource
from catalog.sources.connections import to_settings
from config.services.ports import choose_free_port
from gateways.postgres.settings import PostgresSettings

Address = Callable[[str], dict[str, Any]]

LIST = "/admin/catalog/datasource/"
ADD = f"{LIST}add/"
SECRET = "hunter2"
LIMITS = {
    "pool_size": 4,
    "max_wait_ms": 5_000,
    "row_limit": 10,
    "byte_limit": 1_000,
    "cell_limit": 100,
    "timeout_ms": 1_000,
    "lock_timeout_ms": 100,
}


def form(**columns: Any) -> dict[str, Any]:
    """The fields of the form, as a browser posts them."""
    secret = columns.pop("secret", "")
    empty = dict.fromkeys(("path", "host", "database", "username", "password_reference"), "")
    return {
        "name": "sales",
        "engine": "postgresql",
        "port": 5432,
        "search_path": "public",
        "options": "{}",
        "initial-options": "{}",
        "new_password": secret,
        **empty,
        **LIMITS,
        **columns,
    }


def nowhere() -> dict[str, Any]:
    """An address at which nothing listens."""
    port = choose_free_port()
    return {"host": "127.0.0.1", "port": port, "database": "d", "username": "u"}


def change(source: DataSource) -> str:
    return f"{LIST}{source.pk}/change/"


def posted(source: DataSource, **columns: Any) -> dict[str, Any]:
    names = ("name", "engine", "path", "host", "port", "database", "username")
    return form(**{name: getattr(source, name) for name in names} | columns)


def password_of(source: DataSource) -> str:
    settings = to_settings(DataSource.objects.get(pk=source.pk))
    assert isinstance(settings, PostgresSettings)
    return settings.password


def messages_of(response: Any) -> str:
    return " ".join(str(message) for message in response.context["messages"])
