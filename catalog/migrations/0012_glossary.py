"""Concepts of the glossary that people have changed or added."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0011_cascade_of_the_catalogue"),
    ]

    operations = [
        migrations.CreateModel(
            name="GlossaryConcept",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.SlugField(max_length=60, unique=True, verbose_name="key")),
                (
                    "terms",
                    models.JSONField(blank=True, db_default={}, default=dict, verbose_name="terms"),
                ),
                (
                    "note",
                    models.TextField(blank=True, db_default="", default="", verbose_name="note"),
                ),
                (
                    "is_shipped",
                    models.BooleanField(db_default=False, default=False, verbose_name="shipped"),
                ),
                (
                    "is_active",
                    models.BooleanField(db_default=True, default=True, verbose_name="in use"),
                ),
                (
                    "updated_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="updated by"
                    ),
                ),
                (
                    "updated_at",
                    models.DateTimeField(
                        auto_now=True,
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="updated",
                    ),
                ),
            ],
            options={
                "verbose_name": "concept",
                "verbose_name_plural": "glossary",
                "db_table": "h_glossary_concept",
                "ordering": ["key"],
            },
        ),
    ]
