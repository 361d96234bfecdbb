"""The operations that the last document of an HTTP service had."""

import django.db.models.deletion
from django.db import migrations, models

from access.foreign_keys import on_delete


class Migration(migrations.Migration):
    dependencies = [("catalog", "0006_service_secrets")]

    operations = [
        migrations.CreateModel(
            "ServiceOperation",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        editable=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="operations",
                        to="catalog.datasource",
                        verbose_name="data source",
                    ),
                ),
                ("position", models.PositiveIntegerField(db_default=0, default=0, editable=False)),
                ("method", models.TextField(editable=False)),
                ("path", models.TextField(editable=False)),
                ("summary", models.TextField(db_default="", default="", editable=False)),
                ("tag", models.TextField(db_default="", default="", editable=False)),
                ("tool", models.JSONField(db_default={}, default=dict, editable=False)),
            ],
            {
                "db_table": "h_data_source_operation",
                "verbose_name": "operation of a service",
                "verbose_name_plural": "operations of services",
                "ordering": ["position"],
                "indexes": [
                    models.Index(
                        fields=["source", "position"], name="h_data_source_operation_order"
                    )
                ],
            },
        ),
        on_delete("CASCADE", "h_data_source_operation", "source_id", "h_data_source"),
    ]
