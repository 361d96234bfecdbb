"""Old names of tools and parameters, which answer for a while."""

from django.db import migrations, models
from django.db.models import CASCADE, Q
from django.db.models.functions import Now

from access.audit.triggers import audited
from access.foreign_keys import on_delete

_TOOL = "(SELECT name FROM h_custom_tool WHERE id = ($1->>'tool_id')::integer)"
_OF_NO_TOOL = (
    "'h_mcp_server', 'h_mcp_server_tool', 'h_mcp_toolset', 'h_mcp_toolset_tool',"
    " 'h_mcp_tool_limit', 'h_token_issuer', 'h_claim_rule'"
)
# A change of an old name bumps the revision, but changes no tool's own rows.
_BUMP = """
CREATE OR REPLACE FUNCTION toolbuilder_bump_registry() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO h_registry_change (revision, tool_id) SELECT toolbuilder_next_registry(),
        CASE WHEN TG_TABLE_NAME IN ({tables}) THEN 0 END;
    RETURN NULL;
END $$;
"""
_TRIGGER = """
CREATE TRIGGER bump_registry AFTER INSERT OR UPDATE OR DELETE ON h_custom_tool_alias
FOR EACH ROW EXECUTE FUNCTION toolbuilder_bump_registry();
CREATE TRIGGER bump_registry_truncate AFTER TRUNCATE ON h_custom_tool_alias
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_bump_registry();
"""
_NO_TRIGGER = """
DROP TRIGGER bump_registry ON h_custom_tool_alias;
DROP TRIGGER bump_registry_truncate ON h_custom_tool_alias;
"""


class Migration(migrations.Migration):
    dependencies = [("tools", "0009_breaker"), ("access", "0004_audit_trail")]

    operations = [
        migrations.CreateModel(
            "ToolAlias",
            fields=[
                ("id", models.BigAutoField(primary_key=True, serialize=False)),
                ("old_name", models.TextField(verbose_name="old name")),
                (
                    "parameter_name",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="parameter"
                    ),
                ),
                ("expires_at", models.DateTimeField(verbose_name="accepted until")),
                (
                    "created_by",
                    models.TextField(
                        blank=True, db_default="", default="", verbose_name="created by"
                    ),
                ),
                ("created_at", models.DateTimeField(db_default=Now(), verbose_name="created")),
                (
                    "tool",
                    models.ForeignKey(
                        "tools.tooldefinition",
                        verbose_name="tool",
                        related_name="aliases",
                        on_delete=CASCADE,
                    ),
                ),
            ],
            options={
                "db_table": "h_custom_tool_alias",
                "verbose_name": "old name",
                "verbose_name_plural": "old names",
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["old_name"],
                        condition=Q(parameter_name=""),
                        name="h_custom_tool_alias_once",
                    ),
                    models.UniqueConstraint(
                        fields=["tool", "old_name"],
                        condition=~Q(parameter_name=""),
                        name="h_custom_tool_alias_of_parameter_once",
                    ),
                ],
            },
        ),
        on_delete("CASCADE", "h_custom_tool_alias", "tool_id", "h_custom_tool"),
        audited("h_custom_tool_alias", f"concat_ws(' · ', {_TOOL}, $1->>'old_name')"),
        migrations.RunSQL(
            _BUMP.format(tables=f"{_OF_NO_TOOL}, 'h_custom_tool_alias'"),
            _BUMP.format(tables=_OF_NO_TOOL),
        ),
        migrations.RunSQL(_TRIGGER, _NO_TRIGGER),
    ]
