"""Migrations of the catalogue can be taken back."""

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState


@pytest.mark.django_db
def test_extension_that_another_role_has_made_stays() -> None:
    migration = MigrationLoader(connection).disk_migrations["catalog", "0001_initial"]
    [extension] = [found for found in migration.operations if hasattr(found, "extension_exists")]

    with connection.schema_editor() as editor:
        extension.database_backwards("catalog", editor, ProjectState(), ProjectState())

        assert extension.extension_exists(editor, "pg_trgm")
