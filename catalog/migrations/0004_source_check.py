"""What the last check of a data source said."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0003_source_rights")]

    operations = [
        migrations.CreateModel(
            name="SourceCheck",
            fields=[
                (
                    "source",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="last_check",
                        serialize=False,
                        to="catalog.datasource",
                        verbose_name="data source",
                    ),
                ),
                (
                    "checked_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="checked"
                    ),
                ),
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
            ],
            options={
                "verbose_name": "check of a data source",
                "verbose_name_plural": "checks of data sources",
                "db_table": "h_data_source_check",
            },
        ),
    ]
