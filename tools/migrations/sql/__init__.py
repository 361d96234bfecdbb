"""What the database does by itself about what is served: revisions, what they changed, and codes in capitals.

Any write to what is served, by whatever program, bumps the registry revision and notifies the runtimes.
"""

from access.audit.triggers import audited, name_in

FIRST_REVISION = "INSERT INTO h_registry_revision (id, revision) VALUES (1, 0);"

# SECURITY DEFINER: a writer needs no right on the counter. The row lock serialises writers, so that
# revisions become visible in order. A revision has a row for each tool that it changed, one without a
# tool where it may have changed any, and one of tool 0 where it changed none of ours. Nobody looks far
# back: a reader that missed much reads all.
_NEXT_REVISION = """
CREATE FUNCTION toolbuilder_next_registry() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    bumped bigint;
BEGIN
    INSERT INTO h_registry_revision AS counter (id, revision) VALUES (1, 1)
    ON CONFLICT (id) DO UPDATE SET revision = counter.revision + 1
    RETURNING revision INTO bumped;
    IF bumped % 64 = 0 THEN
        DELETE FROM h_registry_change WHERE revision <= bumped - 512;
    END IF;
    PERFORM pg_notify('toolbuilder_registry', bumped::text);
    RETURN bumped;
END $$;
"""
# A change of these bumps the revision, but changes no tool's own rows.
_CHANGE_NO_TOOL = (
    *("h_mcp_server", "h_mcp_server_tool", "h_mcp_toolset", "h_mcp_toolset_tool"),
    *("h_mcp_tool_limit", "h_token_issuer", "h_claim_rule", "h_custom_tool_alias"),
)
_BUMP = """
CREATE FUNCTION toolbuilder_bump_registry() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    INSERT INTO h_registry_change (revision, tool_id) SELECT toolbuilder_next_registry(),
        CASE WHEN TG_TABLE_NAME IN ({tables}) THEN 0 END;
    RETURN NULL;
END $$;
"""
_LOG_TOOLS = """
CREATE FUNCTION toolbuilder_log_tools() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
    changed_ids bigint[];
    former_ids bigint[];
BEGIN
    EXECUTE format('SELECT array_agg(DISTINCT %I) FROM changed', TG_ARGV[0]) INTO changed_ids;
    IF changed_ids IS NULL THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        EXECUTE format('SELECT array_agg(DISTINCT %I) FROM former', TG_ARGV[0]) INTO former_ids;
    END IF;
    IF cardinality(changed_ids) > 500 THEN
        changed_ids := ARRAY[NULL];
        former_ids := NULL;
    END IF;
    INSERT INTO h_registry_change (revision, tool_id)
    SELECT revision, tool_id
    FROM (SELECT toolbuilder_next_registry() AS revision OFFSET 0) AS next,
        (SELECT unnest(changed_ids) AS tool_id UNION SELECT unnest(former_ids)) AS tools;
    RETURN NULL;
END $$;
"""
COUNT_REVISIONS = (
    _NEXT_REVISION
    + _BUMP.format(tables=", ".join(f"'{table}'" for table in _CHANGE_NO_TOOL))
    + _LOG_TOOLS
)
COUNT_NO_REVISIONS = """
DROP FUNCTION toolbuilder_log_tools() CASCADE;
DROP FUNCTION toolbuilder_bump_registry() CASCADE;
DROP FUNCTION toolbuilder_next_registry();
"""
# Their tokens are refused at once. Named in WHEN, the column could not be altered by migrations of Django.
BUMP_FOR_PEOPLE = """
CREATE FUNCTION toolbuilder_bump_for_person() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF OLD.is_active IS DISTINCT FROM NEW.is_active
        AND EXISTS (SELECT FROM h_issuer_person WHERE user_id = NEW.id) THEN
        INSERT INTO h_registry_change (revision, tool_id) SELECT toolbuilder_next_registry(), 0;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER bump_for_person AFTER UPDATE ON auth_user
FOR EACH ROW EXECUTE FUNCTION toolbuilder_bump_for_person();
"""
BUMP_FOR_NO_PEOPLE = """
DROP TRIGGER bump_for_person ON auth_user;
DROP FUNCTION toolbuilder_bump_for_person();
"""

# One edited tool among thousands is read alone.
_BUMP_FOR_EACH_TOOL = """
CREATE TRIGGER log_new AFTER INSERT ON {table} REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_log_tools('{column}');
CREATE TRIGGER log_changed AFTER UPDATE ON {table} REFERENCING OLD TABLE AS former NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_log_tools('{column}');
CREATE TRIGGER log_deleted AFTER DELETE ON {table} REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_log_tools('{column}');
CREATE TRIGGER bump_registry AFTER TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_bump_registry();
"""
_TOOLS = (
    {"table": "h_custom_tool", "column": "id"},
    {"table": "h_custom_tool_param", "column": "tool_id"},
)
_BUMP_FOR_ALIASES = """
CREATE TRIGGER bump_registry AFTER INSERT OR UPDATE OR DELETE ON h_custom_tool_alias
FOR EACH ROW EXECUTE FUNCTION toolbuilder_bump_registry();
CREATE TRIGGER bump_registry_truncate AFTER TRUNCATE ON h_custom_tool_alias
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_bump_registry();
"""
_BUMP_AFTER_ANY_WRITE = """
CREATE TRIGGER bump_registry AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION toolbuilder_bump_registry();
"""
_AFTER_ANY_WRITE = (
    *("h_data_source", "h_catalog_schema_state", "h_data_source_allowed_users"),
    *("h_data_source_allowed_groups", "auth_user_groups", "h_mcp_toolset", "h_mcp_toolset_tool"),
    *("h_mcp_tool_limit", "h_token_issuer", "h_claim_rule"),
)
# Row by row, since most writes change nothing that is served: a log-in, a check with the same outcome,
# a server's health.
_BUMP_WHERE_IT_MATTERS = """
CREATE TRIGGER bump_registry_on_new AFTER INSERT ON {table} FOR EACH ROW
WHEN ({new}) EXECUTE FUNCTION toolbuilder_bump_registry();
CREATE TRIGGER bump_registry_on_change AFTER UPDATE ON {table} FOR EACH ROW
WHEN ({change}) EXECUTE FUNCTION toolbuilder_bump_registry();
CREATE TRIGGER bump_registry_on_end AFTER DELETE ON {table} FOR EACH ROW
WHEN ({end}) EXECUTE FUNCTION toolbuilder_bump_registry();
"""
_SERVER = "name server_url token_reference token timeout_ms byte_limit max_calls is_active"
_TOOL = "server_id name accepted_digest accepted seen_digest is_active gone_at"


