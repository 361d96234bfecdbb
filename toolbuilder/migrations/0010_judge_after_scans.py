"""A scan that found a change bumps the registry revision, so that runtimes judge the tools anew."""

from django.db import migrations

BUMP = """
CREATE TRIGGER bump_registry AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON h_catalog_schema_state
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_bump_registry();
"""


class Migration(migrations.Migration):
    dependencies = [("toolbuilder", "0009_cascade_of_uses")]

    operations = [
        migrations.RunSQL(BUMP, "DROP TRIGGER bump_registry ON h_catalog_schema_state;"),
    ]
