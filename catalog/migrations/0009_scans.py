"""Scans of data sources, what they changed, and searches of the catalogue."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0008_catalogue"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SchemaState",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("revision", models.BigIntegerField(db_default=0, default=0)),
                (
                    "changed_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "source",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="schema_state",
                        to="catalog.datasource",
                    ),
                ),
            ],
            options={
                "db_table": "h_catalog_schema_state",
                "constraints": [
                    models.UniqueConstraint(
                        fields=["source"],
                        name="h_catalog_schema_state_source",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="CatalogQuery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="searched",
                    ),
                ),
                ("surface", models.TextField(verbose_name="where")),
                (
                    "query",
                    models.TextField(blank=True, db_default="", default="", verbose_name="query"),
                ),
                (
                    "result_count",
                    models.IntegerField(db_default=0, default=0, verbose_name="results"),
                ),
                (
                    "key_id",
                    models.TextField(blank=True, db_default="", default="", verbose_name="API key"),
                ),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="user",
                    ),
                ),
            ],
            options={
                "verbose_name": "search of the catalogue",
                "verbose_name_plural": "searches of the catalogue",
                "db_table": "h_catalog_query",
                "ordering": ["-id"],
                "indexes": [models.Index(fields=["at"], name="h_catalog_query_at")],
            },
        ),
        migrations.CreateModel(
            name="CatalogScan",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.TextField(
                        choices=[
                            ("queued", "waiting"),
                            ("running", "running"),
                            ("done", "done"),
                            ("failed", "failed"),
                            ("cancelled", "cancelled"),
                        ],
                        db_default="queued",
                        default="queued",
                        verbose_name="state",
                    ),
                ),
                (
                    "phase",
                    models.TextField(
                        blank=True,
                        choices=[
                            ("listing", "listing tables"),
                            ("reading", "reading columns and keys"),
                            ("relating", "relating tables"),
                            ("sampling", "reading samples"),
                        ],
                        db_default="",
                        default="",
                        verbose_name="phase",
                    ),
                ),
                (
                    "table_name",
                    models.TextField(blank=True, db_default="", default="", verbose_name="table"),
                ),
                ("done_count", models.IntegerField(db_default=0, default=0, verbose_name="done")),
                ("total_count", models.IntegerField(db_default=0, default=0, verbose_name="of")),
                ("new_count", models.IntegerField(db_default=0, default=0, verbose_name="new")),
                (
                    "changed_count",
                    models.IntegerField(db_default=0, default=0, verbose_name="changed"),
                ),
                ("gone_count", models.IntegerField(db_default=0, default=0, verbose_name="gone")),
                (
                    "error",
                    models.TextField(blank=True, db_default="", default="", verbose_name="error"),
                ),
                (
                    "warnings",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="warnings"
                    ),
                ),
                (
                    "is_cancel_wanted",
                    models.BooleanField(db_default=False, default=False, editable=False),
                ),
                (
                    "requested_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="requested by"
                    ),
                ),
                (
                    "requested_at",
                    models.DateTimeField(
                        auto_now_add=True,
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="requested",
                    ),
                ),
                (
                    "started_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="started"),
                ),
                ("heartbeat_at", models.DateTimeField(editable=False, null=True)),
                (
                    "finished_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="finished"),
                ),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="scans",
                        to="catalog.datasource",
                        verbose_name="data source",
                    ),
                ),
            ],
            options={
                "verbose_name": "scan",
                "verbose_name_plural": "scans",
                "db_table": "h_catalog_scan",
                "ordering": ["-id"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["queued", "running"])),
                        fields=("source",),
                        name="h_catalog_scan_active",
                        nulls_distinct=False,
                    )
                ],
            },
        ),
    ]
