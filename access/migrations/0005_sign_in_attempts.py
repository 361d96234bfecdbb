"""Sign-ins that failed are counted."""

import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("access", "0004_call_recorded_once")]

    operations = [
        migrations.CreateModel(
            name="SignInAttempt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("username", models.CharField(max_length=150, verbose_name="user name")),
                ("address", models.CharField(max_length=45, verbose_name="address")),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="at"
                    ),
                ),
            ],
            options={
                "verbose_name": "sign-in attempt",
                "verbose_name_plural": "sign-in attempts",
                "db_table": "h_sign_in_attempt",
                "indexes": [models.Index(fields=["at"], name="sign_in_attempt_at")],
            },
        ),
    ]
