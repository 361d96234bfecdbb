"""Questions that a search should answer with certain tools."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("toolbuilder", "0015_tool_search")]

    operations = [
        migrations.CreateModel(
            name="SearchQuestion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField(unique=True, verbose_name="question")),
                (
                    "language",
                    models.CharField(
                        db_default="other", default="other", max_length=5, verbose_name="language"
                    ),
                ),
                (
                    "expected",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="expected tools"
                    ),
                ),
                (
                    "created_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="created by"
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created"
                    ),
                ),
            ],
            options={
                "verbose_name": "search question",
                "verbose_name_plural": "search questions",
                "db_table": "h_search_question",
                "ordering": ["-created_at", "-id"],
            },
        ),
    ]
