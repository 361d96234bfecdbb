"""Figures of whole days, so that those of months are read at once and outlive the calls."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0005_call_partitions"),
    ]

    operations = [
        migrations.CreateModel(
            name="CallDay",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        *("day", "tool_name", "outcome", "bucket"),
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("day", models.DateField(editable=False)),
                ("tool_name", models.TextField(editable=False)),
                ("outcome", models.CharField(editable=False, max_length=20)),
                ("bucket", models.SmallIntegerField(editable=False)),
                ("calls", models.IntegerField(editable=False)),
                ("truncated", models.IntegerField(db_default=0, default=0, editable=False)),
                ("total_ms", models.FloatField(editable=False)),
            ],
            options={
                "verbose_name": "calls of a day",
                "verbose_name_plural": "calls of days",
                "db_table": "h_call_day",
            },
        ),
        migrations.CreateModel(
            name="CallerDay",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        *("day", "key_id", "caller", "client_name"),
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("day", models.DateField(editable=False)),
                ("key_id", models.CharField(editable=False, max_length=8)),
                ("caller", models.TextField(editable=False)),
                ("client_name", models.TextField(editable=False)),
                ("calls", models.IntegerField(editable=False)),
                ("errors", models.IntegerField(editable=False)),
                ("total_ms", models.FloatField(editable=False)),
            ],
            options={
                "verbose_name": "caller of a day",
                "verbose_name_plural": "callers of days",
                "db_table": "h_caller_day",
            },
        ),
    ]
