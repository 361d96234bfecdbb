"""What is edited and what was published: drafts, trials, versions, cases, reviews, replays and the playground."""

import uuid

from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Now

from access.foreign_keys import on_delete
from toolbuilder.migrations import sql

_ID = (
    "id",
    models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID"),
)


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("access", "0001_initial"),
        ("tools", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
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
                ("edited_in", models.TextField(db_default="", default="", editable=False)),
                ("owner", models.TextField(db_default="", default="", verbose_name="owner")),
                ("created_at", models.DateTimeField(db_default=Now(), verbose_name="created")),
                (
                    "updated_at",
                    models.DateTimeField(auto_now=True, db_default=Now(), verbose_name="updated"),
                ),
                (
                    "tool",
                    models.OneToOneField(
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="draft",
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
                ("authors", models.JSONField(db_default=[], default=list, editable=False)),
            ],
            options={
                "verbose_name": "draft",
                "verbose_name_plural": "drafts",
                "db_table": "h_custom_tool_draft",
                "ordering": ["-updated_at"],
                "indexes": [
                    models.Index(fields=["owner", "-updated_at"], name="h_custom_tool_draft_owner")
                ],
            },
        ),
        migrations.CreateModel(
            name="ToolTrial",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("username", models.TextField(verbose_name="user name")),
                ("at", models.DateTimeField(db_default=Now(), verbose_name="at")),
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
                        on_delete=models.CASCADE,
                        related_name="trials",
                        to="toolbuilder.tooldraft",
                        verbose_name="draft",
                    ),
                ),
                (
                    "tool",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="trials",
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
                ("answer", models.TextField(db_default="", default="", editable=False)),
            ],
            options={
                "verbose_name": "test run",
                "verbose_name_plural": "test runs",
                "db_table": "h_custom_tool_trial",
                "ordering": ["-at", "-id"],
                "indexes": [
                    models.Index(
                        fields=["tool", "username", "-id"], name="h_custom_tool_trial_tool"
                    ),
                    models.Index(
                        fields=["draft", "username", "-id"], name="h_custom_tool_trial_draft"
                    ),
                ],
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
                ("published_at", models.DateTimeField(db_default=Now(), verbose_name="published")),
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
                        on_delete=models.SET_NULL,
                        related_name="versions",
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
                (
                    "cases",
                    models.JSONField(
                        db_default=[], default=list, editable=False, verbose_name="test cases"
                    ),
                ),
                (
                    "override_reason",
                    models.TextField(
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="published although a case was red",
                    ),
                ),
                (
                    "reviewed_by",
                    models.TextField(db_default="", default="", verbose_name="reviewed by"),
                ),
            ],
            options={
                "verbose_name": "version",
                "verbose_name_plural": "versions",
                "db_table": "h_custom_tool_version",
                "ordering": ["-number"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tool", "number"), name="h_custom_tool_version_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("number__gte", 1)), name="h_custom_tool_version_from_1"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ToolCase",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "tool",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="cases",
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
                (
                    "draft",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.CASCADE,
                        related_name="cases",
                        to="toolbuilder.tooldraft",
                        verbose_name="draft",
                    ),
                ),
                ("name", models.TextField(verbose_name="name")),
                ("document", models.JSONField(verbose_name="document")),
                ("golden", models.JSONField(null=True, verbose_name="golden answer")),
                ("content_hash", models.TextField(db_default="", default="", editable=False)),
                (
                    "created_by",
                    models.TextField(db_default="", default="", verbose_name="created by"),
                ),
                ("created_at", models.DateTimeField(db_default=Now(), verbose_name="created")),
                ("state", models.TextField(db_default="", default="", editable=False)),
                ("failure", models.TextField(db_default="", default="", editable=False)),
                ("failure_message", models.JSONField(editable=False, null=True)),
                ("difference", models.JSONField(editable=False, null=True)),
                ("answer", models.JSONField(editable=False, null=True)),
                ("elapsed_ms", models.FloatField(editable=False, null=True)),
                ("ran_at", models.DateTimeField(editable=False, null=True)),
                ("logic_hash", models.TextField(db_default="", default="", editable=False)),
            ],
            options={
                "verbose_name": "test case",
                "verbose_name_plural": "test cases",
                "db_table": "h_custom_tool_case",
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tool", "name"), name="h_custom_tool_case_of_tool"
                    ),
                    models.UniqueConstraint(
                        fields=("draft", "name"), name="h_custom_tool_case_of_draft"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("tool", None), ("draft", None), _connector="XOR"),
                        name="h_custom_tool_case_of_one",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="NightlyCases",
            fields=[
                (
                    "tool",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="nightly_cases",
                        serialize=False,
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
                (
                    "ran_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="last night"),
                ),
                (
                    "red_count",
                    models.PositiveIntegerField(
                        db_default=0, default=0, editable=False, verbose_name="red"
                    ),
                ),
            ],
            options={
                "verbose_name": "nightly test cases",
                "verbose_name_plural": "nightly test cases",
                "db_table": "h_custom_tool_nightly",
            },
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
                ("asked_at", models.DateTimeField(db_default=Now(), verbose_name="asked")),
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
                        on_delete=models.SET_NULL,
                        related_name="reviews",
                        to="toolbuilder.tooldraft",
                        verbose_name="draft",
                    ),
                ),
                (
                    "tool",
                    models.ForeignKey(
                        null=True,
                        on_delete=models.CASCADE,
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
                "indexes": [
                    models.Index(fields=["state", "-asked_at"], name="h_tool_review_state")
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["WAITING", "SENT_BACK", "APPROVED"])),
                        fields=("draft",),
                        name="h_tool_review_once",
                    )
                ],
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
                ("at", models.DateTimeField(db_default=Now(), verbose_name="at")),
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
                        on_delete=models.CASCADE,
                        related_name="replies",
                        to="toolbuilder.reviewcomment",
                        verbose_name="answer to",
                    ),
                ),
                (
                    "review",
                    models.ForeignKey(
                        on_delete=models.CASCADE,
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
        migrations.CreateModel(
            name="ToolReplay",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("document", models.JSONField(verbose_name="document")),
                ("content_hash", models.TextField(editable=False)),
                ("served", models.JSONField(verbose_name="served document")),
                ("started_by", models.TextField(verbose_name="started by")),
                ("started_at", models.DateTimeField(db_default=Now(), verbose_name="started")),
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
                        on_delete=models.CASCADE,
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
                "indexes": [
                    models.Index(fields=["tool", "content_hash", "-id"], name="h_tool_replay_of")
                ],
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
                        on_delete=models.CASCADE,
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
                "indexes": [
                    models.Index(fields=["replay", "result"], name="h_tool_replay_call_of")
                ],
            },
        ),
        migrations.CreateModel(
            name="ToolFile",
            fields=[
                (
                    "tool",
                    models.OneToOneField(
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="file",
                        serialize=False,
                        to="tools.tooldefinition",
                    ),
                ),
                ("owner", models.TextField(db_default="", default="", editable=False)),
                ("path", models.TextField(editable=False)),
                ("content_hash", models.TextField(editable=False)),
                ("applied_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("applied_by", models.TextField(db_default="", default="", editable=False)),
            ],
            options={
                "db_table": "h_custom_tool_file",
                "indexes": [models.Index(fields=["owner"], name="h_custom_tool_file_owner")],
            },
        ),
        migrations.CreateModel(
            name="SearchQuestion",
            fields=[
                _ID,
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
                ("created_at", models.DateTimeField(db_default=Now(), verbose_name="created")),
            ],
            options={
                "verbose_name": "search question",
                "verbose_name_plural": "search questions",
                "db_table": "h_search_question",
                "ordering": ["-created_at", "-id"],
            },
        ),
        migrations.CreateModel(
            name="SearchMeasurement",
            fields=[
                _ID,
                ("at", models.DateTimeField(db_default=Now(), verbose_name="at")),
                (
                    "kind",
                    models.TextField(
                        choices=[
                            ("FIRST", "First"),
                            ("TOOLS", "Tools"),
                            ("GLOSSARY", "Glossary"),
                            ("PROFILE", "Profile"),
                        ],
                        default="TOOLS",
                        editable=False,
                    ),
                ),
                ("registry", models.BigIntegerField(editable=False)),
                ("glossary", models.TextField(editable=False)),
                ("profile", models.TextField(editable=False)),
                ("state", models.TextField(db_default="", default="", editable=False)),
                ("version_id", models.BigIntegerField(db_default=0, default=0, editable=False)),
                ("causes", models.JSONField(db_default=[], default=list, editable=False)),
                (
                    "cause_count",
                    models.PositiveIntegerField(db_default=0, default=0, editable=False),
                ),
                ("outcomes", models.JSONField(db_default={}, default=dict, editable=False)),
                ("moves", models.JSONField(db_default={}, default=dict, editable=False)),
                ("parts", models.JSONField(db_default={}, default=dict, editable=False)),
                (
                    "degraded_count",
                    models.PositiveIntegerField(db_default=0, default=0, editable=False),
                ),
            ],
            options={
                "verbose_name": "measurement of saved questions",
                "verbose_name_plural": "measurements of saved questions",
                "db_table": "h_search_measurement",
                "ordering": ["-id"],
            },
        ),
        migrations.CreateModel(
            name="PlaygroundChat",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "state",
                    models.TextField(
                        choices=[
                            ("RUNNING", "running"),
                            ("DONE", "done"),
                            ("STOPPED", "stopped"),
                            ("FAILED", "failed"),
                        ],
                        default="DONE",
                        editable=False,
                        verbose_name="state",
                    ),
                ),
                ("revision", models.PositiveIntegerField(db_default=1, default=1, editable=False)),
                ("held_until", models.DateTimeField(editable=False, null=True)),
                ("model", models.TextField(editable=False, verbose_name="language model")),
                (
                    "toolset",
                    models.TextField(
                        db_default="", default="", editable=False, verbose_name="toolset"
                    ),
                ),
                ("owner", models.TextField(editable=False, verbose_name="owner")),
                ("title", models.TextField(editable=False, verbose_name="title")),
                ("entries", models.JSONField(db_default=[], default=list, editable=False)),
                (
                    "started_at",
                    models.DateTimeField(db_default=Now(), editable=False, verbose_name="started"),
                ),
                (
                    "used_at",
                    models.DateTimeField(
                        db_default=Now(), editable=False, verbose_name="last used"
                    ),
                ),
            ],
            options={
                "verbose_name": "chat of the playground",
                "verbose_name_plural": "chats of the playground",
                "db_table": "h_playground_chat",
                "ordering": ["-used_at", "-id"],
                "indexes": [
                    models.Index(fields=["owner", "-used_at"], name="h_playground_chat_owner")
                ],
            },
        ),
        migrations.CreateModel(
            name="PlaygroundQuestion",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("set_name", models.TextField(verbose_name="set of questions")),
                ("text", models.TextField(verbose_name="question")),
                (
                    "language",
                    models.CharField(
                        db_default="other", default="other", max_length=5, verbose_name="language"
                    ),
                ),
                (
                    "expected",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="expected tool"
                    ),
                ),
                (
                    "arguments",
                    models.JSONField(blank=True, null=True, verbose_name="expected arguments"),
                ),
                (
                    "created_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="created by"
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=Now(), verbose_name="created")),
            ],
            options={
                "verbose_name": "question of the playground",
                "verbose_name_plural": "questions of the playground",
                "db_table": "h_playground_question",
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("set_name", "text"), name="h_playground_question_once"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="PlaygroundRun",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "state",
                    models.TextField(
                        choices=[
                            ("RUNNING", "running"),
                            ("DONE", "done"),
                            ("STOPPED", "stopped"),
                            ("FAILED", "failed"),
                        ],
                        default="DONE",
                        editable=False,
                        verbose_name="state",
                    ),
                ),
                ("revision", models.PositiveIntegerField(db_default=1, default=1, editable=False)),
                ("held_until", models.DateTimeField(editable=False, null=True)),
                ("model", models.TextField(editable=False, verbose_name="language model")),
                (
                    "toolset",
                    models.TextField(
                        db_default="", default="", editable=False, verbose_name="toolset"
                    ),
                ),
                ("set_name", models.TextField(editable=False, verbose_name="set of questions")),
                ("verdicts", models.JSONField(db_default=[], default=list, editable=False)),
                ("list_hash", models.TextField(db_default="", default="", editable=False)),
                ("fault", models.JSONField(editable=False, null=True)),
                ("started_by", models.TextField(editable=False, verbose_name="started by")),
                (
                    "started_at",
                    models.DateTimeField(db_default=Now(), editable=False, verbose_name="started"),
                ),
            ],
            options={
                "verbose_name": "run of the playground",
                "verbose_name_plural": "runs of the playground",
                "db_table": "h_playground_run",
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["set_name", "-id"], name="h_playground_run_of_set")
                ],
            },
        ),
        migrations.CreateModel(
            name="Preferences",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        editable=False,
                        on_delete=models.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("layout", models.JSONField(db_default={}, default=dict, editable=False)),
                ("tables", models.JSONField(db_default=[], default=list, editable=False)),
                ("filters", models.JSONField(db_default={}, default=dict, editable=False)),
            ],
            options={
                "db_table": "h_preferences",
            },
        ),
        migrations.RunSQL(sql.REFUSE_CHANGES_OF_VERSIONS, sql.ALLOW_CHANGES_OF_VERSIONS),
        *(on_delete(*link) for link in sql.LINKS),
        *sql.AUDITED,
    ]
