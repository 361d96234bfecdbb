"""Test cases of tools, kept with each version; a tool can be published although one is red, for a reason."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

from access.audit.triggers import audited
from access.foreign_keys import on_delete

_TOOL = "(SELECT name FROM h_custom_tool WHERE id = ($1->>'tool_id')::integer)"
# Arguments and answers are no business of the trail; that a case was changed shows in its hash.
_CONTENT = ("document", "golden")
_RESULT = (
    *("state", "failure", "failure_message", "difference", "answer", "elapsed_ms", "ran_at"),
    "logic_hash",
)
_ENTERED = (("INSERT", "NEW.override_reason <> ''"), ("DELETE", ""))


class Migration(migrations.Migration):
    dependencies = [
        ("toolbuilder", "0001_initial"),
        ("tools", "0009_breaker"),
        ("access", "0004_audit_trail"),
    ]

    operations = [
        migrations.AddField(
            model_name="toolversion",
            name="cases",
            field=models.JSONField(
                db_default=[], default=list, editable=False, verbose_name="test cases"
            ),
        ),
        migrations.AddField(
            model_name="toolversion",
            name="override_reason",
            field=models.TextField(
                db_default="",
                default="",
                editable=False,
                verbose_name="published although a case was red",
            ),
        ),
        migrations.CreateModel(
            name="ToolCase",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                (
                    "tool",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="cases",
                        to="tools.tooldefinition",
                        verbose_name="tool",
                    ),
                ),
                (
                    "draft",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
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
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="created",
                    ),
                ),
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
                        on_delete=django.db.models.deletion.CASCADE,
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
        on_delete("CASCADE", "h_custom_tool_case", "tool_id", "h_custom_tool"),
        on_delete("CASCADE", "h_custom_tool_case", "draft_id", "h_custom_tool_draft"),
        on_delete("CASCADE", "h_custom_tool_nightly", "tool_id", "h_custom_tool"),
        audited(
            "h_custom_tool_case",
            f"concat_ws(': ', {_TOOL}, $1->>'name')",
            ignored=[*_CONTENT, *_RESULT],
        ),
        audited("h_custom_tool_nightly", _TOOL, ignored=["ran_at", "red_count"]),
        audited(
            "h_custom_tool_version",
            "concat_ws(' ', $1->>'tool_name', $1->>'number')",
            ignored=["document", "cases", "content_hash", "is_judged"],
            events=_ENTERED,
        ),
    ]
