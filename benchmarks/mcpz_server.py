"""The same tools in django-mcpz, as its documentation writes them: sync views, a bearer token of its own.

Run by the Python of its own environment. As a program it migrates and makes the token; gunicorn
serves `application`.
"""

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any
from urllib.parse import unquote, urlsplit

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.db import connections
from django.http import HttpRequest
from django.urls import path


def database(dsn: str) -> dict[str, Any]:
    parts = urlsplit(dsn)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": parts.hostname,
        "PORT": parts.port,
        "NAME": parts.path.removeprefix("/"),
        "USER": parts.username,
        "PASSWORD": unquote(parts.password or ""),
        # One connection for each of gunicorn's threads.
        "CONN_MAX_AGE": None,
    }


settings.configure(
    SECRET_KEY=os.environ["API_KEY"],
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    INSTALLED_APPS=[
        "django.contrib.contenttypes",
        "django.contrib.auth",
        "django_mcpz.bearer_tokens",
    ],
    DATABASES={
        "default": database(os.environ["DATABASE_URL"]),
        "demo": database(os.environ["DEMO_DATABASE_URL"]),
    },
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
)
django.setup()

# By name, since they are there in their own environment only.
mcpz: Any = import_module("django_mcpz.server")
tokens: Any = import_module("django_mcpz.tokens")
bearer: Any = import_module("django_mcpz.bearer_tokens.auth")
defstruct: Any = import_module("msgspec").defstruct
server: Any = mcpz.MCPServer(name="static", version="1", auth=bearer.token_auth)


def fetch(sql: str, value: int) -> dict[str, Any]:
    with connections["demo"].cursor() as cursor:
        cursor.execute(sql, [value])
        names = [column.name for column in cursor.description or ()]
        return {"rows": [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]}


def multiply_numbers(_request: HttpRequest, params: Any) -> dict[str, float]:
    return {"result": params.num1 * params.num2}


def store_by_id(_request: HttpRequest, params: Any) -> dict[str, Any]:
    return fetch(
        "SELECT id, store_name, store_name_en, region, city FROM stores WHERE id = %s",
        params.store_id,
    )


def sales_after(_request: HttpRequest, params: Any) -> dict[str, Any]:
    return fetch(
        "SELECT id, store_id, product_id, amount, transaction_date FROM sales_transactions"
        " WHERE id > %s ORDER BY id LIMIT 1000",
        params.first_id,
    )


PARAMETERS: dict[Callable[[HttpRequest, Any], dict[str, Any]], list[tuple[str, type]]] = {
    multiply_numbers: [("num1", float), ("num2", float)],
    store_by_id: [("store_id", int)],
    sales_after: [("first_id", int)],
}
for function, fields in PARAMETERS.items():
    struct = defstruct(function.__name__, fields)
    server.tool(description="Measured.", input_schema=struct)(function)
urlpatterns = [path("mcp", server)]


def main() -> None:
    """Make the tables and the token."""
    call_command("migrate", verbosity=0)
    user = import_module("django.contrib.auth.models").User.objects.create(username="bench")
    token: Any = import_module("django_mcpz.bearer_tokens.models").Token
    digest = tokens.sha256_hex(os.environ["API_KEY"])
    token.objects.create(name="bench", user=user, digest=digest)


if __name__ == "__main__":
    main()
else:
    application = get_wsgi_application()
