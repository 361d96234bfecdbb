"""Test runs in the editor, and the page that saved a draft last."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("toolbuilder", "0013_versions_touch_nothing"),
    ]

    operations = [
        migrations.AddField(
            model_name="tooldraft",
            name="edited_in",
            field=models.TextField(db_default="", default="", editable=False),
        ),
        migrations.CreateModel(
            name="ToolTrial",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("username", models.TextField(verbose_name="user name")),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="at"
                    ),
                ),
                ("arguments", models.JSONField(default=dict, verbose_name="arguments")),
                (
                    "error",
                    models.TextField(blank=True, db_default="", default="", verbose_name="error"),
                ),
                ("row_count", models.PositiveIntegerField(null=True, verbose_name="rows")),
                (
                    "duration_ms",
                    models.FloatField(db_default=0.0, default=0.0, verbose_name="duration"),
                ),
                (
                    "tokens",
                    models.PositiveIntegerField(db_default=0, default=0, verbose_name="tokens"),
                ),
                ("logic_hash", models.TextField(db_default="", default="", editable=False)),
                (
                    "draft",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trials",
                        to="toolbuilder.tooldraft",
                        verbose_name="draft",
                    ),
                ),
                (
                    "tool",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trials",
                        to="toolbuilder.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
            ],
            options={
                "verbose_name": "test run",
                "verbose_name_plural": "test runs",
                "db_table": "h_custom_tool_trial",
                "ordering": ["-at", "-id"],
                "indexes": [
                    models.Index(
                        fields=["tool", "username", "-id"], name="h_custom_tool_trial_tool"
                    ),
                    models.Index(
                        fields=["draft", "username", "-id"], name="h_custom_tool_trial_draft"
                    ),
                ],
            },
        ),
    ]
