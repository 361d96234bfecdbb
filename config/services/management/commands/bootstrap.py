"""`manage.py bootstrap`: an empty or old database becomes a usable one; harmless to repeat."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from access.keys import register_token
from config.demo.catalogue import prepare_catalogue
from config.demo.loading import load_documents, load_shop, load_tools
from config.demo.vectors import load_tool_vectors
from config.demo.visits import load_visits

# Any number that no other program of this database uses for its own lock.
LOCK = 3_003_001


class Command(BaseCommand):
    help = "Migrate, create the administrator and the first API key, load the demo."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        with only_one():
            migrate()
            if password := os.environ.get("TOOLBUILDER_ADMIN_PASSWORD"):
                ensure_administrator(password)
            if token := os.environ.get("TOOLBUILDER_API_KEY"):
                register_token(token, "first key")
            if demo := os.environ.get("DEMO_DATABASE_URL"):
                load_shop(demo)
                if load_tools():
                    load_visits()
                load_documents()
                prepare_catalogue()
            load_tool_vectors()


@contextmanager
def only_one() -> Iterator[None]:
    """Wait for another bootstrap of the same database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [LOCK])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [LOCK])


def migrate() -> None:
    """Bring the tables up to date; quick when they are."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", interactive=False)


def ensure_administrator(password: str) -> None:
    """Create the user `admin` if there is none; an existing one keeps its password."""
    users = get_user_model().objects
    if not users.filter(username="admin").exists():
        users.create_superuser("admin", "", password)
