"""Durations of a day stand apart from its calls: each is a few rows where both together were many."""

from django.db import migrations, models

_CALLS = """
CREATE TABLE h_call_day_before AS TABLE h_call_day;
TRUNCATE h_call_day;
"""
_BOTH = """
INSERT INTO h_call_day (day, tool_name, outcome, calls, truncated, total_ms)
SELECT day, tool_name, outcome, sum(calls), sum(truncated), sum(total_ms)
FROM h_call_day_before GROUP BY 1, 2, 3;
INSERT INTO h_duration_day (tool_name, day, bucket, calls)
SELECT coalesce(tool_name, '*'), day, bucket, sum(calls)
FROM h_call_day_before GROUP BY GROUPING SETS ((day, bucket, tool_name), (day, bucket));
DROP TABLE h_call_day_before;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0014_called_as"),
    ]

    operations = [
        migrations.RunSQL(_CALLS),
        migrations.DeleteModel(name="CallDay"),
        migrations.CreateModel(
            name="CallDay",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        *("day", "tool_name", "outcome"),
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("day", models.DateField(editable=False)),
                ("tool_name", models.TextField(editable=False)),
                ("outcome", models.CharField(editable=False, max_length=20)),
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
            name="DurationDay",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        *("tool_name", "day", "bucket"),
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("tool_name", models.TextField(editable=False)),
                ("day", models.DateField(editable=False)),
                ("bucket", models.SmallIntegerField(editable=False)),
                ("calls", models.IntegerField(editable=False)),
            ],
            options={
                "verbose_name": "durations of a day",
                "verbose_name_plural": "durations of days",
                "db_table": "h_duration_day",
            },
        ),
        migrations.RunSQL(_BOTH),
    ]
