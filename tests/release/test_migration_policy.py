"""Upgrades one version at a time need no stop: no migration takes away what the version before uses."""

from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ModelState, ProjectState

from release.migration_policy import APPS, find_faults, list_new, read_released

NAME = models.CharField(max_length=9)


@pytest.fixture(scope="module")
def loader() -> MigrationLoader:
    return MigrationLoader(None)


def make_migration(*operations: Any, unused_since: str | None = None) -> migrations.Migration:
    migration = migrations.Migration("0099_change", "tools")
    migration.operations = list(operations)  # type: ignore[misc]
    if unused_since:
        migration.unused_since = unused_since  # type: ignore[attr-defined]
    return migration


def find_in(migration: migrations.Migration) -> list[str]:
    fields: list[tuple[str, models.Field[Any, Any]]] = [
        ("id", models.BigAutoField(primary_key=True)),
        ("name", NAME.clone()),
        ("note", models.TextField(null=True)),
    ]
    state = ProjectState()
    state.add_model(ModelState("tools", "Hammer", fields))
    return list(find_faults(migration, state))


def test_released_versions_know_every_app(loader: MigrationLoader) -> None:
    for last in read_released().values():
        assert last.keys() == set(APPS)
        assert {(app, name) for app, name in last.items()} <= loader.disk_migrations.keys()


def test_new_migrations_leave_the_version_before_what_it_uses(loader: MigrationLoader) -> None:
    faults: list[str] = []
    for key in list_new(loader):
        parents = [node.key for node in loader.graph.node_map[key].parents]
        before = loader.project_state(parents, at_end=True)
        faults += find_faults(loader.disk_migrations[key], before)

    assert faults == []


@pytest.mark.parametrize(
    "operation",
    [
        migrations.RemoveField("hammer", "note"),
        migrations.RenameField("hammer", "note", "text"),
        migrations.RenameModel("Hammer", "Tool"),
        migrations.DeleteModel("Hammer"),
        migrations.AlterField("hammer", "note", models.TextField(default="")),
        migrations.AlterField("hammer", "name", models.IntegerField()),
        migrations.AddField("hammer", "weight", models.IntegerField(default=0)),
        migrations.RunSQL("ALTER TABLE h_hammer DROP COLUMN note", migrations.RunSQL.noop),
        migrations.SeparateDatabaseAndState([migrations.RemoveField("hammer", "note")], []),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_what_breaks_the_version_before_is_a_fault(operation: Any) -> None:
    assert len(find_in(make_migration(operation))) == 1
    assert find_in(make_migration(operation, unused_since="0.1.0")) == []


@pytest.mark.parametrize(
    "operation",
    [
        migrations.AddField("hammer", "weight", models.IntegerField(null=True)),
        migrations.AddField("hammer", "weight", models.IntegerField(db_default=0)),
        migrations.AlterField("hammer", "note", models.TextField(db_default="")),
        migrations.AlterField("hammer", "name", models.CharField(max_length=20)),
        migrations.CreateModel("Nail", [("id", models.BigAutoField(primary_key=True))]),
        migrations.RunSQL("CREATE INDEX i ON h_hammer (name)", migrations.RunSQL.noop),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_what_the_version_before_need_not_know_is_fine(operation: Any) -> None:
    assert find_in(make_migration(operation)) == []


def test_reason_must_be_a_released_version() -> None:
    migration = make_migration(migrations.DeleteModel("Hammer"), unused_since="9.0.0")

    assert find_in(migration) == [
        "tools.0099_change: unused_since names 9.0.0, which is no released version"
    ]
