"""Foreign keys whose ON DELETE is the database's own, so that a DELETE by any program does as Django does."""

from typing import Any

from django.db.migrations.operations import RunSQL

_RECREATE = """
DO $$
DECLARE
    constraint_name text;
BEGIN
    SELECT conname INTO STRICT constraint_name FROM pg_constraint
    JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
    WHERE contype = 'f' AND conrelid = '{child}'::regclass AND confrelid = '{parent}'::regclass
    AND attname = '{column}';
    EXECUTE format('ALTER TABLE {child} DROP CONSTRAINT %I', constraint_name);
    EXECUTE format(
        'ALTER TABLE {child} ADD CONSTRAINT %I FOREIGN KEY ({column}) REFERENCES {parent} (id)'
        ' {action} DEFERRABLE INITIALLY DEFERRED', constraint_name);
END $$;
"""


class _AfterTables(RunSQL):
    """Runs when the constraints of the migration's tables are there, which Django adds last."""

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        schema_editor.deferred_sql.append(self.sql)


def on_delete(action: str, child: str, column: str, parent: str) -> RunSQL:
    """The migration after which a DELETE in `parent` does that (`CASCADE`, `SET NULL`) to the child's rows."""
    names = {"child": child, "column": column, "parent": parent}
    return _AfterTables(
        _RECREATE.format(**names, action=f"ON DELETE {action}"),
        _RECREATE.format(**names, action=""),
    )
