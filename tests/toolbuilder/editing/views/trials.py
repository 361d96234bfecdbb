"""A tool to be tried, and the posts of those who try it."""

from typing import Any

from django.test import Client

HTMX = {"HX-Request": "true"}
COUNT = "SELECT n FROM generate_series(1, :most) AS n"
INTEGER = {"param_name": "most", "param_type": "INTEGER"}


def row(name: str, value: str = "", **fields: str) -> dict[str, str]:
    """The fields of one parameter as the editor posts them."""
    told = {"name": name, "type": "INTEGER", "required": "1", "test": value, **fields}
    return {
        "page_token": "page-1",
        "parameter": name,
        **{f"{name}-{field}": text for field, text in told.items()},
    }


def run(client: Client, data: dict[str, str], action: str = "test", **more: Any) -> Any:
    return client.post(f"/tools/count/{action}/", data, headers=HTMX, **more)
