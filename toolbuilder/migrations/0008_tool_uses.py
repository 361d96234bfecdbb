"""Which tables and columns each tool uses, as its statement says."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0011_cascade_of_the_catalogue"),
        ("toolbuilder", "0007_demo_loaded"),
    ]

    operations = [
        migrations.CreateModel(
            name="ToolUseState",
            fields=[
                (
                    "tool",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="use_state",
                        serialize=False,
                        to="toolbuilder.tooldefinition",
                    ),
                ),
                ("fingerprint", models.TextField()),
                ("unknown_columns", models.JSONField(db_default=[], default=list)),
            ],
            options={
                "db_table": "h_custom_tool_use_state",
            },
        ),
        migrations.CreateModel(
            name="ToolUse",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "column",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tool_uses",
                        to="catalog.catalogcolumn",
                        verbose_name="column",
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tool_uses",
                        to="catalog.catalogtable",
                        verbose_name="table",
                    ),
                ),
                (
                    "tool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uses",
                        to="toolbuilder.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
            ],
            options={
                "verbose_name": "use of a table",
                "verbose_name_plural": "uses of tables",
                "db_table": "h_custom_tool_use",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tool", "table", "column"),
                        name="h_custom_tool_use_once",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
    ]
