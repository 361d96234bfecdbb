"""Issuers may be asked about opaque tokens."""

from django.db import migrations, models

import access.encryption
import access.issuers.models


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0015_duration_day"),
    ]

    operations = [
        migrations.AddField(
            model_name="tokenissuer",
            name="introspection_url",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                max_length=500,
                validators=[access.issuers.models.check_issuer_url],
                verbose_name="introspection endpoint",
            ),
        ),
        migrations.AddField(
            model_name="tokenissuer",
            name="introspection_client_id",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                max_length=200,
                verbose_name="client id for introspection",
            ),
        ),
        migrations.AddField(
            model_name="tokenissuer",
            name="introspection_secret",
            field=access.encryption.EncryptedField(
                blank=True,
                db_default="",
                default="",
                editable=False,
                verbose_name="stored secret for introspection",
            ),
        ),
        migrations.AddField(
            model_name="tokenissuer",
            name="opaque_prefix",
            field=models.CharField(
                blank=True,
                db_default="",
                default="",
                max_length=100,
                verbose_name="beginning of opaque tokens",
            ),
        ),
    ]
