"""Toolsets, and what a key may use beside named tools: toolsets, groups, its own SQL, networks; rotation."""

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import access.allowed_tools
import access.networks
from access.foreign_keys import on_delete

# The runtimes read a key again when one of these changes.
_BEFORE = "digest, allowed_tools, expires_at, revoked_at, owner_id, claims"
_SINCE = (
    f"{_BEFORE}, toolsets, builtin_groups, free_sql_sources, allowed_networks, previous_digest,"
    " previous_until"
)
_NOTIFY = """
DROP TRIGGER notify_changed_keys ON h_api_key;
CREATE TRIGGER notify_changed_keys AFTER UPDATE OF {columns}
ON h_api_key FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_notify_keys();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("access", "0001_initial"),
    ]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="allowed_networks",
            field=models.JSONField(
                blank=True,
                db_default=[],
                default=list,
                help_text='Addresses from which it may be used, as in ["10.0.0.0/8"]; [] is every one.',
                validators=[access.networks.check_networks],
                verbose_name="allowed networks",
            ),
        ),
        migrations.AddField(
            model_name="apikey",
            name="builtin_groups",
            field=models.JSONField(
                blank=True,
                db_default=[],
                default=list,
                help_text="Groups of built-in tools that it sees: embeddings, search, database, catalogue, utilities.",
                verbose_name="built-in groups",
            ),
        ),
        migrations.AddField(
            model_name="apikey",
            name="free_sql_sources",
            field=models.JSONField(
                blank=True,
                db_default=[],
                default=access.allowed_tools.every_tool,
                help_text='Data sources on which it may run SQL that it has written, as in ["main"]; ["*"] is every one, "" in the list the default one.',
                verbose_name="SQL of its own on",
            ),
        ),
        migrations.AddField(
            model_name="apikey",
            name="previous_digest",
            field=models.CharField(db_default="", default="", editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name="apikey",
            name="previous_until",
            field=models.DateTimeField(editable=False, null=True, verbose_name="former token ends"),
        ),
        migrations.AddField(
            model_name="apikey",
            name="toolsets",
            field=models.JSONField(
                blank=True,
                db_default=[],
                default=list,
                help_text="Names of the toolsets whose tools it sees.",
                verbose_name="toolsets",
            ),
        ),
        migrations.AlterField(
            model_name="apikey",
            name="allowed_tools",
            field=models.JSONField(
                blank=True,
                db_default=[],
                default=list,
                help_text='Names of the tools this key sees, as in ["sales_by_region"]; ["*"] is every tool.',
                validators=[access.allowed_tools.check_allowed_tools],
                verbose_name="allowed tools",
            ),
        ),
        migrations.AlterField(
            model_name="auditevent",
            name="action",
            field=models.TextField(
                choices=[
                    ("key.created", "made the key"),
                    ("key.changed", "changed the key"),
                    ("key.rotated", "gave the key a new token"),
                    ("key.revoked", "revoked the key"),
                    ("key.deleted", "deleted the key"),
                ],
                verbose_name="what",
            ),
        ),
        migrations.CreateModel(
            name="Toolset",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="The end of its address, such as sales-kr.",
                        max_length=64,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
                                "Use letters, digits, dots, dashes and underscores.",
                            )
                        ],
                        verbose_name="name",
                    ),
                ),
                (
                    "description",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="description"
                    ),
                ),
                (
                    "title",
                    models.CharField(
                        blank=True, db_default="", default="", max_length=100, verbose_name="title"
                    ),
                ),
                (
                    "tags",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=list,
                        help_text="Tools with one of these tags are in it, new ones too.",
                        verbose_name="tags",
                    ),
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
                "verbose_name": "toolset",
                "verbose_name_plural": "toolsets",
                "db_table": "h_mcp_toolset",
                "ordering": ["name"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("name__regex", "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")),
                        name="h_mcp_toolset_name",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ToolsetTool",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("tool_name", models.TextField(verbose_name="tool")),
                (
                    "toolset",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tools",
                        to="access.toolset",
                        verbose_name="toolset",
                    ),
                ),
            ],
            options={
                "verbose_name": "tool of a toolset",
                "verbose_name_plural": "tools of toolsets",
                "db_table": "h_mcp_toolset_tool",
                "ordering": ["tool_name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("toolset", "tool_name"), name="h_mcp_toolset_tool_once"
                    )
                ],
            },
        ),
        migrations.RunSQL(_NOTIFY.format(columns=_SINCE), _NOTIFY.format(columns=_BEFORE)),
        on_delete("CASCADE", "h_mcp_toolset_tool", "toolset_id", "h_mcp_toolset"),
    ]
