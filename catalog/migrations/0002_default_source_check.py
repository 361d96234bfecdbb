"""Checks of the default data source are kept."""

from django.db import migrations, models
from django.db.models.functions import Now


class Migration(migrations.Migration):
    dependencies = [("catalog", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="DefaultSourceCheck",
            fields=[
                ("checked_at", models.DateTimeField(db_default=Now(), verbose_name="checked")),
                (
                    "state",
                    models.TextField(
                        choices=[
                            ("ok", "safe"),
                            ("warning", "usable, with warnings"),
                            ("unreachable", "not reached"),
                            ("refused", "refused"),
                        ],
                        verbose_name="state",
                    ),
                ),
                ("summary", models.TextField(db_default="", default="", verbose_name="summary")),
                ("refusal", models.TextField(db_default="", default="", verbose_name="refusal")),
                ("refusal_message", models.JSONField(editable=False, null=True)),
                (
                    "target",
                    models.TextField(
                        db_default="", default="", editable=False, verbose_name="target"
                    ),
                ),
                (
                    "report",
                    models.JSONField(
                        db_default={}, default=dict, editable=False, verbose_name="report"
                    ),
                ),
                (
                    "id",
                    models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False),
                ),
            ],
            options={
                "verbose_name": "check of the default data source",
                "verbose_name_plural": "checks of the default data source",
                "db_table": "h_default_source_check",
            },
        ),
    ]
