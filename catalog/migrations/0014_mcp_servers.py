"""Other MCP servers and their tools; a change of what is served of them is heard by every runtime."""

import uuid

import django.contrib.postgres.functions
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import catalog.encryption

# Row by row, since most writes change nothing that is served: a server's health, a list read again.
BUMP_WHERE_IT_MATTERS = """
CREATE TRIGGER bump_registry_on_change AFTER UPDATE ON {table} FOR EACH ROW
WHEN ({change}) EXECUTE FUNCTION toolbuilder_bump_registry();
CREATE TRIGGER bump_registry_on_new AFTER INSERT ON {table} FOR EACH ROW
WHEN (NEW.is_active) EXECUTE FUNCTION toolbuilder_bump_registry();
CREATE TRIGGER bump_registry_on_end AFTER DELETE ON {table} FOR EACH ROW
WHEN (OLD.is_active) EXECUTE FUNCTION toolbuilder_bump_registry();
"""
DROP = """
DROP TRIGGER bump_registry_on_change ON {table};
DROP TRIGGER bump_registry_on_new ON {table};
DROP TRIGGER bump_registry_on_end ON {table};
"""
_SERVER = "name server_url token_reference token timeout_ms byte_limit max_calls is_active"
_TOOL = "server_id name accepted_digest accepted seen_digest is_active gone_at"


def _differs(columns: str) -> str:
    old, new = (", ".join(f"{row}.{name}" for name in columns.split()) for row in ("OLD", "NEW"))
    return f"({old}) IS DISTINCT FROM ({new})"


CHANGES = {
    "h_mcp_server": _differs(_SERVER),
    "h_mcp_server_tool": f"(OLD.is_active OR NEW.is_active) AND {_differs(_TOOL)}",
}


class Migration(migrations.Migration):
    dependencies = [
        ("catalog", "0013_http_services"),
        ("toolbuilder", "0002_registry_trigger"),
    ]

    operations = [
        migrations.CreateModel(
            name="McpServer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "uid",
                    models.UUIDField(
                        db_default=django.contrib.postgres.functions.RandomUUID(),
                        default=uuid.uuid4,
                        editable=False,
                        unique=True,
                    ),
                ),
                (
                    "name",
                    models.CharField(
                        help_text="Stands before the names of its tools; it cannot be changed later.",
                        max_length=24,
                        unique=True,
                        validators=[
                            django.core.validators.RegexValidator(
                                "^[a-z][a-z0-9_-]{0,23}\\Z",
                                "A small letter, then small letters, digits, hyphens and underscores; at most 24 in all.",
                            )
                        ],
                        verbose_name="name",
                    ),
                ),
                (
                    "server_url",
                    models.TextField(
                        help_text="As https://mcp.example.com/mcp; http only for allowed hosts.",
                        verbose_name="server URL",
                    ),
                ),
                (
                    "token_reference",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        help_text="env:NAME reads an environment variable, file:NAME a file of CREDENTIALS_DIR.",
                        validators=[
                            django.core.validators.RegexValidator(
                                "^(env|file):[A-Za-z0-9_.-]+\\Z",
                                "Write env:NAME or file:NAME; a token itself goes into the token field.",
                            )
                        ],
                        verbose_name="token reference",
                    ),
                ),
                (
                    "token",
                    catalog.encryption.EncryptedField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="stored token",
                    ),
                ),
                (
                    "timeout_ms",
                    models.PositiveIntegerField(
                        db_default=30000,
                        default=30000,
                        validators=[
                            django.core.validators.MinValueValidator(100),
                            django.core.validators.MaxValueValidator(600000),
                        ],
                        verbose_name="time-out, ms",
                    ),
                ),
                (
                    "byte_limit",
                    models.PositiveIntegerField(
                        db_default=1000000,
                        default=1000000,
                        validators=[
                            django.core.validators.MinValueValidator(1000),
                            django.core.validators.MaxValueValidator(50000000),
                        ],
                        verbose_name="byte ceiling of an answer",
                    ),
                ),
                (
                    "max_calls",
                    models.PositiveSmallIntegerField(
                        db_default=16,
                        default=16,
                        validators=[
                            django.core.validators.MinValueValidator(1),
                            django.core.validators.MaxValueValidator(1000),
                        ],
                        verbose_name="calls at once per runtime",
                    ),
                ),
                (
                    "is_active",
                    models.BooleanField(
                        db_default=True,
                        default=True,
                        help_text="Otherwise no tool of it is served.",
                        verbose_name="active",
                    ),
                ),
                (
                    "state",
                    models.TextField(
                        blank=True,
                        choices=[
                            ("", "not checked yet"),
                            ("ok", "reachable"),
                            ("down", "not reachable"),
                        ],
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="state",
                    ),
                ),
                (
                    "trouble",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="trouble",
                    ),
                ),
                (
                    "unreachable_since",
                    models.DateTimeField(
                        editable=False, null=True, verbose_name="not reachable since"
                    ),
                ),
                (
                    "checked_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="last met"),
                ),
                (
                    "read_at",
                    models.DateTimeField(editable=False, null=True, verbose_name="tools read"),
                ),
                (
                    "server_info",
                    models.TextField(
                        blank=True, db_default="", default="", editable=False, verbose_name="server"
                    ),
                ),
                (
                    "protocol",
                    models.TextField(
                        blank=True,
                        db_default="",
                        default="",
                        editable=False,
                        verbose_name="protocol",
                    ),
                ),
                (
                    "faults",
                    models.JSONField(
                        blank=True,
                        db_default=[],
                        default=list,
                        editable=False,
                        verbose_name="left out",
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
                "verbose_name": "MCP server",
                "verbose_name_plural": "MCP servers",
                "db_table": "h_mcp_server",
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="McpTool",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.TextField(verbose_name="name")),
                ("seen", models.JSONField(verbose_name="as the server says now")),
                ("seen_digest", models.TextField(editable=False)),
                ("accepted", models.JSONField(blank=True, null=True, verbose_name="as accepted")),
                ("accepted_digest", models.TextField(db_default="", default="", editable=False)),
                (
                    "accepted_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="accepted by"
                    ),
                ),
                (
                    "accepted_at",
                    models.DateTimeField(blank=True, null=True, verbose_name="accepted"),
                ),
                (
                    "is_active",
                    models.BooleanField(db_default=False, default=False, verbose_name="active"),
                ),
                ("gone_at", models.DateTimeField(blank=True, null=True, verbose_name="gone")),
                (
                    "first_seen_at",
                    models.DateTimeField(
                        auto_now_add=True,
                        db_default=django.db.models.functions.datetime.Now(),
                        verbose_name="first seen",
                    ),
                ),
                (
                    "server",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tools",
                        to="catalog.mcpserver",
                        verbose_name="server",
                    ),
                ),
            ],
            options={
                "verbose_name": "tool of an MCP server",
                "verbose_name_plural": "tools of MCP servers",
                "db_table": "h_mcp_server_tool",
                "ordering": ["name"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("server", "name"), name="one_tool_of_a_name_per_server"
                    )
                ],
            },
        ),
        *(
            migrations.RunSQL(
                BUMP_WHERE_IT_MATTERS.format(table=table, change=change), DROP.format(table=table)
            )
            for table, change in CHANGES.items()
        ),
    ]
