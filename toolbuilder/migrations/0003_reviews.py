"""Reviews of drafts and what was written in them; a version keeps who reviewed it."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from access.audit.triggers import audited
from access.foreign_keys import on_delete


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0012_toolset_review"),
        ("toolbuilder", "0002_cases"),
        ("tools", "0009_breaker"),
    ]

    operations = [
        migrations.AddField(
            model_name="tooldraft",
            name="authors",
            field=models.JSONField(db_default=[], default=list, editable=False),
        ),
        migrations.AddField(
            model_name="toolversion",
            name="reviewed_by",
            field=models.TextField(db_default="", default="", verbose_name="reviewed by"),
        ),
        migrations.CreateModel(
            name="ToolReview",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("name", models.TextField(verbose_name="name")),
                ("tags", models.JSONField(db_default=[], default=list, verbose_name="tags")),
                ("document", models.JSONField(verbose_name="document")),
                ("content_hash", models.TextField(editable=False)),
                ("base_hash", models.TextField(db_default="", default="", editable=False)),
                ("authors", models.JSONField(db_default=[], default=list, verbose_name="authors")),
                (
                    "state",
                    models.TextField(
                        choices=[
                            ("WAITING", "waiting"),
                            ("SENT_BACK", "sent back"),
                            ("APPROVED", "approved"),
                            ("PUBLISHED", "published"),
                            ("WITHDRAWN", "withdrawn"),
                        ],
                        default="WAITING",
                        verbose_name="state",
                    ),
                ),
                (
                    "note",
                    models.TextField(blank=True, db_default="", default="", verbose_name="note"),
                ),
                ("asked_by", models.TextField(verbose_name="asked by")),
                (
                    "asked_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="asked"
                    ),
                ),
                (
                    "decided_by",
                    models.TextField(db_default="", default="", verbose_name="decided by"),
                ),
                ("decided_at", models.DateTimeField(null=True, verbose_name="decided")),
                (
                    "reason",
                    models.TextField(blank=True, db_default="", default="", verbose_name="reason"),
                ),
                (
                    "old_names_days",
                    models.PositiveIntegerField(
                        db_default=0, default=0, verbose_name="days for which old names answer"
                    ),
                ),
                ("version_number", models.PositiveIntegerField(null=True, verbose_name="version")),
                (
                    "draft",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="reviews",
                        to="toolbuilder.tooldraft",
                        verbose_name="draft",
                    ),
                ),
                (
                    "tool",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reviews",
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
            ],
            options={
                "verbose_name": "review",
                "verbose_name_plural": "reviews",
                "db_table": "h_tool_review",
                "ordering": ["-asked_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="ReviewComment",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "kind",
                    models.TextField(
                        choices=[
                            ("COMMENT", "wrote"),
                            ("ASKED", "asked for review"),
                            ("SENT_BACK", "sent it back"),
                            ("APPROVED", "approved it"),
                            ("PUBLISHED", "approved and published it"),
                            ("WITHDRAWN", "withdrew it"),
                        ],
                        default="COMMENT",
                        verbose_name="kind",
                    ),
                ),
                ("author", models.TextField(verbose_name="author")),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="at"
                    ),
                ),
                (
                    "text",
                    models.TextField(blank=True, db_default="", default="", verbose_name="text"),
                ),
                ("line", models.PositiveIntegerField(null=True, verbose_name="line")),
                ("content_hash", models.TextField(db_default="", default="", editable=False)),
                (
                    "resolved_by",
                    models.TextField(db_default="", default="", verbose_name="resolved by"),
                ),
                (
                    "parent",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="replies",
                        to="toolbuilder.reviewcomment",
                        verbose_name="answer to",
                    ),
                ),
                (
                    "review",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comments",
                        to="toolbuilder.toolreview",
                        verbose_name="review",
                    ),
                ),
            ],
            options={
                "verbose_name": "comment of a review",
                "verbose_name_plural": "comments of reviews",
                "db_table": "h_tool_review_comment",
                "ordering": ["id"],
            },
        ),
        migrations.AddIndex(
            model_name="toolreview",
            index=models.Index(fields=["state", "-asked_at"], name="h_tool_review_state"),
        ),
        migrations.AddConstraint(
            model_name="toolreview",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["WAITING", "SENT_BACK", "APPROVED"])),
                fields=("draft",),
                name="h_tool_review_once",
            ),
        ),
        on_delete("CASCADE", "h_tool_review", "tool_id", "h_custom_tool"),
        on_delete("SET NULL", "h_tool_review", "draft_id", "h_custom_tool_draft"),
        on_delete("CASCADE", "h_tool_review_comment", "review_id", "h_tool_review"),
        on_delete("CASCADE", "h_tool_review_comment", "parent_id", "h_tool_review_comment"),
        audited("h_tool_review"),
    ]
