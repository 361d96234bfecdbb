"""Named secrets of HTTP services, which headers of tools name."""

import django.core.validators
import django.db.models.deletion
from django.db import migrations, models
from django.db.models.functions import Now

import access.encryption
from access.audit.triggers import audited
from access.foreign_keys import on_delete

_SOURCE = "(SELECT name FROM h_data_source WHERE id = ($1->>'source_id')::bigint)"


class Migration(migrations.Migration):
    dependencies = [("catalog", "0005_keep_allowed_hosts")]

    operations = [
        migrations.CreateModel(
            "ServiceSecret",
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
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="secrets",
                        to="catalog.datasource",
                        verbose_name="data source",
                    ),
                ),
                (
                    "name",
                    models.TextField(
                        validators=[
                            django.core.validators.RegexValidator(
                                r"^[a-z][a-z0-9_]{0,62}\Z",
                                "Write small letters, digits and _, beginning with a letter.",
                            )
                        ],
                        verbose_name="name",
                    ),
                ),
                (
                    "secret",
                    access.encryption.EncryptedField(editable=False, verbose_name="stored secret"),
                ),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=Now(), verbose_name="updated"),
                ),
            ],
            {
                "db_table": "h_data_source_secret",
                "verbose_name": "secret of a service",
                "verbose_name_plural": "secrets of services",
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["source", "name"], name="h_data_source_secret_once"
                    )
                ],
            },
        ),
        on_delete("CASCADE", "h_data_source_secret", "source_id", "h_data_source"),
        audited(
            "h_data_source_secret",
            f"concat_ws(' · ', {_SOURCE}, $1->>'name')",
            ignored=["updated_at"],
        ),
    ]
