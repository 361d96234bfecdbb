"""What is edited and what was published. Versions cannot be changed, and outlive their tool."""

import uuid

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from access.foreign_keys import on_delete

REFUSE_CHANGES = """
CREATE FUNCTION toolbuilder_refuse_version_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    -- A deleted tool leaves its versions behind: that alone may change, and nothing beside it.
    IF NEW.tool_id IS NULL AND to_jsonb(NEW) - 'tool_id' = to_jsonb(OLD) - 'tool_id' THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a version of a tool cannot be changed; publish a new one'
        USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER refuse_change BEFORE UPDATE ON h_custom_tool_version
FOR EACH ROW EXECUTE FUNCTION toolbuilder_refuse_version_change();
"""
ALLOW_CHANGES = "DROP FUNCTION toolbuilder_refuse_version_change() CASCADE;"
LINKS = (
    ("CASCADE", "h_custom_tool_draft", "tool_id", "h_custom_tool"),
    ("SET NULL", "h_custom_tool_version", "tool_id", "h_custom_tool"),
    ("CASCADE", "h_custom_tool_trial", "tool_id", "h_custom_tool"),
    ("CASCADE", "h_custom_tool_trial", "draft_id", "h_custom_tool_draft"),
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("tools", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="SearchQuestion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField(unique=True, verbose_name="question")),
                (
                    "language",
                    models.CharField(
                        db_default="other", default="other", max_length=5, verbose_name="language"
                    ),
                ),
                (
                    "expected",
                    models.JSONField(
                        blank=True, db_default=[], default=list, verbose_name="expected tools"
                    ),
                ),
                (
                    "created_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="created by"
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="created"
                    ),
                ),
            ],
            options={
                "verbose_name": "search question",
                "verbose_name_plural": "search questions",
                "db_table": "h_search_question",
                "ordering": ["-created_at", "-id"],
            },
        ),
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
                ("edited_in", models.TextField(db_default="", default="", editable=False)),
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
                (
                    "tool",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="draft",
                        to="tools.tooldefinition",
                        verbose_name="tool",
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
            name="ToolTrial",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("username", models.TextField(verbose_name="user name")),
                (
                    "at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), verbose_name="at"
                    ),
                ),
                ("arguments", models.JSONField(default=dict, verbose_name="arguments")),
                (
                    "error",
                    models.TextField(blank=True, db_default="", default="", verbose_name="error"),
                ),
                ("error_message", models.JSONField(editable=False, null=True)),
                ("row_count", models.PositiveIntegerField(null=True, verbose_name="rows")),
                (
                    "duration_ms",
                    models.FloatField(db_default=0.0, default=0.0, verbose_name="duration"),
                ),
                (
                    "tokens",
                    models.PositiveIntegerField(db_default=0, default=0, verbose_name="tokens"),
                ),
                ("logic_hash", models.TextField(db_default="", default="", editable=False)),
                (
                    "draft",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trials",
                        to="toolbuilder.tooldraft",
                        verbose_name="draft",
                    ),
                ),
                (
                    "tool",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trials",
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
            ],
            options={
                "verbose_name": "test run",
                "verbose_name_plural": "test runs",
                "db_table": "h_custom_tool_trial",
                "ordering": ["-at", "-id"],
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
                (
                    "tool",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="versions",
                        to="tools.tooldefinition",
                        verbose_name="tool",
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
        migrations.AddIndex(
            model_name="tooldraft",
            index=models.Index(fields=["owner", "-updated_at"], name="h_custom_tool_draft_owner"),
        ),
        migrations.AddIndex(
            model_name="tooltrial",
            index=models.Index(fields=["tool", "username", "-id"], name="h_custom_tool_trial_tool"),
        ),
        migrations.AddIndex(
            model_name="tooltrial",
            index=models.Index(
                fields=["draft", "username", "-id"], name="h_custom_tool_trial_draft"
            ),
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
        migrations.RunSQL(REFUSE_CHANGES, ALLOW_CHANGES),
        *(on_delete(*link) for link in LINKS),
    ]
