"""Limits: their rows, what is used of them, and how PostgreSQL counts while Redis is away."""

import django.db.models.functions.datetime
from django.db import migrations, models

# 0 where every window had a permit left and each gave one; the number, from 1, of the first that had
# none; -1 where PostgreSQL does not count any more. Rows are locked in the order of their keys.
_TAKE = """
CREATE FUNCTION toolbuilder_take_permits(windows text[], most bigint[], ends timestamptz[])
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    over integer;
BEGIN
    PERFORM FROM h_mcp_tool_limit_state WHERE id = 1 AND in_postgres FOR SHARE;
    IF NOT FOUND THEN
        RETURN -1;
    END IF;
    INSERT INTO h_mcp_tool_limit_count (key, ends_at)
    SELECT DISTINCT * FROM unnest(windows, ends) ORDER BY 1 ON CONFLICT DO NOTHING;
    PERFORM FROM h_mcp_tool_limit_count WHERE key = ANY(windows) ORDER BY key FOR UPDATE;
    SELECT min(number) INTO over
    FROM unnest(windows, most) WITH ORDINALITY AS asked (name, permits, number)
    JOIN h_mcp_tool_limit_count AS counted ON counted.key = asked.name
    WHERE counted.used + coalesce(
        (SELECT sum(tally.used) FROM h_mcp_tool_limit_tally AS tally WHERE tally.key = asked.name), 0
    ) >= asked.permits;
    IF over IS NOT NULL THEN
        RETURN over;
    END IF;
    UPDATE h_mcp_tool_limit_count SET used = used + 1 WHERE key = ANY(windows);
    RETURN 0;
END $$;
"""
_DROP = "DROP FUNCTION toolbuilder_take_permits(text[], bigint[], timestamptz[]);"


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0002_toolsets"),
    ]

    operations = [
        migrations.CreateModel(
            name="LimitCount",
            fields=[
                ("key", models.TextField(primary_key=True, serialize=False)),
                ("used", models.BigIntegerField(db_default=0, default=0, editable=False)),
                ("ends_at", models.DateTimeField(db_index=True, editable=False)),
            ],
            options={
                "db_table": "h_mcp_tool_limit_count",
                "verbose_name": "counted calls",
                "verbose_name_plural": "counted calls",
            },
        ),
        migrations.CreateModel(
            name="LimitState",
            fields=[
                (
                    "id",
                    models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False),
                ),
                ("generation", models.BigIntegerField(db_default=1, default=1, editable=False)),
                (
                    "in_postgres",
                    models.BooleanField(db_default=False, default=False, editable=False),
                ),
            ],
            options={
                "db_table": "h_mcp_tool_limit_state",
                "verbose_name": "state of the counting",
                "verbose_name_plural": "states of the counting",
            },
        ),
        migrations.CreateModel(
            name="ToolLimit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "target_type",
                    models.CharField(
                        choices=[
                            ("USER", "user"),
                            ("KEY", "key"),
                            ("TOOL", "tool"),
                            ("ALL", "everybody"),
                        ],
                        max_length=20,
                        verbose_name="for",
                    ),
                ),
                ("target_id", models.TextField(blank=True, null=True, verbose_name="who")),
                ("tool_name", models.TextField(blank=True, null=True, verbose_name="tool")),
                (
                    "max_count",
                    models.IntegerField(blank=True, null=True, verbose_name="calls a day"),
                ),
                (
                    "per_minute",
                    models.IntegerField(blank=True, null=True, verbose_name="calls a minute"),
                ),
                (
                    "at_once",
                    models.IntegerField(blank=True, null=True, verbose_name="calls at once"),
                ),
                (
                    "max_rows",
                    models.BigIntegerField(blank=True, null=True, verbose_name="rows a day"),
                ),
                (
                    "max_bytes",
                    models.BigIntegerField(blank=True, null=True, verbose_name="bytes a day"),
                ),
                (
                    "max_db_seconds",
                    models.IntegerField(
                        blank=True, null=True, verbose_name="seconds in data sources a day"
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(db_default=True, default=True, verbose_name="active"),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        auto_now_add=True,
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="created",
                    ),
                ),
            ],
            options={
                "verbose_name": "limit",
                "verbose_name_plural": "limits",
                "db_table": "h_mcp_tool_limit",
                "ordering": ["target_type", "target_id", "tool_name", "id"],
            },
        ),
        migrations.AlterField(
            model_name="callrecord",
            name="outcome",
            field=models.CharField(
                choices=[
                    ("ok", "ok"),
                    ("invalid_arguments", "invalid arguments"),
                    ("unknown_tool", "unknown tool"),
                    ("tool_error", "tool error"),
                    ("timeout", "time-out"),
                    ("busy", "busy"),
                    ("unavailable", "data source unavailable"),
                    ("limited", "over a limit"),
                    ("cancelled", "cancelled"),
                    ("internal_error", "internal error"),
                ],
                max_length=20,
                verbose_name="outcome",
            ),
        ),
        migrations.CreateModel(
            name="LimitTally",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.TextField(editable=False)),
                ("runtime_id", models.UUIDField(editable=False)),
                ("used", models.BigIntegerField(db_default=0, default=0, editable=False)),
                ("ends_at", models.DateTimeField(db_index=True, editable=False)),
            ],
            options={
                "db_table": "h_mcp_tool_limit_tally",
                "verbose_name": "tally",
                "verbose_name_plural": "tallies",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("key", "runtime_id"), name="h_mcp_tool_limit_tally_once"
                    )
                ],
            },
        ),
        migrations.RunSQL(_TAKE, _DROP),
    ]
