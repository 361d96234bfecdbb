"""Other programs write as Django does: a DELETE takes the same rows along, and codes are in capitals."""

from django.db import migrations

# Child, its column, parent, and what a DELETE of the parent does to the child's row. Of `h_api_key`
# access takes care: keys end with their owner.
LINKS = (
    ("h_custom_tool_trial", "tool_id", "h_custom_tool", "CASCADE"),
    ("h_custom_tool_trial", "draft_id", "h_custom_tool_draft", "CASCADE"),
    ("h_mcp_server_tool", "server_id", "h_mcp_server", "CASCADE"),
    ("h_catalog_query", "user_id", "auth_user", "SET NULL"),
    ("h_data_source_allowed_users", "user_id", "auth_user", "CASCADE"),
    ("h_data_source_allowed_groups", "group_id", "auth_group", "CASCADE"),
    ("auth_user_groups", "user_id", "auth_user", "CASCADE"),
    ("auth_user_groups", "group_id", "auth_group", "CASCADE"),
    ("auth_user_user_permissions", "user_id", "auth_user", "CASCADE"),
    ("auth_group_permissions", "group_id", "auth_group", "CASCADE"),
    ("django_admin_log", "user_id", "auth_user", "CASCADE"),
)

RECREATE = """
DO $$
DECLARE
    constraint_name text;
BEGIN
    SELECT conname INTO STRICT constraint_name FROM pg_constraint
    JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
    WHERE contype = 'f' AND conrelid = '{child}'::regclass AND confrelid = '{parent}'::regclass
    AND attname = '{column}';
    EXECUTE format('ALTER TABLE {child} DROP CONSTRAINT %I', constraint_name);
    EXECUTE format(
        'ALTER TABLE {child} ADD CONSTRAINT %I FOREIGN KEY ({column}) REFERENCES {parent} (id)'
        ' {action} DEFERRABLE INITIALLY DEFERRED', constraint_name);
END $$;
"""

# The collation: in Turkish, the capital of i is another letter than I.
CAPITALS = r"""
CREATE FUNCTION toolbuilder_capitals(code text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT upper(btrim(code, E' \t\r\n') COLLATE "C") $$;

CREATE FUNCTION toolbuilder_write_tool_codes() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    NEW.tool_type := toolbuilder_capitals(NEW.tool_type);
    NEW.is_active := toolbuilder_capitals(NEW.is_active);
    NEW.result_format := toolbuilder_capitals(NEW.result_format);
    RETURN NEW;
END $$;
CREATE TRIGGER capitals BEFORE INSERT OR UPDATE ON h_custom_tool
FOR EACH ROW EXECUTE FUNCTION toolbuilder_write_tool_codes();

CREATE FUNCTION toolbuilder_write_parameter_codes() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
    NEW.param_type := toolbuilder_capitals(NEW.param_type);
    NEW.is_required := toolbuilder_capitals(NEW.is_required);
    NEW.nullable := toolbuilder_capitals(NEW.nullable);
    NEW.binding := toolbuilder_capitals(NEW.binding);
    RETURN NEW;
END $$;
CREATE TRIGGER capitals BEFORE INSERT OR UPDATE ON h_custom_tool_param
FOR EACH ROW EXECUTE FUNCTION toolbuilder_write_parameter_codes();
"""
AS_WRITTEN = """
DROP TRIGGER capitals ON h_custom_tool;
DROP TRIGGER capitals ON h_custom_tool_param;
DROP FUNCTION toolbuilder_write_tool_codes();
DROP FUNCTION toolbuilder_write_parameter_codes();
DROP FUNCTION toolbuilder_capitals(text);
"""

# The triggers above do the rest. An archived tool with is_active 'y' was not served, and stays so.
REWRITE = """
UPDATE h_custom_tool SET is_active = 'N' WHERE archived_at IS NOT NULL AND is_active <> 'N';
UPDATE h_custom_tool SET name = name WHERE (tool_type, is_active, result_format) <>
    (toolbuilder_capitals(tool_type), toolbuilder_capitals(is_active),
     toolbuilder_capitals(result_format));
UPDATE h_custom_tool_param SET param_name = param_name
WHERE (param_type, is_required, nullable, binding) <>
    (toolbuilder_capitals(param_type), toolbuilder_capitals(is_required),
     toolbuilder_capitals(nullable), toolbuilder_capitals(binding));
"""


def _recreate(link: tuple[str, str, str, str], *, is_forward: bool) -> str:
    child, column, parent, action = link
    action = f"ON DELETE {action}" if is_forward else ""
    return RECREATE.format(child=child, column=column, parent=parent, action=action)


class Migration(migrations.Migration):
    dependencies = [
        ("admin", "0003_logentry_add_action_flag_choices"),
        ("auth", "0012_alter_user_first_name_max_length"),
        ("catalog", "0014_mcp_servers"),
        ("toolbuilder", "0017_http_tools"),
    ]

    operations = [
        *(
            migrations.RunSQL(_recreate(link, is_forward=True), _recreate(link, is_forward=False))
            for link in LINKS
        ),
        migrations.RunSQL(CAPITALS, AS_WRITTEN),
        migrations.RunSQL(REWRITE, migrations.RunSQL.noop),
    ]
