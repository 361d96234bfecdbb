"""Chats with a language model, questions with the tool that is right for them, and runs of these."""

from typing import Any

from django.db import migrations, models
from django.db.models.functions import Now

_STATES = [
    ("RUNNING", "running"),
    ("DONE", "done"),
    ("STOPPED", "stopped"),
    ("FAILED", "failed"),
]


def _stepped() -> list[tuple[str, "models.Field[Any, Any]"]]:
    return [
        ("id", models.BigAutoField(primary_key=True, serialize=False)),
        (
            "state",
            models.TextField(choices=_STATES, default="DONE", editable=False, verbose_name="state"),
        ),
        ("revision", models.PositiveIntegerField(db_default=1, default=1, editable=False)),
        ("held_until", models.DateTimeField(editable=False, null=True)),
        ("model", models.TextField(editable=False, verbose_name="language model")),
        (
            "toolset",
            models.TextField(db_default="", default="", editable=False, verbose_name="toolset"),
        ),
    ]


class Migration(migrations.Migration):
    dependencies = [("toolbuilder", "0006_trial_answer")]

    operations = [
        migrations.CreateModel(
            name="PlaygroundChat",
            fields=[
                *_stepped(),
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
                "db_table": "h_playground_chat",
                "verbose_name": "chat of the playground",
                "verbose_name_plural": "chats of the playground",
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
                "db_table": "h_playground_question",
                "verbose_name": "question of the playground",
                "verbose_name_plural": "questions of the playground",
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
                *_stepped(),
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
                "db_table": "h_playground_run",
                "verbose_name": "run of the playground",
                "verbose_name_plural": "runs of the playground",
                "ordering": ["-id"],
                "indexes": [
                    models.Index(fields=["set_name", "-id"], name="h_playground_run_of_set")
                ],
            },
        ),
    ]
