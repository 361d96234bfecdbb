"""A DELETE of a data source by any program takes its check and its rights along; tools on it still forbid it."""

from django.db import migrations

CHILDREN = ("h_data_source_check", "h_data_source_allowed_users", "h_data_source_allowed_groups")

RECREATE = """
DO $$
DECLARE
    constraint_name text;
    key_column text;
BEGIN
    SELECT conname, attname INTO STRICT constraint_name, key_column FROM pg_constraint
    JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
    WHERE conrelid = '{table}'::regclass AND confrelid = 'h_data_source'::regclass;
    EXECUTE format('ALTER TABLE {table} DROP CONSTRAINT %I', constraint_name);
    EXECUTE format(
        'ALTER TABLE {table} ADD CONSTRAINT %I FOREIGN KEY (%I) REFERENCES h_data_source (id)'
        ' {action} DEFERRABLE INITIALLY DEFERRED', constraint_name, key_column);
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("catalog", "0004_source_check")]

    operations = [
        migrations.RunSQL(
            RECREATE.format(table=table, action="ON DELETE CASCADE"),
            RECREATE.format(table=table, action=""),
        )
        for table in CHILDREN
    ]
