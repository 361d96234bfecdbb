"""A key with every tool says so in its row: an empty list means no tool from here on."""

from django.db import migrations, models

import access.allowed_tools

# What was read as "every tool" before: whatever Python takes for false.
EMPTY = """allowed_tools IN ('[]', '{}', '""', 'null', '0', 'false')"""
WRITE_EVERY_TOOL = f"UPDATE h_api_key SET allowed_tools = '[\"*\"]' WHERE {EMPTY}"  # noqa: S608 - no input
# No tool is called '', so what means nothing now goes on doing so.
WRITE_EMPTY_LIST = f"""
UPDATE h_api_key SET allowed_tools = '[""]' WHERE {EMPTY};
UPDATE h_api_key SET allowed_tools = '[]' WHERE allowed_tools = '["*"]';
"""  # noqa: S608


class Migration(migrations.Migration):
    dependencies = [("access", "0006_call_request_id")]

    operations = [
        migrations.RunSQL(WRITE_EVERY_TOOL, WRITE_EMPTY_LIST),
        migrations.AlterField(
            model_name="apikey",
            name="allowed_tools",
            field=models.JSONField(
                db_default=[],
                default=list,
                error_messages={"blank": access.allowed_tools.NO_TOOLS},
                help_text='Names of the tools this key sees, as in ["sales_by_region"]; ["*"] is every tool.',
                validators=[access.allowed_tools.check_allowed_tools],
                verbose_name="allowed tools",
            ),
        ),
    ]
