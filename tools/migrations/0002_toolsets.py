"""A change of a toolset is a change of what is served."""

from django.db import migrations

_TABLES = ("h_mcp_toolset", "h_mcp_toolset_tool")
_BUMP = """
CREATE TRIGGER bump_registry AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_bump_registry();
"""
_DROP = "DROP TRIGGER bump_registry ON {table};"


class Migration(migrations.Migration):
    dependencies = [("tools", "0001_initial"), ("access", "0002_toolsets")]

    operations = [
        migrations.RunSQL(
            "".join(_BUMP.format(table=table) for table in _TABLES),
            "".join(_DROP.format(table=table) for table in _TABLES),
        )
    ]
