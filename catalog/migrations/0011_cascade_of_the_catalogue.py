"""A DELETE by any program takes what the catalogue and its scans hold of a data source, table or tag along."""

from django.db import migrations

OF_SOURCES = ("h_catalog_table", "h_catalog_scan", "h_catalog_schema_state")
# Child, its column, parent.
OF_TABLES = (
    ("h_catalog_column", "table_id", "h_catalog_table"),
    ("h_catalog_relation", "table_id", "h_catalog_table"),
    ("h_catalog_relation", "target_id", "h_catalog_table"),
    ("h_catalog_table_tags", "catalogtable_id", "h_catalog_table"),
    ("h_catalog_table_tags", "tag_id", "h_catalog_tag"),
)
LINKS = tuple((child, "source_id", "h_data_source") for child in OF_SOURCES) + OF_TABLES

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
    dependencies = [("catalog", "0010_pending_documents")]

    operations = [
        migrations.RunSQL(_recreate("ON DELETE CASCADE", link), _recreate("", link))
        for link in LINKS
    ]
