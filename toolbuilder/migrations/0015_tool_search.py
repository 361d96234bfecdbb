"""Vectors of tools, and the searches that agents made."""

import uuid

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("toolbuilder", "0014_trials_and_pages"),
    ]

    operations = [
        migrations.CreateModel(
            name="ToolSearch",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("query", models.TextField(db_default="", default="")),
                ("caller", models.TextField(db_default="", default="")),
                ("key_id", models.CharField(db_default="", default="", max_length=8)),
                ("runtime_id", models.UUIDField(null=True)),
                ("names", models.JSONField(db_default=[], default=list)),
                ("scores", models.JSONField(db_default=[], default=list)),
                ("degraded", models.BooleanField(db_default=False, default=False)),
                ("duration_ms", models.FloatField(db_default=0.0, default=0.0)),
                ("called_tool", models.TextField(null=True)),
            ],
            options={
                "db_table": "h_tool_search",
                "ordering": ["-at"],
                "indexes": [
                    models.Index(fields=["-at"], name="h_tool_search_at"),
                    models.Index(fields=["key_id", "-at"], name="h_tool_search_key"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ToolVector",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("tool_name", models.TextField()),
                ("model", models.TextField()),
                ("content_hash", models.TextField()),
                ("name_vector", models.BinaryField()),
                ("text_vector", models.BinaryField()),
                (
                    "updated_at",
                    models.DateTimeField(
                        auto_now=True, db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
            ],
            options={
                "db_table": "h_tool_vector",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tool_name", "model"), name="h_tool_vector_once"
                    )
                ],
            },
        ),
    ]
