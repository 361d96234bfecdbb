"""A DELETE of a tool, table or column by any program takes what is stored of their use along."""

from django.db import migrations

# Child, its column, parent.
LINKS = (
    ("h_custom_tool_use", "tool_id", "h_custom_tool"),
    ("h_custom_tool_use", "table_id", "h_catalog_table"),
    ("h_custom_tool_use", "column_id", "h_catalog_column"),
    ("h_custom_tool_use_state", "tool_id", "h_custom_tool"),
)

RECREATE = """
DO $$
DECLARE
    constraint_name text;
BEGIN
    SELECT conname INTO STRICT constraint_name FROM pg_constraint
    JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
    WHERE conrelid = '{child}'::regclass AND confrelid = '{parent}'::regclass
    AND attname = '{column}';
    EXECUTE format('ALTER TABLE {child} DROP CONSTRAINT %I', constraint_name);
    EXECUTE format(
        'ALTER TABLE {child} ADD CONSTRAINT %I FOREIGN KEY ({column}) REFERENCES {parent} (id)'
        ' {action} DEFERRABLE INITIALLY DEFERRED', constraint_name);
END $$;
"""


def _recreate(action: str, link: tuple[str, str, str]) -> str:
    child, column, parent = link
    return RECREATE.format(child=child, column=column, parent=parent, action=action)


class Migration(migrations.Migration):
    dependencies = [("toolbuilder", "0008_tool_uses")]

    operations = [
        migrations.RunSQL(_recreate("ON DELETE CASCADE", link), _recreate("", link))
        for link in LINKS
    ]
