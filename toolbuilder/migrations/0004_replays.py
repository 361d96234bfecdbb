"""Replays of recorded calls, and what each call gave."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from access.foreign_keys import on_delete


class Migration(migrations.Migration):
    dependencies = [
        ("toolbuilder", "0003_reviews"),
        ("tools", "0009_breaker"),
    ]

    operations = [
        migrations.CreateModel(
            name="ToolReplay",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("document", models.JSONField(verbose_name="document")),
                ("content_hash", models.TextField(editable=False)),
                ("served", models.JSONField(verbose_name="served document")),
                ("started_by", models.TextField(verbose_name="started by")),
                (
                    "started_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="started"
                    ),
                ),
                (
                    "state",
                    models.TextField(
                        choices=[("RUNNING", "running"), ("DONE", "done"), ("STOPPED", "stopped")],
                        default="RUNNING",
                        verbose_name="state",
                    ),
                ),
                ("requested", models.PositiveIntegerField(verbose_name="calls asked for")),
                ("found", models.PositiveIntegerField(default=0, verbose_name="calls found")),
                (
                    "not_kept",
                    models.PositiveIntegerField(default=0, verbose_name="calls without arguments"),
                ),
                (
                    "without_facts",
                    models.PositiveIntegerField(default=0, verbose_name="calls of unknown callers"),
                ),
                (
                    "recorded",
                    models.PositiveIntegerField(default=0, verbose_name="calls of 30 days"),
                ),
                (
                    "tool",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="replays",
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
            ],
            options={
                "verbose_name": "replay",
                "verbose_name_plural": "replays",
                "db_table": "h_tool_replay",
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="ReplayedCall",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("call_id", models.BigIntegerField(editable=False)),
                ("arguments", models.JSONField(verbose_name="arguments")),
                ("times", models.PositiveIntegerField(default=1, verbose_name="times")),
                ("key_id", models.TextField(db_default="", default="", verbose_name="key id")),
                ("caller", models.TextField(db_default="", default="", verbose_name="caller")),
                ("at", models.DateTimeField(verbose_name="at")),
                (
                    "is_callers_own",
                    models.BooleanField(
                        db_default=False, default=False, verbose_name="caller's own"
                    ),
                ),
                (
                    "result",
                    models.TextField(
                        choices=[
                            ("PENDING", "not run yet"),
                            ("FAILS_NOW", "fails now"),
                            ("DIFFERS", "differs"),
                            ("WORKS_NOW", "works now"),
                            ("STILL_FAILS", "still fails"),
                            ("SAME", "same"),
                        ],
                        default="PENDING",
                        verbose_name="result",
                    ),
                ),
                ("what_message", models.JSONField(editable=False, null=True)),
                ("difference", models.JSONField(null=True, verbose_name="difference")),
                ("old_ms", models.FloatField(null=True, verbose_name="milliseconds before")),
                ("new_ms", models.FloatField(null=True, verbose_name="milliseconds after")),
                (
                    "old_tokens",
                    models.PositiveIntegerField(null=True, verbose_name="tokens before"),
                ),
                ("new_tokens", models.PositiveIntegerField(null=True, verbose_name="tokens after")),
                (
                    "replay",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="calls",
                        to="toolbuilder.toolreplay",
                        verbose_name="replay",
                    ),
                ),
            ],
            options={
                "verbose_name": "replayed call",
                "verbose_name_plural": "replayed calls",
                "db_table": "h_tool_replay_call",
                "ordering": ["-at", "id"],
            },
        ),
        migrations.AddIndex(
            model_name="toolreplay",
            index=models.Index(fields=["tool", "content_hash", "-id"], name="h_tool_replay_of"),
        ),
        migrations.AddIndex(
            model_name="replayedcall",
            index=models.Index(fields=["replay", "result"], name="h_tool_replay_call_of"),
        ),
        on_delete("CASCADE", "h_tool_replay", "tool_id", "h_custom_tool"),
        on_delete("CASCADE", "h_tool_replay_call", "replay_id", "h_tool_replay"),
    ]
