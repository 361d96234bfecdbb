"""Working copies and versions of tools, and the columns that tell of the newest version."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0011_cascade_of_the_catalogue"),
        ("toolbuilder", "0010_judge_after_scans"),
    ]

    operations = [
        migrations.CreateModel(
            name="ToolDraft",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "uid",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, unique=True, verbose_name="id"
                    ),
                ),
                (
                    "name",
                    models.TextField(blank=True, db_default="", default="", verbose_name="name"),
                ),
                ("document", models.JSONField(verbose_name="document")),
                ("content_hash", models.TextField(db_default="", default="", editable=False)),
                ("base_version_hash", models.TextField(db_default="", default="", editable=False)),
                (
                    "revision",
                    models.PositiveIntegerField(db_default=1, default=1, verbose_name="revision"),
                ),
                ("owner", models.TextField(db_default="", default="", verbose_name="owner")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created"
                    ),
                ),
                (
                    "updated_at",
                    models.DateTimeField(
                        auto_now=True,
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="updated",
                    ),
                ),
            ],
            options={
                "verbose_name": "draft",
                "verbose_name_plural": "drafts",
                "db_table": "h_custom_tool_draft",
                "ordering": ["-updated_at"],
            },
        ),
        migrations.CreateModel(
            name="ToolVersion",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("tool_name", models.TextField(db_index=True, verbose_name="name")),
                ("number", models.PositiveIntegerField(verbose_name="version")),
                ("document", models.JSONField(verbose_name="document")),
                ("content_hash", models.TextField(editable=False)),
                (
                    "origin",
                    models.TextField(
                        choices=[
                            ("PUBLISHED", "published"),
                            ("RESTORED", "restored"),
                            ("SAVED", "saved in the back office"),
                            ("IMPORTED", "imported"),
                            ("LOADED", "ready tool"),
                            ("OUTSIDE", "written outside"),
                        ],
                        default="PUBLISHED",
                        verbose_name="origin",
                    ),
                ),
                (
                    "note",
                    models.TextField(blank=True, db_default="", default="", verbose_name="note"),
                ),
                (
                    "published_by",
                    models.TextField(db_default="", default="", verbose_name="published by"),
                ),
                (
                    "published_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="published",
                    ),
                ),
                (
                    "restored_from",
                    models.PositiveIntegerField(null=True, verbose_name="restored from version"),
                ),
                (
                    "is_judged",
                    models.BooleanField(
                        db_default=False, default=False, verbose_name="checked by its database"
                    ),
                ),
            ],
            options={
                "verbose_name": "version",
                "verbose_name_plural": "versions",
                "db_table": "h_custom_tool_version",
                "ordering": ["-number"],
            },
        ),
        migrations.AddField(
            model_name="tooldefinition",
            name="archived_at",
            field=models.DateTimeField(editable=False, null=True, verbose_name="archived"),
        ),
        migrations.AddField(
            model_name="tooldefinition",
            name="content_hash",
            field=models.TextField(db_default="", default="", editable=False),
        ),
        migrations.AddField(
            model_name="tooldefinition",
            name="version",
            field=models.PositiveIntegerField(
                db_default=0, default=0, editable=False, verbose_name="version"
            ),
        ),
        migrations.AddConstraint(
            model_name="tooldefinition",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("archived_at", None),
                    models.Q(("is_active", True), _negated=True),
                    _connector="OR",
                ),
                name="h_custom_tool_archived_is_inactive",
                violation_error_message="An archived tool cannot be active; restore it first.",
            ),
        ),
        migrations.AddField(
            model_name="tooldraft",
            name="tool",
            field=models.OneToOneField(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="draft",
                to="toolbuilder.tooldefinition",
                verbose_name="tool",
            ),
        ),
        migrations.AddField(
            model_name="toolversion",
            name="tool",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="versions",
                to="toolbuilder.tooldefinition",
                verbose_name="tool",
            ),
        ),
        migrations.AddIndex(
            model_name="tooldraft",
            index=models.Index(fields=["owner", "-updated_at"], name="h_custom_tool_draft_owner"),
        ),
        migrations.AddConstraint(
            model_name="toolversion",
            constraint=models.UniqueConstraint(
                fields=("tool", "number"), name="h_custom_tool_version_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="toolversion",
            constraint=models.CheckConstraint(
                condition=models.Q(("number__gte", 1)), name="h_custom_tool_version_from_1"
            ),
        ),
    ]
