"""Where another MCP server wants its token."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0002_default_source_check"),
    ]

    operations = [
        migrations.AddField(
            model_name="mcpserver",
            name="authentication",
            field=models.TextField(
                choices=[
                    ("bearer", "Authorization: Bearer"),
                    ("header", "a header"),
                    ("query", "a parameter of the address"),
                ],
                db_default="bearer",
                default="bearer",
                verbose_name="the token goes into",
            ),
        ),
        migrations.AddField(
            model_name="mcpserver",
            name="authentication_name",
            field=models.TextField(
                blank=True,
                db_default="",
                default="",
                help_text="As X-API-Key, where the secret has a header or a parameter of its own.",
                verbose_name="header or parameter",
            ),
        ),
    ]
