"""The catalogue: tables, columns, relations and tags."""

import django.contrib.postgres.indexes
import django.db.models.deletion
import django.db.models.functions.datetime
from django.contrib.postgres.operations import TrigramExtension
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0007_table_documents"),
    ]

    operations = [
        TrigramExtension(),
        migrations.CreateModel(
            name="Tag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.TextField(unique=True, verbose_name="name")),
            ],
            options={
                "verbose_name": "tag",
                "verbose_name_plural": "tags",
                "db_table": "h_catalog_tag",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="CatalogTable",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "schema",
                    models.TextField(blank=True, db_default="", default="", verbose_name="schema"),
                ),
                ("name", models.TextField(verbose_name="name")),
                (
                    "kind",
                    models.TextField(
                        choices=[
                            ("table", "table"),
                            ("view", "view"),
                            ("materialized view", "materialized view"),
                            ("foreign table", "foreign table"),
                        ],
                        db_default="table",
                        default="table",
                        verbose_name="kind",
                    ),
                ),
                (
                    "source_comment",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        verbose_name="comment in the database",
                    ),
                ),
                (
                    "row_estimate",
                    models.BigIntegerField(blank=True, null=True, verbose_name="rows, estimated"),
                ),
                ("sample", models.JSONField(blank=True, null=True, verbose_name="sample")),
                (
                    "sample_note",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="about the sample"
                    ),
                ),
                ("shape_hash", models.TextField(db_default="", default="", editable=False)),
                (
                    "scanned_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="scanned"),
                ),
                (
                    "changed_at",
                    models.DateTimeField(
                        editable=False, null=True, verbose_name="changed in the database"
                    ),
                ),
                (
                    "gone_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="gone since"),
                ),
                (
                    "display_name",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="display name"
                    ),
                ),
                (
                    "description",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="description"
                    ),
                ),
                (
                    "notes",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="What one must know before querying it: filters, size, update times.",
                        verbose_name="notes",
                    ),
                ),
                (
                    "is_hidden",
                    models.BooleanField(
                        db_default=False,
                        default=False,
                        help_text="Not served.",
                        verbose_name="hidden from agents",
                    ),
                ),
                ("search_text", models.TextField(db_default="", default="", editable=False)),
                (
                    "updated_at",
                    models.DateTimeField(
                        auto_now=True,
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="updated",
                    ),
                ),
                (
                    "updated_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="updated by"
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tables",
                        to="catalog.datasource",
                        verbose_name="data source",
                    ),
                ),
                (
                    "tags",
                    models.ManyToManyField(
                        blank=True, related_name="tables", to="catalog.tag", verbose_name="tags"
                    ),
                ),
            ],
            options={
                "verbose_name": "catalogue table",
                "verbose_name_plural": "catalogue tables",
                "db_table": "h_catalog_table",
                "ordering": ["schema", "name"],
            },
        ),
        migrations.CreateModel(
            name="CatalogColumn",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.TextField(verbose_name="name")),
                ("position", models.IntegerField(db_default=0, default=0, verbose_name="position")),
                (
                    "type_name",
                    models.TextField(blank=True, db_default="", default="", verbose_name="type"),
                ),
                (
                    "is_nullable",
                    models.BooleanField(db_default=True, default=True, verbose_name="nullable"),
                ),
                (
                    "is_primary_key",
                    models.BooleanField(
                        db_default=False, default=False, verbose_name="primary key"
                    ),
                ),
                (
                    "source_comment",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        verbose_name="comment in the database",
                    ),
                ),
                (
                    "gone_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="gone since"),
                ),
                (
                    "display_name",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="display name"
                    ),
                ),
                (
                    "description",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="description"
                    ),
                ),
                (
                    "is_masked",
                    models.BooleanField(
                        blank=True,
                        help_text="Unknown: the rule of names decides.",
                        null=True,
                        verbose_name="masked in samples",
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
                (
                    "updated_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="updated by"
                    ),
                ),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="columns",
                        to="catalog.catalogtable",
                        verbose_name="table",
                    ),
                ),
            ],
            options={
                "verbose_name": "catalogue column",
                "verbose_name_plural": "catalogue columns",
                "db_table": "h_catalog_column",
                "ordering": ["position", "id"],
                "constraints": [
                    models.UniqueConstraint(fields=("table", "name"), name="h_catalog_column_name")
                ],
            },
        ),
        migrations.CreateModel(
            name="TableRelation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "relation_type",
                    models.TextField(
                        choices=[
                            ("foreign_key", "foreign_key"),
                            ("derived", "derived"),
                            ("own", "own"),
                        ],
                        verbose_name="kind",
                    ),
                ),
                (
                    "constraint_name",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="constraint",
                    ),
                ),
                (
                    "columns",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="columns"
                    ),
                ),
                (
                    "target_columns",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=list,
                        verbose_name="columns of the related table",
                    ),
                ),
                (
                    "join_condition",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="Empty: equality of the columns.",
                        verbose_name="join condition",
                    ),
                ),
                (
                    "description",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="description"
                    ),
                ),
                (
                    "gone_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="gone since"),
                ),
                (
                    "table",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="relations",
                        to="catalog.catalogtable",
                        verbose_name="table",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="incoming_relations",
                        to="catalog.catalogtable",
                        verbose_name="related table",
                    ),
                ),
            ],
            options={
                "verbose_name": "relation of tables",
                "verbose_name_plural": "relations of tables",
                "db_table": "h_catalog_relation",
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("constraint_name", ""), _negated=True),
                        fields=("table", "constraint_name"),
                        name="h_catalog_relation_constraint",
                    )
                ],
            },
        ),
        migrations.AddIndex(
            model_name="catalogtable",
            index=django.contrib.postgres.indexes.GinIndex(
                fields=["search_text"], name="h_catalog_table_search", opclasses=["gin_trgm_ops"]
            ),
        ),
        migrations.AddConstraint(
            model_name="catalogtable",
            constraint=models.UniqueConstraint(
                fields=("source", "schema", "name"),
                name="h_catalog_table_name",
                nulls_distinct=False,
            ),
        ),
    ]