def _differs(columns: str) -> str:
    old, new = (", ".join(f"{row}.{name}" for name in columns.split()) for row in ("OLD", "NEW"))
    return f"({old}) IS DISTINCT FROM ({new})"


_WHERE_IT_MATTERS = (
    {
        "table": "auth_user",
        "new": "NEW.is_active AND NEW.is_superuser",
        "change": _differs("is_active is_superuser username"),
        "end": "OLD.is_active AND OLD.is_superuser",
    },
    {
        "table": "h_data_source_check",
        "new": "NEW.refusal <> ''",
        "change": f"(OLD.refusal <> '' OR NEW.refusal <> '') AND {_differs('refusal target')}",
        "end": "OLD.refusal <> ''",
    },
    {
        "table": "h_mcp_server",
        "new": "NEW.is_active",
        "change": _differs(_SERVER),
        "end": "OLD.is_active",
    },
    {
        "table": "h_mcp_server_tool",
        "new": "NEW.is_active",
        "change": f"(OLD.is_active OR NEW.is_active) AND {_differs(_TOOL)}",
        "end": "OLD.is_active",
    },
)
BUMP_REVISION = (
    "".join(_BUMP_FOR_EACH_TOOL.format(**tool) for tool in _TOOLS)
    + _BUMP_FOR_ALIASES
    + "".join(_BUMP_AFTER_ANY_WRITE.format(table=table) for table in _AFTER_ANY_WRITE)
    + "".join(_BUMP_WHERE_IT_MATTERS.format(**parts) for parts in _WHERE_IT_MATTERS)
)


def bump_on_server(more: str = "") -> str:
    """Count changes of another MCP server's columns that matter, and of `more`."""
    return f"""
DROP TRIGGER bump_registry_on_change ON h_mcp_server;
CREATE TRIGGER bump_registry_on_change AFTER UPDATE ON h_mcp_server FOR EACH ROW
WHEN ({_differs(f"{_SERVER} {more}")}) EXECUTE FUNCTION toolbuilder_bump_registry();
"""


# To note which version a tool has is no change of it: `updated_at` stays.
TOUCH_TOOLS = """
CREATE FUNCTION toolbuilder_touch_tool() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.updated_at := now();
    RETURN NEW;
END $$;
CREATE TRIGGER touch_tool BEFORE UPDATE ON h_custom_tool FOR EACH ROW
WHEN ((NEW.version, NEW.content_hash) IS NOT DISTINCT FROM (OLD.version, OLD.content_hash))
EXECUTE FUNCTION toolbuilder_touch_tool();
"""
TOUCH_NO_TOOLS = "DROP FUNCTION toolbuilder_touch_tool() CASCADE;"
# The collation: in Turkish, the capital of i is another letter than I.
WRITE_CAPITALS = r"""
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
WRITE_ANY_CASE = """
DROP FUNCTION toolbuilder_write_tool_codes() CASCADE;
DROP FUNCTION toolbuilder_write_parameter_codes() CASCADE;
DROP FUNCTION toolbuilder_capitals(text);
"""

# Child, its column, parent: rows of the child go with the parent's.
LINKS = (
    ("h_custom_tool_param", "tool_id", "h_custom_tool"),
    ("h_custom_tool_quarantine", "tool_id", "h_custom_tool"),
    ("h_custom_tool_use", "tool_id", "h_custom_tool"),
    ("h_custom_tool_use", "table_id", "h_catalog_table"),
    ("h_custom_tool_use", "column_id", "h_catalog_column"),
    ("h_custom_tool_use_state", "tool_id", "h_custom_tool"),
    ("h_custom_tool_rest", "tool_id", "h_custom_tool"),
    ("h_custom_tool_rest", "runtime_id", "h_runtime_instance"),
    ("h_custom_tool_alias", "tool_id", "h_custom_tool"),
)

_NAME = name_in("h_custom_tool", "tool_id", key="integer")
AUDITED = (
    # The hash is that of the other columns.
    audited("h_custom_tool", ignored=["updated_at", "content_hash"]),
    audited("h_custom_tool_param", f"concat_ws('.', {_NAME}, $1->>'param_name')"),
    audited("h_custom_tool_alias", f"concat_ws(' · ', {_NAME}, $1->>'old_name')"),
)
