"""Addresses and browsers from which people signed in are not held up by what others get wrong."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("access", "0009_keys_end_with_their_owner")]

    operations = [
        migrations.AddField(
            model_name="signinattempt",
            name="device",
            field=models.CharField(db_default="", default="", max_length=64, verbose_name="device"),
        ),
        migrations.CreateModel(
            name="KnownClient",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("username", models.CharField(max_length=150, verbose_name="user name")),
                ("mark", models.CharField(editable=False, max_length=64)),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="last sign-in",
                    ),
                ),
            ],
            options={
                "verbose_name": "known client",
                "verbose_name_plural": "known clients",
                "db_table": "h_known_client",
                "constraints": [
                    models.UniqueConstraint(fields=("username", "mark"), name="h_known_client_once")
                ],
            },
        ),
    ]
