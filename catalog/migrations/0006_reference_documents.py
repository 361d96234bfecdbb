"""Documents that agents read before they write SQL."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0005_cascade_in_the_database"),
    ]

    operations = [
        migrations.CreateModel(
            name="ReferenceDocument",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.TextField(unique=True, verbose_name="key")),
                (
                    "kind",
                    models.TextField(
                        choices=[
                            ("column", "column"),
                            ("query", "example query"),
                            ("text", "text"),
                        ],
                        verbose_name="kind",
                    ),
                ),
                (
                    "table_name",
                    models.TextField(blank=True, db_default="", default="", verbose_name="table"),
                ),
                (
                    "column_name",
                    models.TextField(blank=True, db_default="", default="", verbose_name="column"),
                ),
                (
                    "content",
                    models.JSONField(
                        blank=True, db_default={}, default=dict, verbose_name="content"
                    ),
                ),
                ("text", models.TextField(verbose_name="text")),
                (
                    "metadata",
                    models.JSONField(
                        blank=True, db_default={}, default=dict, verbose_name="metadata"
                    ),
                ),
                (
                    "content_hash",
                    models.TextField(
                        db_default="", default="", editable=False, verbose_name="content hash"
                    ),
                ),
                (
                    "source",
                    models.TextField(blank=True, db_default="", default="", verbose_name="source"),
                ),
                (
                    "updated_at",
                    models.DateTimeField(
                        auto_now=True,
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="updated",
                    ),
                ),
                (
                    "indexed_hash",
                    models.TextField(
                        db_default="", default="", editable=False, verbose_name="indexed hash"
                    ),
                ),
                (
                    "indexed_with",
                    models.TextField(
                        db_default="", default="", editable=False, verbose_name="indexed with"
                    ),
                ),
                (
                    "indexed_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="indexed"),
                ),
            ],
            options={
                "verbose_name": "reference document",
                "verbose_name_plural": "reference documents",
                "db_table": "h_reference_document",
                "ordering": ["key"],
                "indexes": [models.Index(fields=["source"], name="h_reference_document_source")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["column", "query", "text"])),
                        name="h_reference_document_kind",
                    )
                ],
            },
        ),
    ]
