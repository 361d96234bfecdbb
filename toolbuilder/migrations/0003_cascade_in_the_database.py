"""A DELETE of a tool by any program takes its parameters along: the database cascades, not only Django."""

from django.db import migrations

CHILDREN = ("h_custom_tool_param", "h_custom_tool_quarantine")

RECREATE = """
DO $$
DECLARE
    constraint_name text;
BEGIN
    SELECT conname INTO STRICT constraint_name FROM pg_constraint
    WHERE conrelid = '{table}'::regclass AND confrelid = 'h_custom_tool'::regclass;
    EXECUTE format('ALTER TABLE {table} DROP CONSTRAINT %I', constraint_name);
    EXECUTE format(
        'ALTER TABLE {table} ADD CONSTRAINT %I FOREIGN KEY (tool_id) REFERENCES h_custom_tool (id)'
        ' {action} DEFERRABLE INITIALLY DEFERRED', constraint_name);
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("toolbuilder", "0002_registry_trigger")]

    operations = [
        migrations.RunSQL(
            RECREATE.format(table=table, action="ON DELETE CASCADE"),
            RECREATE.format(table=table, action=""),
        )
        for table in CHILDREN
    ]
