"""How another MCP server is told its token counts as a change of what is served."""

from django.db import migrations

from tools.migrations import sql


class Migration(migrations.Migration):
    dependencies = [("tools", "0001_initial"), ("catalog", "0003_mcp_server_authentication")]

    operations = [
        migrations.RunSQL(
            sql.bump_on_server("authentication authentication_name"), sql.bump_on_server()
        )
    ]
