"""A change of a limit is heard by every runtime, as one of what is served."""

from django.db import migrations

_BUMP = """
CREATE TRIGGER bump_registry AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON h_mcp_tool_limit
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_bump_registry();
"""
_DROP = "DROP TRIGGER bump_registry ON h_mcp_tool_limit;"


class Migration(migrations.Migration):
    dependencies = [("tools", "0004_registry_change"), ("access", "0003_limits")]

    operations = [migrations.RunSQL(_BUMP, _DROP)]
