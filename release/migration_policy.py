"""What a migration may do so that runtimes of the version before serve on while it runs, and after it.

`python -m release.migration_policy` writes where the version of pyproject.toml ends now.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from django.db import migrations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import NOT_PROVIDED, Field

from config import env
from release.building import PROJECT, ReleaseError

APPS = ("access", "catalog", "tools", "toolbuilder")
# Of each released version the last migration of each app.
RELEASED = Path(__file__).with_name("migrations.json")
_BREAKING = (
    migrations.RemoveField,
    migrations.RenameField,
    migrations.RenameModel,
    migrations.DeleteModel,
    migrations.AlterModelTable,
)
_BREAKING_SQL = re.compile(
    r"\bDROP\s+(?:TABLE|COLUMN|VIEW)|\bRENAME\s+(?:TO|COLUMN)|\bSET\s+NOT\s+NULL|\bALTER\s+COLUMN\s+\S+\s+TYPE",
    re.IGNORECASE,
)


def read_released() -> dict[str, dict[str, str]]:
    """Versions, oldest first, each with the last migration of each app."""
    return dict(json.loads(RELEASED.read_text()))


def require_list_of(version: str) -> None:
    """Raise ReleaseError unless the version's list has the last migrations that there are."""
    last = find_last()
    if read_released().get(version) != last:
        raise ReleaseError(
            f"release/migrations.json must end with the migrations of {version}, {json.dumps(last)}:"
            " run `.venv/bin/python -m release.migration_policy`, and commit the file"
        )


def find_last() -> dict[str, str]:
    """The last migration that each app has."""
    return {
        app: max(path.stem for path in (PROJECT / app / "migrations").glob("0*.py")) for app in APPS
    }


def list_new(loader: MigrationLoader) -> list[tuple[str, str]]:
    """App and name of the migrations that are in no release."""
    released = read_released()
    last = released[list(released)[-1]]
    return sorted(
        (app, name)
        for app, name in loader.disk_migrations
        if app in APPS and name > last.get(app, "")
    )


def find_faults(migration: migrations.Migration, state: ProjectState) -> Iterator[str]:
    """What the migration does to runtimes of the version before; `state` is that of the models before it.

    A migration may do it where it says `unused_since = "0.2.0"`: a released version that uses it no more.
    """
    since = getattr(migration, "unused_since", None)
    if since is not None and since not in read_released():
        yield f"{migration}: unused_since names {since}, which is no released version"
    for operation in migration.operations:
        parts = [operation]
        if isinstance(operation, migrations.SeparateDatabaseAndState):
            parts = [*operation.database_operations, *operation.state_operations]
        for part in parts:
            fault = _find_fault(part, migration.app_label, state)
            if fault and since is None:
                yield f"{migration}: {part.describe()}: {fault}"
        operation.state_forwards(migration.app_label, state)


def _find_fault(operation: Operation, app: str, state: ProjectState) -> str:
    match operation:
        case _ if isinstance(operation, _BREAKING):
            return "the version before still reads it"
        case migrations.AddField(field=field) if _refuses_rows_without(field):
            return "the version before writes rows without it: give it a db_default, or null=True"
        case migrations.AlterField(model_name=model, name=name, field=field):
            before = state.models[app, model.lower()].fields[name]
            if before.null and _refuses_rows_without(field):
                return "the version before writes NULL into it: give it a db_default"
            if before.get_internal_type() != field.get_internal_type():
                return "the version before reads another type: add a column beside it"
        case migrations.RunSQL(sql=sql) if _BREAKING_SQL.search(str(sql)):
            return "the version before still uses what this takes away"
    return ""


def _refuses_rows_without(field: "Field[object, object]") -> bool:
    is_filled = field.db_default is not NOT_PROVIDED or getattr(field, "generated", False)
    return not (field.null or field.many_to_many or is_filled)


if __name__ == "__main__":
    written = read_released() | {env.version(): find_last()}
    RELEASED.write_text(f"{json.dumps(written, indent=2)}\n")
