"""Tools that rest after too many errors: the rule in their row, and in which runtimes they rest."""

from django.core.validators import MinValueValidator
from django.db import migrations, models
from django.db.models import CASCADE
from django.db.models.functions import Now

from access.foreign_keys import on_delete

_AT_LEAST_ONE = [MinValueValidator(1)]
_HELP = (
    "After so many failures of its data source, and time-outs, within the minutes beside, the"
    " tool rests for 30 seconds; then one call tries it. Empty: it never rests."
)


class Migration(migrations.Migration):
    dependencies = [("tools", "0008_issuers"), ("access", "0003_limits")]

    operations = [
        migrations.AddField(
            "tooldefinition",
            "breaker_errors",
            models.PositiveIntegerField(
                blank=True,
                help_text=_HELP,
                null=True,
                validators=_AT_LEAST_ONE,
                verbose_name="errors until it rests",
            ),
        ),
        migrations.AddField(
            "tooldefinition",
            "breaker_minutes",
            models.PositiveIntegerField(
                blank=True,
                null=True,
                validators=_AT_LEAST_ONE,
                verbose_name="within so many minutes",
            ),
        ),
        migrations.CreateModel(
            "RestingTool",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("since", models.DateTimeField(db_default=Now(), verbose_name="since")),
                (
                    "tool",
                    models.ForeignKey(
                        "tools.tooldefinition",
                        verbose_name="tool",
                        related_name="rests",
                        on_delete=CASCADE,
                    ),
                ),
                (
                    "runtime",
                    models.ForeignKey(
                        "access.runtimeinstance",
                        verbose_name="runtime",
                        related_name="resting_tools",
                        on_delete=CASCADE,
                    ),
                ),
            ],
            options={
                "db_table": "h_custom_tool_rest",
                "verbose_name": "resting tool",
                "verbose_name_plural": "resting tools",
                "constraints": [
                    models.UniqueConstraint(
                        fields=["tool", "runtime"], name="h_custom_tool_rest_once"
                    )
                ],
            },
        ),
        on_delete("CASCADE", "h_custom_tool_rest", "tool_id", "h_custom_tool"),
        on_delete("CASCADE", "h_custom_tool_rest", "runtime_id", "h_runtime_instance"),
    ]
