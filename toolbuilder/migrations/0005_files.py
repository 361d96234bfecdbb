"""The file that a tool was applied from; a DELETE of the tool by any program takes it along."""

from django.db import migrations, models
from django.db.models import CASCADE
from django.db.models.functions import Now

from access.foreign_keys import on_delete


class Migration(migrations.Migration):
    dependencies = [("tools", "0009_breaker"), ("toolbuilder", "0004_replays")]

    operations = [
        migrations.CreateModel(
            name="ToolFile",
            fields=[
                (
                    "tool",
                    models.OneToOneField(
                        on_delete=CASCADE,
                        primary_key=True,
                        related_name="file",
                        serialize=False,
                        to="tools.tooldefinition",
                    ),
                ),
                ("owner", models.TextField(db_default="", default="", editable=False)),
                ("path", models.TextField(editable=False)),
                ("content_hash", models.TextField(editable=False)),
                ("applied_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("applied_by", models.TextField(db_default="", default="", editable=False)),
            ],
            options={
                "db_table": "h_custom_tool_file",
                "indexes": [models.Index(fields=["owner"], name="h_custom_tool_file_owner")],
            },
        ),
        on_delete("CASCADE", "h_custom_tool_file", "tool_id", "h_custom_tool"),
    ]
