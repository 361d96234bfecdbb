"""A person of an issuer who is switched off changes whose tokens are taken."""

from django.db import migrations

from tools.migrations import sql


class Migration(migrations.Migration):
    dependencies = [("tools", "0002_mcp_server_authentication")]

    operations = [migrations.RunSQL(sql.BUMP_FOR_PEOPLE, sql.BUMP_FOR_NO_PEOPLE)]
