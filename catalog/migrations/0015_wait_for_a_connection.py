"""Calls wait for a connection by time, not by number."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("catalog", "0014_mcp_servers")]

    operations = [
        migrations.AddField(
            model_name="datasource",
            name="max_wait_ms",
            field=models.PositiveIntegerField(
                verbose_name="longest wait for a connection, ms",
                default=5_000,
                db_default=5_000,
                validators=[
                    django.core.validators.MinValueValidator(1),
                    django.core.validators.MaxValueValidator(3_600_000),
                ],
                help_text=(
                    "Callers take turns; then they are told to retry. It counts as time of the tool."
                ),
            ),
        ),
        migrations.RemoveField(model_name="datasource", name="max_waiting"),
    ]
